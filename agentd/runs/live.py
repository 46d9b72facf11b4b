"""The runs that this process holds, each in its session's queue: one of a session is under way at a time."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agentd.messages import Event
from agentd.runs.events import EventLog
from agentd.runs.journal import Steps
from agentd.runs.records import RunRecord, StepRecord


@dataclass(slots=True)
class Live:
    """A run that this process is working on, or has in its queue."""

    row: RunRecord
    """As this process wrote or read it last."""
    number: int
    """Of its turn in the session; 0 when the run was taken on by another process."""
    log: EventLog
    past: list[RunRecord] | None = None
    """All turns of its session before it, where they were read when it was taken on."""
    steps: Steps = field(default_factory=Steps)
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is this run's turn in its session."""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when there is nothing to wait for any more in this process."""
    task: asyncio.Task[Any] | None = None
    """Its workflow's, once that has begun."""

    @property
    def begun(self) -> tuple[RunRecord, list[StepRecord], int] | None:
        """What `RunStore.begin` would answer, of a run that was taken on here as running: nothing is recorded yet."""
        return (self.row, [], 0) if self.number and self.row.status == "running" else None

    def let_go(self) -> None:
        """Nothing follows in this process: those who follow it or wait for it are let go."""
        self.log.end()
        self.done.set()


class LiveRuns:
    """Those runs by their id."""

    def __init__(self) -> None:
        self._runs: dict[str, Live] = {}
        self._queues: dict[str, list[tuple[int, str]]] = {}
        """The runs of each session in this process, (turn, run id) in order: the first one's turn it is."""

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Live]:
        return iter(tuple(self._runs.values()))

    def get(self, run_id: str) -> Live | None:
        """The run, if this process has it."""
        return self._runs.get(run_id)

    def ids(self) -> list[str]:
        """All their ids."""
        return list(self._runs)

    def enter(self, row: RunRecord, number: int = 0, past: list[RunRecord] | None = None) -> Live:
        """The run as this process holds it, in its place in the session's queue."""
        live = self._runs.get(row.run_id)
        if live is None:
            stored = [Event.model_validate(value) for value in row.events or ()]
            live = self._runs[row.run_id] = Live(row, number, EventLog(row.run_id, row.session_id, stored), past)
            queue = self._queues.setdefault(row.session_id, [])
            insort(queue, (number, row.run_id))
            if not any(self._runs[waiting].turn.is_set() for _, waiting in queue):
                self._runs[queue[0][1]].turn.set()
        return live

    def leave(self, live: Live) -> None:
        """Let the run's followers go, and the next run of its session begin."""
        row = live.row
        if self._runs.get(row.run_id) is not live:
            return
        del self._runs[row.run_id]
        live.let_go()
        queue = self._queues[row.session_id]
        queue[:] = [place for place in queue if place[1] != row.run_id]
        if queue:
            self._runs[queue[0][1]].turn.set()
        else:
            del self._queues[row.session_id]
