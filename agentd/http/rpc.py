"""POST /rpc: JSON-RPC over HTTP. The guard limits the body; the dispatcher does the rest."""

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
    """The handler: 200 with a response, 204 if there were only notifications, 429 for a rate-limited caller.

    A caller whose rights end while it waits for a run gets 401 at once.
    """

    async def post(request: web.Request) -> web.Response:
        """Handle one HTTP request. Its work continues if the client disconnects or is disconnected."""
        if request.content_type != "application/json":
            # any site's page can send text/plain and forms without a preflight
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
