"""GET /events?run_id=… and /events/RUN_ID: a run's events as Server-Sent Events, resumable at any. It keeps none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import orjson
from aiohttp import hdrs, web

from agentd.errors import AgentdError, Busy, InvalidParams
from agentd.http.guard import CALLER
from agentd.http.leases import Leases
from agentd.messages import LIVE_ONLY, Event
from agentd.rpc.methods.events import SubscribeParams
from agentd.rpc.params import ParamsReader
from agentd.rpc.services import Services
from agentd.rpc.wire import error_object

ENDED = frozenset({"completed", "cancelled", "failed"})
_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Accel-Buffering": "no",
}
_READ = ParamsReader(SubscribeParams)
LAST_WORDS_S = 1.0
"""How long a stop lets streams and calls under way say their last."""
_FLUSH_S = 30.0
"""How long a dropped reader may take to read what was already under way to it."""


class EventsEndpoint:
    """Streams events to any number of readers; a reader that stalls is dropped and may resume."""

    def __init__(self, services: Services, frames: Frames, leases: Leases) -> None:
        self._leases = leases
        self._runs = services.runs
        self._limits = services.limits
        self._frames = frames
        self._streams: set[asyncio.Task[Any]] = set()

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Stream from `after` (or Last-Event-ID) to the run's end; 204 when that was already seen, so that a browser's
        EventSource stops asking."""
        caller = request[CALLER]
        params = _params(request)
        state = await self._runs.get(params.run_id, caller)
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        ended: list[AgentdError] = []

        def end(error: AgentdError) -> None:
            ended.append(error)
            task.cancel()

        try:
            with self._leases.held(request, end):
                async with aclosing(_Ahead(self._runs.events(params.run_id, caller, params.after))) as ahead:
                    if state["status"] in ENDED and await ahead.peek(None) and ahead.finished:
                        return web.Response(status=204)
                    return await self._stream(request, ahead, params.after, ended)
        except asyncio.CancelledError:
            if not ended:
                raise
            task.uncancel()
            raise ended[0] from None
        finally:
            self._streams.discard(task)

    async def close(self, _app: web.Application) -> None:
        """End every stream; readers resume at the next daemon. Those of runs that were let go end by themselves."""
        if self._streams:
            await asyncio.wait(self._streams, timeout=LAST_WORDS_S)
        for task in self._streams:
            task.cancel()

    async def _stream(
        self, request: web.Request, ahead: _Ahead, after: int, ended: list[AgentdError]
    ) -> web.StreamResponse:
        """`ended` gets the reason when the reader's rights end meanwhile; the task is then cancelled."""
        response = web.StreamResponse(headers=_HEADERS)
        response.force_close()  # one stream a connection: its end is the connection's
        await response.prepare(request)
        try:
            await self._write(response, b"retry: 1000\n\n")
            while True:
                if not await ahead.peek(self._limits.heartbeat_s):
                    await self._write(response, b": waiting\n\n")
                    continue
                event = ahead.take()
                if event is None:
                    break
                await self._write(response, self._frames.sse(event))
                after = event.seq
        except _ReaderGone:
            return response  # the run goes on
        except _ReaderStalled:
            _drop(request, response, dropped_frame(slow_reader(after), after))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not ended or task is None:
                raise
            task.uncancel()  # its rights have ended: nothing more goes out but why
            _drop(request, response, dropped_frame(ended[0], after))
        except Exception as error:  # of the runs: the headers are sent, so that it can only be said here
            await response.write(dropped_frame(error, after))
        return response

    async def _write(self, response: web.StreamResponse, frame: bytes) -> None:
        try:
            async with asyncio.timeout(self._limits.stall_s):
                await response.write(frame)
        except TimeoutError:
            raise _ReaderStalled from None
        except ConnectionError:
            raise _ReaderGone from None


class _ReaderGone(Exception):
    """The reader closed its connection."""


class _ReaderStalled(Exception):
    """The reader left its socket full for too long."""


