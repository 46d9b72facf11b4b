"""POST /pair {"code"}: gives a kiosk's page its token as a cookie that scripts can't read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime

import orjson
from aiohttp import hdrs, web
from pydantic import Field

from agentd.access.rates import FailedTries
from agentd.apps.pairing.codes import Pairing
from agentd.audit import AuditTrail
from agentd.errors import Forbidden, InvalidRequest, ParseError, Unauthorized
from agentd.http.guard import ADDRESS, COOKIE, is_own
from agentd.http.refusals import Refused
from agentd.rpc.params import Params, read

_YEAR_S = 365 * 86400


class PairParams(Params):
    """The body."""

    code: str = Field(pattern=r"^[0-9]{6}$")


class PairEndpoint:
    """Open to everybody with the code, from the daemon's own page; allows ten wrong tries a minute per address."""

    def __init__(self, pairing: Pairing, audit: AuditTrail, now: Callable[[], datetime]) -> None:
        self._pairing = pairing
        self._tries = FailedTries()  # not shared with tokens: a kiosk whose token ended may pair at once
        self._audit = audit
        self._now = now

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(pages=…)`."""
        yield web.post("/pair", self.post)

    async def post(self, request: web.Request) -> web.Response:
        """Answer 204 with the cookie. Raises Unauthorized, RateLimited."""
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is not None and not is_own(origin, request):
            raise Forbidden("Only the daemon's own page is paired")
        if request.content_type != "application/json":
            raise Refused(415, InvalidRequest("Content-Type must be application/json"))
        address = request[ADDRESS]
        self._tries.check(address)
        try:
            body = orjson.loads(await request.read())
        except orjson.JSONDecodeError:
            raise ParseError("The body is not JSON") from None
        code = read(PairParams, body if isinstance(body, dict) else {}).code
        try:
            name, token = await asyncio.to_thread(self._pairing.end, code, self._now())
        except Unauthorized:
            self._tries.failed(address)
            raise
        await self._audit.arecord("kiosk.paired", actor=name, subject=name)
        response = web.Response(status=204, headers={"Cache-Control": "no-store"})
        secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
        response.set_cookie(COOKIE, token, max_age=_YEAR_S, httponly=True, samesite="Strict", path="/", secure=secure)
        return response
