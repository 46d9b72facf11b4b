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
            if reader.full():
                self._readers.discard(reader)
                reader.get_nowait()
                reader.put_nowait(None)
            else:
                reader.put_nowait(event)
        return event

    def end(self) -> None:
        """Release the readers once they have read all events; none follows for now."""
        self._ended = True
        for reader in self._readers:
            if reader.full():
                reader.get_nowait()
            reader.put_nowait(None)

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield stored events after `after`, then new ones until the end.

        Raises Busy (with `resume_after` in its data) if the reader is too slow.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue(READER_LIMIT + 1)
        past = self._stored[after:]
        ended = self._ended
        last = after
        if not ended:
            self._readers.add(queue)
        try:
            for event in past:
                last = event.seq
                yield event
            while not ended:
                following = await queue.get()
                if following is None:
                    if self._ended:
                        return
                    raise Busy("the reader was too slow; reattach with after=seq", resume_after=last)
                if following.type in LIVE_ONLY or following.seq > after:
                    last = following.seq
                    yield following
        finally:
            self._readers.discard(queue)
