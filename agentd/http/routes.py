"""The table of HTTP routes, put together behind the guard. What each does is in a file of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from aiohttp import web

from agentd.http.artifacts import artifacts
from agentd.http.events import EventsEndpoint, Frames
from agentd.http.guard import RPC_PATH, Guard
from agentd.http.health import health_routes
from agentd.http.leases import LEASES, Leases
from agentd.http.rpc import RpcEndpoint
from agentd.http.visit import visit
from agentd.http.websocket import WebSocketEndpoint
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import ANYONE, STAFF
from agentd.rpc.services import Services

Metrics = Callable[[], Awaitable[tuple[bytes, str]]]
"""The Prometheus exposition: body and content type."""


def application(
    guard: Guard,
    services: Services,
    dispatcher: Dispatcher,
    *,
    metrics: Metrics,
    pages: Iterable[web.AbstractRouteDef] = (),
    mounted: Iterable[web.AbstractRouteDef] = (),
) -> web.Application:
    """The aiohttp application.

    `pages` are static and open (a page's own calls go through the guard); `mounted` are further interfaces such as
    /v1: the guard lets only callers in (`request[guard.CALLER]`), and they check scopes themselves.
    """
    leases = Leases()
    frames = Frames()
    rpc = RpcEndpoint(dispatcher, leases)
    events = EventsEndpoint(services, frames, leases)
    sockets = WebSocketEndpoint(dispatcher, services, frames, leases)

    async def exposition(_request: web.Request) -> web.Response:
        body, content_type = await metrics()
        return web.Response(body=body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})

    app = web.Application(middlewares=[guard.middleware()], client_max_size=services.limits.max_body_bytes)
    app[LEASES] = leases
    guard.metered_within(app.router.add_post(RPC_PATH, rpc.post))
    add = app.router.add_get
    guard.only_for(
        ANYONE,
        add("/events", events.get, allow_head=False),
        add("/events/{run_id}", events.get, allow_head=False),
        app.router.add_post("/visit/{run_id}", visit(services.runs)),
        add("/ws", sockets.get, allow_head=False),
        *app.add_routes([web.get("/artifacts/{run_id}/{name}", artifacts(services.runs))]),
    )
    guard.only_for(STAFF, add("/metrics", exposition, allow_head=False))
    guard.open(*app.add_routes(health_routes(services.health)))
    guard.pages(*app.add_routes(pages))
    app.add_routes(mounted)
    if guard.access.lists_any:
        app.on_response_prepare.append(guard.allow)
    app.cleanup_ctx.append(leases.watched)
    app.on_shutdown.append(events.close)
    app.on_shutdown.append(sockets.close)
    return app