class _Ahead:
    """An iterator of events that can be waited for without losing the event when the wait is over first."""

    def __init__(self, events: AsyncIterator[Event]) -> None:
        self._events = events
        self._next: asyncio.Task[Event | None] | None = None

    async def peek(self, timeout_s: float | None) -> bool:
        """True when the next event (or the end) is there within the time."""
        if self._next is None:
            self._next = asyncio.create_task(self._advance(), name="events.next")
        if not self._next.done():
            await asyncio.wait((self._next,), timeout=timeout_s)
        return self._next.done()

    @property
    def finished(self) -> bool:
        """True when what was peeked is the end."""
        return self._next is not None and self._next.done() and self._next.result() is None

    def take(self) -> Event | None:
        """The event peeked, None at the end. Raises what the runs raised."""
        assert self._next is not None
        done, self._next = self._next, None
        return done.result()

    async def aclose(self) -> None:
        """Stop waiting and let the runs forget this reader."""
        if self._next is not None and not self._next.done():
            self._next.cancel()
            await asyncio.wait((self._next,))
        close = getattr(self._events, "aclose", None)
        if close is not None:
            await close()

    async def _advance(self) -> Event | None:
        return await anext(self._events, None)


def slow_reader(after: int) -> AgentdError:
    """Why a reader that stalls is dropped, and where it may resume."""
    return Busy(
        f"The stream was dropped because its reader was too slow; resume with after={after}",
        resume_after=after,
        retry_after_s=1,
    )


def dropped_frame(error: BaseException, after: int) -> bytes:
    """The last frame of a stream that ends before its run: `event: error`, with `resume_after` in the error's data."""
    shown = error_object(error)
    shown["data"].setdefault("resume_after", after)
    return b"event: error\ndata: %s\n\n" % orjson.dumps(shown)


def _drop(request: web.Request, response: web.StreamResponse, frame: bytes) -> None:
    """Leave the frame in the socket's buffer, close behind it, and don't wait for ever."""
    transport = request.transport
    if transport is None or transport.is_closing():
        return
    # aiohttp chooses chunks by itself, and says so in the header alone
    chunked = "chunked" in response.headers.get(hdrs.TRANSFER_ENCODING, "")
    transport.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(frame), frame) if chunked else frame)
    transport.close()
    asyncio.get_running_loop().call_later(_FLUSH_S, transport.abort)


def _params(request: web.Request) -> SubscribeParams:
    query = request.query
    given: dict[str, Any] = {name: query[name] for name in ("run_id", "after") if name in query}
    for name in set(query) - {"run_id", "after"}:
        if name == "session_key":
            raise InvalidParams("Invalid params: session_key never stands in an address; send Agentd-Session-Key")
        given[name] = query[name]
    if "run_id" in request.match_info:
        given["run_id"] = request.match_info["run_id"]
    last = request.headers.get("Last-Event-ID")
    if last:  # a browser that reconnects asks the first address again, with the header telling how far it came
        given["after"] = last
    if "after" in given:
        try:
            given["after"] = int(given["after"])
        except ValueError:
            raise InvalidParams("Invalid params: after (or Last-Event-ID) must be a number", field="after") from None
    return _READ(given)


_KEPT = 64


class Frames:
    """Frames of the latest events, by the event object that the runs hand to every reader."""

    def __init__(self) -> None:
        self._frames: dict[tuple[int, bool], tuple[Event, bytes]] = {}

    def sse(self, event: Event) -> bytes:
        """As GET /events sends it. A live-only event has no `id`, so that Last-Event-ID stays at a stored one."""
        return self._frame(event, sse=True)

    def notification(self, event: Event) -> bytes:
        """As /ws sends it: a JSON-RPC notification `Events.event`."""
        return self._frame(event, sse=False)

    def _frame(self, event: Event, *, sse: bool) -> bytes:
        key = (id(event), sse)
        known = self._frames.get(key)
        if known is not None:
            return known[1]
        body = event.model_dump()
        if sse:
            number = b"" if event.type in LIVE_ONLY else b"id: %d\n" % event.seq
            frame = b"%sevent: %s\ndata: %s\n\n" % (number, event.type.encode(), orjson.dumps(body))
        else:
            frame = orjson.dumps({"jsonrpc": "2.0", "method": "Events.event", "params": body})
        if len(self._frames) >= _KEPT:
            del self._frames[next(iter(self._frames))]
        self._frames[key] = (event, frame)  # holding the event keeps its id from being given away
        return frame
