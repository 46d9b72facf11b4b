"""HTTP connections that can't be held by a request's head that never ends: uvicorn itself waits for ever. No route."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0


class HeadInTime(H11Protocol):
    """A connection ends HEAD_S after its begin, or after its last response, unless a whole head has come.

    Anybody who reaches the port, without a token, could else take all the connections that this process may have.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head is awaited."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def on_response_complete(self) -> None:
        """The next head is awaited; or the rest of a body that nobody read."""
        super().on_response_complete()
        self._await_head()

    def _await_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(HEAD_S, self._end)

    def _end(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
