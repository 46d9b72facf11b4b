"""POST /rpc: JSON-RPC over HTTP. The guard limits the body; the dispatcher does the rest."""

from __future__ import annotations

import math
from functools import partial

from aiohttp import web

from agentd.errors import InvalidRequest
from agentd.http.guard import CALLER
from agentd.http.leases import Leases
from agentd.http.refusals import Refused, send_away
from agentd.rpc.dispatch import Dispatcher


async def rpc(dispatcher: Dispatcher, leases: Leases, request: web.Request) -> web.Response:
    """Answer 200 with a response, 204 if there were only notifications, 429 to a rate-limited caller.

    The work continues if the client disconnects. A caller whose rights end while it waits for a run gets 401 at once.
    """
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
