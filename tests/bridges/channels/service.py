"""A local server of a chat service in its own thread: it records requests and returns faults as told. Not a test."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import TestServer

PATIENCE_S = 300.0


class ServiceServer(ABC):
    """Use it in `with`: `url` is its address. `faults` are answers (status, JSON) to give first, by method, with the
    header `Retry-After` of `asks_to_wait`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.faults: dict[str, list[tuple[int, Any]]] = {}
        self.asks_to_wait = ""
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @abstractmethod
    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The service's answer to one request."""

    def __enter__(self) -> Self:
        self._thread.start()
        self.do(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Any) -> Any:
        """Run a coroutine on the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def fault(self, method: str) -> web.Response | None:
        """The method's next fault, or None."""
        with self.changed:
            waiting = self.faults.get(method)
            if not waiting:
                return None
            status, body = waiting.pop(0)
            self.changed.notify_all()
        headers = {"Retry-After": self.asks_to_wait} if self.asks_to_wait else None
        return web.json_response(body, status=status, headers=headers)

    def noted(self, kept: list[Any], value: Any) -> None:
        """Append a value and wake the waiting threads."""
        with self.changed:
            kept.append(value)
            self.changed.notify_all()

    def wait(self, what: Callable[[], Any]) -> Any:
        """Wait until `what` returns a true value, and return it; it is called after each request."""
        with self.changed:
            assert self.changed.wait_for(what, PATIENCE_S), "it did not come"
            return what()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        self._server = TestServer(app)
        await self._server.start_server()
        self.url = str(self._server.make_url("")).rstrip("/")
