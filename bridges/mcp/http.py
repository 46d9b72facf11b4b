"""A server behind a URL as an MCP transport: the SDK's Streamable HTTP client, with bounds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from agentd.messages import ServerSettings
from bridges.bounded import bound
from bridges.mcp.limits import ServerLimits
from bridges.mcp.lines import bounded, broken
from bridges.mcp.reasons import ServerGone

_CONNECT_S = 10.0


@asynccontextmanager
async def opened(settings: ServerSettings, limits: ServerLimits) -> AsyncIterator[tuple[Any, Any]]:
    """Open a client for the server.

    Reading has no timeout: calls have their own, and the heartbeat finds dead servers.
    """

    async def checked(response: httpx2.Response) -> None:
        if response.status_code in (401, 403):
            raise ServerGone(f"it does not let us in (HTTP {response.status_code}); see its `headers`")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ServerGone("it sends compressed answers, though asked not to")
        if response.headers.get("content-type", "").lower().startswith("application/json"):
            bound(response, limits.message_bytes)

    async with (
        httpx2.AsyncClient(
            headers={"accept-encoding": "identity", **settings.headers},
            timeout=httpx2.Timeout(_CONNECT_S, read=None, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            event_hooks={"response": [checked]},
        ) as client,
        streamable_http_client(settings.url or "", http_client=client, max_sse_event_size=limits.message_bytes) as (
            read,
            write,
        ),
    ):
        yield _Bounded(read, limits.noise_lines), write


class _Bounded:
    """The SDK's stream of messages, with an error instead of an answer that has too many parts, and without broken
    notifications; `noise` of them in a row end it."""

    def __init__(self, messages: Any, noise: int) -> None:
        self._messages, self._noise = messages, noise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._messages, name)

    def __aiter__(self) -> _Bounded:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        for _ in range(self._noise):
            item: SessionMessage | Exception = await anext(self._messages)
            if isinstance(item, Exception):
                return item
            if not broken(item.message):
                return SessionMessage(bounded(item.message), item.metadata)
        raise ServerGone("what it sends is not MCP")

    async def __aenter__(self) -> _Bounded:
        await self._messages.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._messages.__aexit__(*raised)
