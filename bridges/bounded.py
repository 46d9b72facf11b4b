"""A bound on the body of an HTTP response, so that no server fills the memory. Neither a client nor a time limit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2


def bound(response: httpx2.Response, limit: int) -> None:
    """Make reading the response's body raise StreamError beyond `limit` bytes. A response of httpx will do, too."""
    kinds = type(response.stream).__mro__  # each client reads only a stream of its own kind
    kind = next(one for one in kinds if one.__name__ == "AsyncByteStream")
    response.stream = type("Bounded", (_Bounded, kind), {})(response.stream, limit)


class _Bounded:
    """The body; reading it raises beyond the limit."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
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
