"""POST /login: records a page's login by a typed token in the audit trail. Only the guard admits callers."""

from __future__ import annotations

from aiohttp import web

from agentd.access.tokens import LOCAL, OWN_PAGE
from agentd.audit import AuditTrail
from agentd.errors import Unauthorized
from agentd.http.leases import ADMITTED


def login_route(audit: AuditTrail) -> web.RouteDef:
    """The route behind the guard, for every caller with a token."""

    async def post(request: web.Request) -> web.Response:
        """Answer 204 once the login is in the audit trail. Raises Busy, and Unauthorized without a token."""
        caller = request[ADMITTED].caller
        if caller in (LOCAL, OWN_PAGE):
            raise Unauthorized("Nobody logs in without a token; make one by `agentd token add`")
        await audit.arecord("login.succeeded", actor=caller.id, subject=caller.id, scopes=sorted(caller.scopes))
        return web.Response(status=204, headers={"Cache-Control": "no-store"})

    return web.post("/login", post)
