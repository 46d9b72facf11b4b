"""Encodes an event for the wire once, for all its readers. It sends nothing."""

from __future__ import annotations

import orjson

from agentd.messages import LIVE_ONLY, Event

_KEPT = 64


class Frames:
    """Frames of the latest events, by the event object that the runs hand to every reader."""

    def __init__(self) -> None:
        self._frames: dict[tuple[int, bool], tuple[Event, bytes]] = {}

    def sse(self, event: Event) -> bytes:
        """As GET /events sends it. A live-only event has no `id`, so that Last-Event-ID stays at a stored one."""
        return self._frame(event, sse=True)

    def notification(self, event: Event) -> bytes:
        """As /ws sends it: a JSON-RPC notification `Events.event`."""
        return self._frame(event, sse=False)

    def _frame(self, event: Event, *, sse: bool) -> bytes:
        key = (id(event), sse)
        known = self._frames.get(key)
        if known is not None:
            return known[1]
        body = event.model_dump()
        if sse:
            number = b"" if event.type in LIVE_ONLY else b"id: %d\n" % event.seq
            frame = b"%sevent: %s\ndata: %s\n\n" % (number, event.type.encode(), orjson.dumps(body))
        else:
            frame = orjson.dumps({"jsonrpc": "2.0", "method": "Events.event", "params": body})
        if len(self._frames) >= _KEPT:
            del self._frames[next(iter(self._frames))]
        self._frames[key] = (event, frame)  # holding the event keeps its id from being given away
        return frame
