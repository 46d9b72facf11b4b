"""Assembles the HTTP routes behind the guard. Each route's handler is in its own file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import orjson
from aiohttp import web

from agentd.http.artifacts import artifact
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
    guard.declare(Rule(metered_within=True), app.router.add_post(RPC_PATH, partial(rpc, dispatcher, leases)))
    add = app.router.add_get
    guard.declare(
        Rule(ANYONE),
        add("/events", events.get, allow_head=False),
        add("/events/{run_id}", events.get, allow_head=False),
        app.router.add_post("/visit/{run_id}", partial(visit, services.runs)),
        add("/ws", sockets.get, allow_head=False),
        *app.add_routes([web.get("/artifacts/{run_id}/{name}", partial(artifact, services.runs))]),
    )
    guard.declare(Rule(STAFF), add("/metrics", exposition, allow_head=False))
    guard.declare(
        Rule(open=True),
        *app.add_routes([web.get("/healthz", _healthz), web.get("/readyz", partial(_readyz, services))]),
    )
    guard.declare(Rule(page=True), *app.add_routes(pages))
    app.add_routes(mounted)
    if guard.access.origins:
        app.on_response_prepare.append(guard.allow)
    app.cleanup_ctx.append(leases.watched)
    app.on_shutdown.append(events.close)
    app.on_shutdown.append(sockets.close)
    return app


async def _healthz(_request: web.Request) -> web.Response:
    """Answer 200 while the event loop runs."""
    return _json({"status": "ok"}, 200)


async def _readyz(services: Services, _request: web.Request) -> web.Response:
    """Answer 200, or 503 while starting, draining or without a writable database, with the state of the database and
    of each server and provider by name. It shows no reasons, since everybody may ask (System.health has those)."""
    stands = await services.health()
    ready = stands["status"] not in ("starting", "draining") and stands["database"] == "up"
    body: dict[str, Any] = {"status": stands["status"], "database": stands["database"]}
    for group in ("servers", "providers"):
        body[group] = {str(one.get("name", one.get("id"))): one.get("state") for one in stands.get(group, ())}
    return _json(body, 200 if ready else 503)


def _json(body: dict[str, Any], status: int) -> web.Response:
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", headers={"Cache-Control": "no-store"}
    )
