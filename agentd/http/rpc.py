"""POST /rpc: JSON-RPC over HTTP. It reads the body within bounds; the dispatcher does the rest."""

from __future__ import annotations

import asyncio
import math

from aiohttp import hdrs, web

from agentd.errors import InvalidRequest
from agentd.http.guard import CALLER
from agentd.http.refusals import Refused
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.services import Limits


class RpcEndpoint:
    """Answers 200 with a response, 204 to notifications alone, 429 when the caller asked too much."""

    def __init__(self, dispatcher: Dispatcher, limits: Limits) -> None:
        self._dispatcher = dispatcher
        self._limits = limits

    async def post(self, request: web.Request) -> web.Response:
        """Handle one HTTP request. A client that goes away doesn't stop what it asked for."""
        body = await self._body(request)
        reply = await self._dispatcher.handle(body, request[CALLER])
        if not reply.body:
            return web.Response(status=204)
        response = web.Response(body=reply.body, content_type="application/json")
        if reply.retry_after_s is not None:
            response.set_status(429)
            response.headers["Retry-After"] = str(math.ceil(reply.retry_after_s))
        return response

    async def _body(self, request: web.Request) -> bytes:
        kind = request.headers.get(hdrs.CONTENT_TYPE, "")
        if kind != "application/json" and kind.partition(";")[0].strip().lower() != "application/json":
            # text/plain and forms can be sent by any page of any site without being asked first
            raise Refused(415, InvalidRequest("Content-Type must be application/json"))
        limit = self._limits.max_body_bytes
        if (request.content_length or 0) > limit:
            raise Refused(413, InvalidRequest(f"The body is larger than {limit} bytes"))
        if request.content.is_eof():
            return await request.read()
        try:
            async with asyncio.timeout(self._limits.body_timeout_s):
                return await request.read()
        except TimeoutError:
            raise Refused(408, InvalidRequest("The body did not arrive in time")) from None
