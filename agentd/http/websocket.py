"""GET /ws: JSON-RPC over a WebSocket, with the methods of POST /rpc and runs' events as notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson
import structlog
from aiohttp import WSCloseCode, WSMsgType, web

from agentd.errors import AgentdError, Conflict, InvalidRequest
from agentd.http.events import FRAMES, LAST_WORDS_S
from agentd.http.guard import CALLER
from agentd.http.leases import Leases
from agentd.messages import Caller, Event
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import Services
from agentd.rpc.methods.agent import SubscribeParams
from agentd.rpc.wire import error_object

log = structlog.get_logger(__name__)

_MAX_SUBSCRIPTIONS = 64
_GOODBYE_S = 0.5
"""Seconds that a client whose rights have ended gets to close."""


class WebSocketEndpoint:
    """Serves WebSocket connections. Running calls finish even if their client leaves."""

    def __init__(self, dispatcher: Dispatcher, services: Services, leases: Leases) -> None:
        self._leases = leases
        self._dispatcher = dispatcher
        self._services = services
        self._frame = lru_cache(FRAMES)(notification)
        self._sockets: set[web.WebSocketResponse] = set()
        self._calls: set[asyncio.Task[None]] = set()

    async def get(self, request: web.Request) -> web.WebSocketResponse:
        limits = self._services.limits
        socket = web.WebSocketResponse(
            heartbeat=limits.heartbeat_s, max_msg_size=limits.max_body_bytes, compress=False, decode_text=False
        )
        if not socket.can_prepare(request).ok:
            raise InvalidRequest("GET /ws opens a WebSocket: connect to ws://HOST:PORT/ws, with its upgrade headers")
        await socket.prepare(request)
        connection = _Connection(socket, request, self._services, self._frame)
        dispatcher = self._dispatcher.with_acts({"Events.subscribe": connection.subscribe})
        slots = asyncio.Semaphore(limits.ws_calls)
        caller = request[CALLER]
        self._sockets.add(socket)
        try:
            with self._leases.held(request, connection.end) as admitted:
                async for message in socket:
                    if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                        continue
                    await slots.acquire()
                    try:
                        admitted.check()
                    except AgentdError as error:
                        await connection.closed(error)
                        break
                    call = asyncio.create_task(connection.answer(dispatcher, message.data, caller), name="ws.call")
                    self._calls.add(call)
                    call.add_done_callback(self._calls.discard)
                    call.add_done_callback(lambda _: slots.release())
        finally:
            self._sockets.discard(socket)
            connection.stop()
        return socket

    async def close(self, _app: web.Application) -> None:
        """Tell every client that the daemon stops, and cancel the calls that still wait."""
        if self._calls:
            await asyncio.wait(self._calls, timeout=LAST_WORDS_S)
        closing = [socket.close(code=WSCloseCode.GOING_AWAY, message=b"draining") for socket in self._sockets]
        await asyncio.gather(*closing, return_exceptions=True)
        for call in self._calls:
            call.cancel()


@dataclass(eq=False)
class _Connection:
    """One client's connection with its subscriptions."""

    socket: web.WebSocketResponse
    request: web.Request
    services: Services
    frame: Callable[[Event], bytes]
    wanted: list[tuple[SubscribeParams, Caller]] = field(default_factory=list)
    pumps: set[asyncio.Task[None]] = field(default_factory=set)

    async def answer(self, dispatcher: Dispatcher, data: str | bytes, caller: Caller) -> None:
        """Answer one message, then start the subscriptions it asked for, so that events follow the answer."""
        reply = await dispatcher.handle(data, caller)
        if reply.body:
            await self._send(reply.body)
        while self.wanted:
            params, subscriber = self.wanted.pop(0)
            pump = asyncio.create_task(self._pump(params, subscriber), name=f"ws.events {params.run_id}")
            self.pumps.add(pump)
            pump.add_done_callback(self.pumps.discard)

    async def subscribe(self, _services: Services, caller: Caller, params: SubscribeParams) -> dict[str, Any]:
        """Events.subscribe on this connection."""
        if len(self.pumps) + len(self.wanted) >= _MAX_SUBSCRIPTIONS:
            raise Conflict(f"One connection follows at most {_MAX_SUBSCRIPTIONS} runs; open another")
        await self.services.runs.status(params.run_id, caller)
        self.wanted.append((params, caller))
        return {"run_id": params.run_id, "after": params.after}

    def end(self, error: AgentdError) -> None:
        """Start to close the connection because the client's rights have ended."""
        self._ending = asyncio.create_task(self.closed(error), name="ws.end")

    async def closed(self, error: AgentdError) -> None:
        """Stop all subscriptions and close the connection with the error's type as the reason."""
        self.stop()
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(_GOODBYE_S):
                await self.socket.close(code=WSCloseCode.POLICY_VIOLATION, message=error.type.encode(), drain=False)
        if self.request.transport is not None:
            self.request.transport.abort()

    def stop(self) -> None:
        self.wanted.clear()
        for pump in self.pumps:
            pump.cancel()

    async def _pump(self, params: SubscribeParams, caller: Caller) -> None:
        after = params.after
        try:
            async for event in self.services.runs.events(params.run_id, caller, params.after):
                if not await self._send(self.frame(event)):
                    return
                after = event.seq
        except Exception as error:
            # this subscription ends before its run; the client can subscribe again with `after`
            dropped = {"run_id": params.run_id, "after": after, "error": error_object(error)}
            await self._send(orjson.dumps({"jsonrpc": "2.0", "method": "Events.dropped", "params": dropped}))

    async def _send(self, frame: bytes) -> bool:
        """Send a frame. False if the client is gone, or was dropped because it doesn't read."""
        try:
            async with asyncio.timeout(self.services.limits.stall_s):
                await self.socket.send_frame(frame, WSMsgType.TEXT)
        except TimeoutError:
            log.warning("ws.slow_reader_dropped")
            transport = self.request.transport
            if transport is not None:
                transport.abort()
            return False
        except ConnectionError:
            return False
        return True


def notification(event: Event) -> bytes:
    """The event as the JSON-RPC notification that /ws sends."""
    return orjson.dumps({"jsonrpc": "2.0", "method": "Events.event", "params": event.model_dump()})
