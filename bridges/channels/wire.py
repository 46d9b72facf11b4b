"""HTTP calls to a chat service: JSON in and out; every failure is a ChannelFailure. It knows no particular service.

Error texts never contain the URL, since Telegram's includes the token.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from agentd.apps.channels.port import ChannelFailure, Delivery, Document
from agentd.errors import InvalidRequest
from bridges.hosted import retry_after

TIMEOUT_S = 20.0
AT_ONCE = 16
"""Maximum number of connections."""
LONGEST = 8 * 1024 * 1024
"""The longest answer in bytes; a hundred of Telegram's updates, the most of one answer, have at most 2 MB."""
LONGEST_WAIT_S = 3600.0


class Answered(NamedTuple):
    """An HTTP status with the JSON object of the body (empty if it has none), and how long the service asks to wait."""

    status: int
    body: dict[str, Any]
    retry_after_s: float | None


class File(NamedTuple):
    """A file to upload: its form field, name, content and media type."""

    field: str
    name: str
    content: bytes
    media_type: str


class Wire:
    """An HTTP client for one service."""

    def __init__(self, base: str, headers: Mapping[str, str] | None = None) -> None:
        self._base = base.rstrip("/")
        self._headers = headers
        self._session: aiohttp.ClientSession | None = None

    async def call(
        self, path: str, *, method: str = "POST", timeout_s: float = TIMEOUT_S, file: File | None = None, **content: Any
    ) -> Answered:
        """Send one request; `content` goes to aiohttp (json, data, params). Raises ChannelFailure if none answers."""
        if self._session is None:
            connections = aiohttp.TCPConnector(limit=AT_ONCE)
            self._session = aiohttp.ClientSession(
                connector=connections,
                headers={"Accept-Encoding": "identity", **(self._headers or {})},
                auto_decompress=False,
                proxy=_proxy(self._base),
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
                body = await _json(response)
                return Answered(response.status, body, _wait_s(response.headers, body))
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            never_left = isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | ValueError)
            raise ChannelFailure(f"no answer: {type(error).__name__}", answered=never_left) from None

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


async def upload(field: str, document: Document) -> File:
    """Read a document for the form's `field`. Raises ChannelFailure."""
    try:
        content = await asyncio.to_thread(Path(document.path).read_bytes)
    except OSError as error:
        raise ChannelFailure(f"the file can't be read: {error.strerror}", final=True) from None
    return File(field, document.name, content, document.media_type)


def delivered(delivery: Delivery) -> Any:
    """The JSON of a webhook's delivery. Raises InvalidRequest."""
    try:
        return json.loads(delivery.body)
    except (ValueError, RecursionError):
        raise InvalidRequest("The body is not JSON") from None


def _wait_s(headers: Mapping[str, str], body: dict[str, Any]) -> float | None:
    """The seconds of the body's `retry_after` (Telegram) or the header `Retry-After`, at most LONGEST_WAIT_S."""
    parameters = body.get("parameters")
    asked = parameters.get("retry_after") if isinstance(parameters, dict) else None
    wait = retry_after(headers if asked is None else {"Retry-After": str(asked)})
    return None if wait is None else min(wait, LONGEST_WAIT_S)


def _proxy(base: str) -> str | None:
    """Return the environment's proxy for this address; aiohttp would read the environment and ~/.netrc at each call."""
    address = urlsplit(base)
    return None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)


async def _json(response: aiohttp.ClientResponse) -> dict[str, Any]:
    """The body's JSON object; empty if it has none. Raises ClientPayloadError for a body that is too long."""
    try:
        await response.content.readexactly(LONGEST)
    except asyncio.IncompleteReadError as read:
        with suppress(ValueError, RecursionError):
            body = json.loads(read.partial)
            return body if isinstance(body, dict) else {}
        return {}
    raise aiohttp.ClientPayloadError
