"""One server behind a URL as an MCP transport: the SDK's Streamable HTTP client, with bounds. Starts no process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from agentd.messages import ServerSettings
from bridges.mcp.limits import Limits
from bridges.mcp.reasons import ServerGone
from bridges.mcp.tail import StderrTail

_CONNECT_S = 10.0


class Endpoint:
    """A server that runs elsewhere. `lost` is set by the caller that notices that it is no longer there."""

    def __init__(self, settings: ServerSettings, limits: Limits) -> None:
        self._settings = settings
        self._limits = limits
        self.tail = StderrTail(0)
        self.lost = asyncio.Event()
        self.why = ""

    def give_up(self, why: str) -> None:
        """It can't be used any more."""
        if not self.lost.is_set():
            self.why = why
            self.lost.set()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """Open the client. Reading has no time limit of its own: calls have theirs, the heartbeat finds the dead."""
        limit = self._limits.message_bytes

        async def bound(response: httpx2.Response) -> None:
            if response.status_code in (401, 403):
                raise ServerGone(f"it does not let us in (HTTP {response.status_code}); see its `headers`")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise ServerGone("it sends compressed answers, though asked not to")
            if response.headers.get("content-type", "").lower().startswith("application/json"):
                response.stream = _Bounded(response.stream, limit)

        async with (
            httpx2.AsyncClient(
                headers={"accept-encoding": "identity", **self._settings.headers},
                timeout=httpx2.Timeout(_CONNECT_S, read=None, pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
                event_hooks={"response": [bound]},
            ) as client,
            streamable_http_client(self._settings.url or "", http_client=client, max_sse_event_size=limit) as streams,
        ):
            yield streams


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error, not with the machine's memory."""

    def __init__(self, stream: object, limit: int) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > self._limit:
                raise httpx2.StreamError(f"the answer is longer than {self._limit / 1e6:.1f} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
