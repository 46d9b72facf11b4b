"""Calls of a chat service's HTTP API: JSON out, JSON in, every fault a ChannelFailure. It knows no service.

The text of an error never holds an address: Telegram's has the token in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from agentd.apps.channels.port import ChannelFailure

TIMEOUT_S = 20.0
AT_ONCE = 16
"""Connections at most."""


class Answered(NamedTuple):
    """An answer: its HTTP status, and its JSON object (empty where there is none)."""

    status: int
    body: dict[str, Any]


class File(NamedTuple):
    """A file of a form: the form's field for it, and what it is."""

    field: str
    name: str
    content: bytes
    media_type: str


class Wire:
    """One client for one service."""

    def __init__(self, base: str, headers: Mapping[str, str] | None = None) -> None:
        self._base = base.rstrip("/")
        self._headers = headers
        self._session: aiohttp.ClientSession | None = None

    async def call(
        self, path: str, *, method: str = "POST", timeout_s: float = TIMEOUT_S, file: File | None = None, **content: Any
    ) -> Answered:
        """`content` is aiohttp's: json, data, params. Raises ChannelFailure when no answer comes."""
        if self._session is None:
            connections = aiohttp.TCPConnector(limit=AT_ONCE)
            self._session = aiohttp.ClientSession(
                connector=connections, headers=self._headers, proxy=_proxy(self._base)
            )
        if file is not None:
            form = aiohttp.FormData(content.get("data", {}))
            form.add_field(file.field, file.content, filename=file.name, content_type=file.media_type)
            content["data"] = form
        timeout = aiohttp.ClientTimeout(total=3 * timeout_s, sock_read=timeout_s, sock_connect=timeout_s)
        url = self._base + path
        try:
            async with self._session.request(
                method, url, timeout=timeout, allow_redirects=False, **content
            ) as response:
                return Answered(response.status, await _json(response))
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            never_left = isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | ValueError)
            raise ChannelFailure(f"no answer: {type(error).__name__}", answered=never_left) from None

    async def aclose(self) -> None:
        """Close its connections."""
        if self._session is not None:
            await self._session.close()


def _proxy(base: str) -> str | None:
    """The environment's proxy for this address. aiohttp itself would read the environment and ~/.netrc at each call."""
    address = urlsplit(base)
    return None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)


async def _json(response: aiohttp.ClientResponse) -> dict[str, Any]:
    try:
        body = await response.json(content_type=None)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
