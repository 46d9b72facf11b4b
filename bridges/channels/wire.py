"""Calls of a chat service's HTTP API: JSON out, JSON in, every fault a ChannelFailure. It knows no service.

The text of an error never holds an address: Telegram's has the token in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import httpx

from agentd.errors import ChannelFailure

TIMEOUT_S = 20.0


class Answered(NamedTuple):
    """An answer: its HTTP status, and its JSON object (empty where there is none)."""

    status: int
    body: dict[str, Any]


class Wire:
    """One client for one service."""

    def __init__(self, base: str, headers: dict[str, str] | None = None) -> None:
        self._base = base.rstrip("/")
        self._client = httpx.AsyncClient(headers=headers, timeout=TIMEOUT_S, follow_redirects=False)

    async def call(self, path: str, *, method: str = "POST", timeout_s: float = TIMEOUT_S, **content: Any) -> Answered:
        """`content` is httpx's: json, data, files, params. Raises ChannelFailure when no answer comes."""
        try:
            response = await self._client.request(method, self._base + path, timeout=timeout_s, **content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ChannelFailure(f"no answer: {type(error).__name__}") from None
        try:
            body = response.json()
        except ValueError:
            body = {}
        return Answered(response.status_code, body if isinstance(body, dict) else {})

    async def aclose(self) -> None:
        """Close its connections."""
        await self._client.aclose()
