"""GET /healthz and /readyz: is the loop alive, and can it take work. Details are in System.health."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from aiohttp import web


def health_routes(health: Callable[[], dict[str, Any]]) -> tuple[web.RouteDef, web.RouteDef]:
    """Open to everybody who reaches the port: states are shown, reasons are not."""

    async def healthz(_request: web.Request) -> web.Response:
        """200 as long as the loop answers."""
        return _json({"status": "ok"}, 200)

    async def readyz(_request: web.Request) -> web.Response:
        """200 when work is taken, 503 while starting or draining; each server's and provider's state by name."""
        stands = health()
        body: dict[str, Any] = {"status": stands["status"]}
        for group in ("servers", "providers"):
            body[group] = {str(one.get("name", one.get("id"))): one.get("state") for one in stands.get(group, ())}
        return _json(body, 503 if stands["status"] in ("starting", "draining") else 200)

    return web.get("/healthz", healthz), web.get("/readyz", readyz)


def _json(body: dict[str, Any], status: int) -> web.Response:
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", headers={"Cache-Control": "no-store"}
    )
