"""A bound on the body of an HTTP response, so that no server fills the memory. Neither a client nor a time limit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2


def bound(response: httpx2.Response, limit: int) -> None:
    """Make reading the response's body raise StreamError beyond `limit` bytes."""
    response.stream = _Bounded(response.stream, limit)


class _Bounded(httpx2.AsyncByteStream):
    """The body; reading it raises beyond the limit."""

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
