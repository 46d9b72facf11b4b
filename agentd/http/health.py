"""GET /healthz and /readyz: is the loop alive, and can it take work. Details are in System.health."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from aiohttp import web

_STATES = ("servers", "providers")


class HealthEndpoints:
    """Open to everybody who reaches the port: states are shown, reasons are not."""

    def __init__(self, health: Callable[[], dict[str, Any]]) -> None:
        self._health = health

    async def healthz(self, _request: web.Request) -> web.Response:
        """200 as long as the loop answers."""
        return _json({"status": "ok"}, 200)

    async def readyz(self, _request: web.Request) -> web.Response:
        """200 when work is taken, 503 while starting or draining; each server's and provider's state by name."""
        health = self._health()
        status = health["status"]
        body: dict[str, Any] = {"status": status}
        for group in _STATES:
            body[group] = {str(one.get("name", one.get("id"))): one.get("state") for one in health.get(group, ())}
        return _json(body, 503 if status in ("starting", "draining") else 200)


def _json(body: dict[str, Any], status: int) -> web.Response:
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", headers={"Cache-Control": "no-store"}
    )
