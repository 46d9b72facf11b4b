"""The numbered events of a run and their readers, in memory. The engine stores them on disk.

Stored events are numbered 1, 2, 3 … without a gap. Live-only events have the number of the last stored one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agentd.errors import Busy
from agentd.messages import LIVE_ONLY, Event, EventType

READER_LIMIT = 2000
"""Events that may wait for one reader. A slower reader is dropped and must reattach with its last seq."""


class EventLog:
    """The events of one run: the stored ones, and a queue for each reader."""

    def __init__(self, run_id: str, session_id: str, stored: list[Event] | None = None) -> None:
        self._run_id = run_id
        self._session_id = session_id
        self._stored = list(stored or ())
        self._readers: set[asyncio.Queue[Event | None]] = set()
        self._ended = False

    @property
    def stored(self) -> tuple[Event, ...]:
        return tuple(self._stored)

    @property
    def followed(self) -> bool:
        return bool(self._readers)

    def numbered(self, kind: EventType, data: dict[str, Any], at: str) -> Event:
        """The event with the number that it would get now; it is not stored."""
        seq = len(self._stored) + (0 if kind in LIVE_ONLY else 1)
        return Event(seq=seq, run_id=self._run_id, session_id=self._session_id, type=kind, at=at, data=data)

    def publish(self, kind: EventType, data: dict[str, Any], at: str) -> Event:
        """Number the event, keep it unless it is live-only, and hand it to every reader."""
        event = self.numbered(kind, data, at)
        if kind not in LIVE_ONLY:
            self._stored.append(event)
        for reader in tuple(self._readers):
            if slow := reader.qsize() > READER_LIMIT:
                self._readers.discard(reader)
            reader.put_nowait(None if slow else event)
        return event

    def end(self) -> None:
        """Release the readers once they have read all events; none follows for now."""
        self._ended = True
        for reader in self._readers:
            reader.put_nowait(None)

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield stored events after `after`, then new ones until the end.

        Raises Busy (with `resume_after` in its data) if the reader is too slow.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        for event in (*self._stored[after:], *([None] if self._ended else ())):
            queue.put_nowait(event)
        self._readers.add(queue)
        last = after
        try:
            while (following := await queue.get()) is not None:
                if following.type in LIVE_ONLY or following.seq > after:
                    last = following.seq
                    yield following
            if queue not in self._readers:
                raise Busy("the reader was too slow; reattach with after=seq", resume_after=last)
        finally:
            self._readers.discard(queue)
