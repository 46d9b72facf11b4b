"""POST /login: a page reports a login by a typed token, for the audit trail. It admits nobody; the guard does."""

from __future__ import annotations

from aiohttp import web

from agentd.access.tokens import LOCAL, OWN_PAGE
from agentd.audit import AuditTrail
from agentd.errors import Unauthorized
from agentd.http.leases import ADMITTED


def login_route(audit: AuditTrail) -> web.RouteDef:
    """The route, for every caller with a token; behind the guard."""

    async def post(request: web.Request) -> web.Response:
        """204 once the login is in the audit trail. Raises Unauthorized for a caller without a token, Busy."""
        caller = request[ADMITTED].caller
        if caller in (LOCAL, OWN_PAGE):
            raise Unauthorized("Nobody logs in without a token; make one by `agentd token add`")
        await audit.arecord("login.succeeded", actor=caller.id, subject=caller.id, scopes=sorted(caller.scopes))
        return web.Response(status=204, headers={"Cache-Control": "no-store"})

    return web.post("/login", post)
