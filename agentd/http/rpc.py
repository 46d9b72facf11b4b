"""POST /rpc: JSON-RPC over HTTP. The guard bounds its body; the dispatcher does the rest."""

from __future__ import annotations

import math
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler

from agentd.errors import InvalidRequest
from agentd.http.guard import CALLER
from agentd.http.leases import Leases
from agentd.http.refusals import Refused, send_away
from agentd.rpc.dispatch import Dispatcher


def rpc(dispatcher: Dispatcher, leases: Leases) -> Handler:
    """Answers 200 with a response, 204 to notifications alone, 429 when the caller asked too much.

    A caller who waits for a run when its rights end is answered 401 at once.
    """

    async def post(request: web.Request) -> web.Response:
        """Handle one HTTP request. A client that disconnects, or is disconnected, doesn't stop what it asked for."""
        if request.content_type != "application/json":
            # text/plain and forms can be sent by any page of any site without being asked first
            raise Refused(415, InvalidRequest("Content-Type must be application/json"))
        with leases.held(request, partial(send_away, request, rpc=True)):
            reply = await dispatcher.handle(await request.read(), request[CALLER])
        if not reply.body:
            return web.Response(status=204)
        response = web.Response(body=reply.body, content_type="application/json")
        if reply.retry_after_s is not None:
            response.set_status(429)
            response.headers["Retry-After"] = str(math.ceil(reply.retry_after_s))
        return response

    return post
