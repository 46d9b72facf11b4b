"""Assembles the HTTP routes behind the guard. Each route's handler is in its own file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import orjson
from aiohttp import web

from agentd.http.artifacts import artifacts
from agentd.http.events import EventsEndpoint
from agentd.http.guard import RPC_PATH, Guard, Rule
from agentd.http.leases import LEASES, Leases
from agentd.http.rpc import rpc
from agentd.http.visit import visit
from agentd.http.websocket import WebSocketEndpoint
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import ANYONE, STAFF, Services

Metrics = Callable[[], Awaitable[tuple[bytes, str]]]
"""Returns the Prometheus exposition: body and content type."""


def application(
    guard: Guard,
    services: Services,
    dispatcher: Dispatcher,
    *,
    metrics: Metrics,
    pages: Iterable[web.AbstractRouteDef] = (),
    mounted: Iterable[web.AbstractRouteDef] = (),
) -> web.Application:
    """Build the aiohttp application.

    `pages` are static and open (their calls pass the guard). `mounted` are further interfaces such as /v1: the guard
    admits their callers (`request[guard.CALLER]`), but they check scopes themselves.
    """
    leases = Leases()
    events = EventsEndpoint(services, leases)
    sockets = WebSocketEndpoint(dispatcher, services, leases)

    async def exposition(_request: web.Request) -> web.Response:
        body, content_type = await metrics()
        return web.Response(body=body, headers={"Content-Type": content_type, "Cache-Control": "no-store"})

    app = web.Application(middlewares=[guard.middleware()], client_max_size=services.limits.max_body_bytes)
    app[LEASES] = leases
    guard.declare(Rule(metered_within=True), app.router.add_post(RPC_PATH, rpc(dispatcher, leases)))
    add = app.router.add_get
    guard.declare(
        Rule(ANYONE),
        add("/events", events.get, allow_head=False),
        add("/events/{run_id}", events.get, allow_head=False),
        app.router.add_post("/visit/{run_id}", visit(services.runs)),
        add("/ws", sockets.get, allow_head=False),
        *app.add_routes([web.get("/artifacts/{run_id}/{name}", artifacts(services.runs))]),
    )
    guard.declare(Rule(STAFF), add("/metrics", exposition, allow_head=False))
    guard.declare(Rule(open=True), *app.add_routes(health_routes(services)))
    guard.declare(Rule(page=True), *app.add_routes(pages))
    app.add_routes(mounted)
    if guard.access.origins:
        app.on_response_prepare.append(guard.allow)
    app.cleanup_ctx.append(leases.watched)
    app.on_shutdown.append(events.close)
    app.on_shutdown.append(sockets.close)
    return app


def health_routes(services: Services) -> tuple[web.RouteDef, web.RouteDef]:
    """GET /healthz and /readyz: whether the loop is alive and whether the daemon takes work. Both are open to everybody
    and show states but no reasons (System.health has those)."""

    async def healthz(_request: web.Request) -> web.Response:
        """Answer 200 while the event loop runs."""
        return _json({"status": "ok"}, 200)

    async def readyz(_request: web.Request) -> web.Response:
        """Answer 200, or 503 while starting, draining or without a writable database, with the state of the database
        and of each server and provider by name."""
        stands = await services.health()
        ready = stands["status"] not in ("starting", "draining") and stands["database"] == "up"
        body: dict[str, Any] = {"status": stands["status"], "database": stands["database"]}
        for group in ("servers", "providers"):
            body[group] = {str(one.get("name", one.get("id"))): one.get("state") for one in stands.get(group, ())}
        return _json(body, 200 if ready else 503)

    return web.get("/healthz", healthz), web.get("/readyz", readyz)


def _json(body: dict[str, Any], status: int) -> web.Response:
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", headers={"Cache-Control": "no-store"}
    )
