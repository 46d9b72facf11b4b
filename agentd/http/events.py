"""GET /events?run_id=… and /events/RUN_ID: a run's events as Server-Sent Events, resumable at any. It stores none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress
from functools import lru_cache
from typing import Any

import orjson
from aiohttp import hdrs, web

from agentd.errors import Busy, InvalidParams
from agentd.http.guard import CALLER
from agentd.http.leases import Leases
from agentd.messages import LIVE_ONLY, Event
from agentd.rpc.method import Services
from agentd.rpc.methods.agent import SubscribeParams
from agentd.rpc.params import read
from agentd.rpc.wire import error_object
from agentd.runs.segment import ENDED
from hardening.tasks import beside

_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Accel-Buffering": "no",
}
FRAMES = 16
"""How many encoded event frames are cached."""
LAST_WORDS_S = 1.0
"""Seconds that running streams and calls get to finish when the daemon stops."""
_FLUSH_S = 30.0
"""Seconds that a dropped reader gets to read what was already sent."""


class EventsEndpoint:
    """Streams events to any number of readers; a reader that stalls is dropped and may resume."""

    def __init__(self, services: Services, leases: Leases) -> None:
        self._leases = leases
        self._runs = services.runs
        self._limits = services.limits
        self._frame = lru_cache(FRAMES)(sse_frame)  # its events are handed to every reader
        self._streams: set[asyncio.Task[Any]] = set()

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Stream from `after` (or Last-Event-ID) to the run's end; 204 if all was seen already, so that a browser's
        EventSource stops reconnecting."""
        params = _params(request)
        over = await self._runs.status(params.run_id, request[CALLER]) in ENDED
        reader = _Reader(request, params.after, self._limits.stall_s)
        ended: list[Exception] = []
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)

        def end(error: Exception) -> None:
            ended.append(error)
            task.cancel()

        try:
            with self._leases.held(request, end):
                async with beside(beat=reader.beat(self._limits.heartbeat_s, end)):
                    await self._send(reader, params.run_id, over=over)
        except asyncio.CancelledError:
            if not ended:
                raise
            task.uncancel()  # the rights have ended: only the reason is still sent
            reader.drop(ended[0])
        except Exception as error:
            reader.drop(error)
        finally:
            self._streams.discard(task)
        return reader.response if reader.response.prepared else web.Response(status=204)

    async def close(self, _app: web.Application) -> None:
        """End all streams; readers resume at the next daemon. Streams of released runs end by themselves."""
        if self._streams:
            await asyncio.wait(self._streams, timeout=LAST_WORDS_S)
        for task in self._streams:
            task.cancel()

    async def _send(self, reader: _Reader, run_id: str, *, over: bool) -> None:
        """Send the stored and the new events; if the run is over and no event is left, send nothing."""
        if not over:
            await reader.begin()
        following = self._runs.events(run_id, reader.request[CALLER], reader.after)
        async with aclosing(following) as events:
            async for event in events:
                await reader.begin()
                await reader.write(self._frame(event))
                reader.after = event.seq


class _Reader:
    """One response, and the last event that its reader got."""

    def __init__(self, request: web.Request, after: int, stall_s: float) -> None:
        self.request = request
        self.response = web.StreamResponse(headers=_HEADERS)
        self.response.force_close()  # one stream per connection: both end together
        self.after = after
        self._stall_s = stall_s

    async def begin(self) -> None:
        """Send the response's head, once."""
        if not self.response.prepared:
            await self.response.prepare(self.request)
            await self.response.write(b"retry: 1000\n\n")

    async def write(self, frame: bytes) -> None:
        """Send a frame. Raises Busy if the reader stalls, ConnectionError if it is gone."""
        if (transport := self._put(frame)) is None:
            raise ConnectionResetError
        unread = len(frame) + transport.get_write_buffer_size()
        while (left := transport.get_write_buffer_size()) < unread:
            unread = left
            with suppress(TimeoutError):
                async with asyncio.timeout(self._stall_s):
                    return await self.request.writer.drain()
        message = f"The stream was dropped because its reader was too slow; resume with after={self.after}"
        raise Busy(message, retry_after_s=1)

    async def beat(self, pause_s: float, end: Callable[[Exception], None]) -> None:
        """Keep the stream open with a comment from time to time; call `end` if the reader has left."""
        while True:
            await asyncio.sleep(pause_s)
            if self.response.prepared and self._put(b": waiting\n\n") is None:
                return end(ConnectionResetError())

    def drop(self, error: Exception) -> None:
        """Report why the stream ends before its run. Once the head is sent, the report is a last frame `event: error`
        with `resume_after` in the error's data. The frame is written to the socket's buffer and the socket is closed
        without waiting, because the reader may be slow."""
        if self.request.transport is None or self.request.transport.is_closing():
            return  # the reader has left
        if not self.response.prepared:
            raise error
        shown = error_object(error)
        shown["data"].setdefault("resume_after", self.after)
        if transport := self._put(b"event: error\ndata: %s\n\n" % orjson.dumps(shown), b"0\r\n\r\n"):
            transport.close()
            asyncio.get_running_loop().call_later(_FLUSH_S, transport.abort)

    def _put(self, frame: bytes, end: bytes = b"") -> asyncio.WriteTransport | None:
        """Hand a frame to the socket, not copied as by aiohttp, then the body's end; None if the reader is gone."""
        transport = self.request.transport
        if transport is None or transport.is_closing():
            return None
        # only the header tells whether aiohttp has chosen chunked encoding
        chunked = "chunked" in self.response.headers.get(hdrs.TRANSFER_ENCODING, "")
        for part in (b"%x\r\n" % len(frame), frame, b"\r\n" + end) if chunked else (frame,):
            transport.write(part)
        return transport


def _params(request: web.Request) -> SubscribeParams:
    given: dict[str, Any] = {**request.query, **request.match_info}
    if "session_key" in given:
        raise InvalidParams("Invalid params: session_key never stands in an address; send Agentd-Session-Key")
    # a reconnecting browser requests the first address again, with the last seen id in this header
    given["after"] = request.headers.get("Last-Event-ID") or given.get("after", 0)
    with suppress(ValueError):
        given["after"] = int(given["after"])
    return read(SubscribeParams, given)


def sse_frame(event: Event) -> bytes:
    """The event's frame for GET /events. A live-only event has no `id`, so that Last-Event-ID is a stored one's."""
    number = b"" if event.type in LIVE_ONLY else b"id: %d\n" % event.seq
    return b"%sevent: %s\ndata: %s\n\n" % (number, event.type.encode(), orjson.dumps(event.model_dump()))
