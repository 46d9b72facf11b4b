"""HTTP connections that no head or body that never ends can hold: uvicorn itself waits for ever. It knows no route."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S, BODY_S = 10.0, 30.0


class HeadInTime(H11Protocol):
    """A connection ends HEAD_S after its begin, or after its last response, unless a whole head has come; and BODY_S
    after the head unless the whole body has.

    Anybody who reaches the port, without a token, could else take all the connections that this process may have.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head is awaited."""
        super().connection_made(transport)
        self._await(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def on_response_complete(self) -> None:
        """The next head is awaited; or the rest of a body that nobody read."""
        super().on_response_complete()
        self._await(HEAD_S)

    def _await(self, seconds: float) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(seconds, self._end)

    def handle_events(self) -> None:
        """A head that has come begins the time of its body."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self.cycle.more_body:
            self._await(BODY_S)

    def _end(self) -> None:
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()
