"""HTTP connections with time limits for head and body, which uvicorn lacks. It knows no routes."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S, BODY_S = 10.0, 30.0


class HeadInTime(H11Protocol):
    """Closes a connection HEAD_S after its start, or after its last response, unless a complete head has arrived; and
    BODY_S after the head unless the complete body has arrived.

    Otherwise anybody who reaches the port, even without a token, could use up this process's connections.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first head."""
        super().connection_made(transport)
        self._await(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def on_response_complete(self) -> None:
        """Start the time limit of the next head, or of the rest of an unread body."""
        super().on_response_complete()
        self._await(HEAD_S)

    def _await(self, seconds: float) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(seconds, self._end)

    def handle_events(self) -> None:
        """Start the time limit of the body once a head has arrived."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self.cycle.more_body:
            self._await(BODY_S)

    def _end(self) -> None:
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()
