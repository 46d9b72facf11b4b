"""The runs and other work in this process, and how they end when the daemon stops: at once, or after a grace period if
they have effects. Each session has a queue: only one of its runs executes at a time."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agentd.errors import Draining
from agentd.messages import Event
from agentd.runs.events import EventLog
from agentd.runs.journal import Steps
from agentd.runs.records import RunRecord, StepRecord

T = TypeVar("T")
SETTLE_S = 1.0
"""Seconds that a cancelled run gets to end when the daemon stops."""


@dataclass(slots=True)
class Live:
    """A run that this process executes or has in its queue."""

    row: RunRecord
    """The row as this process last wrote or read it."""
    number: int
    """The number of its turn in the session; 0 if another process submitted the run."""
    log: EventLog
    past: list[RunRecord] | None = None
    """All earlier turns of its session, if they were read when it was submitted."""
    steps: Steps = field(default_factory=Steps)
    may_begin: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is this run's turn in its session."""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when nothing more happens to it in this process."""
    task: asyncio.Task[Any] | None = None
    """Its workflow's task, once that has begun."""

    @property
    def begun(self) -> tuple[RunRecord, list[StepRecord], int] | None:
        """What `RunStore.begin` would return if the run was submitted here as running (no steps yet); else None."""
        return (self.row, [], 0) if self.number and self.row.status == "running" else None

    def let_go(self) -> None:
        """Release those who follow the run or wait for it: this process publishes no more events."""
        self.log.end()
        self.done.set()


class LiveRuns(dict[str, Live]):
    """The live runs by id."""

    def __init__(self) -> None:
        self._queues: dict[str, list[tuple[int, str]]] = {}
        """Each session's runs in this process as sorted (turn, run id); the first one may execute."""

    def enter(self, row: RunRecord, number: int = 0, past: list[RunRecord] | None = None) -> Live:
        """Return the live run; a new one is put into its place in the session's queue."""
        live = self.get(row.run_id)
        if live is None:
            stored = [Event.model_validate(value) for value in row.events or ()]
            live = self[row.run_id] = Live(row, number, EventLog(row.run_id, row.session_id, stored), past)
            queue = self._queues.setdefault(row.session_id, [])
            insort(queue, (number, row.run_id))
            if not any(self[waiting].may_begin.is_set() for _, waiting in queue):
                self[queue[0][1]].may_begin.set()
        return live

    def leave(self, live: Live) -> None:
        """Remove the run: release its followers and let the next run of its session begin."""
        row = live.row
        if self.get(row.run_id) is not live:
            return
        del self[row.run_id]
        live.let_go()
        queue = self._queues[row.session_id]
        queue[:] = [waiting for waiting in queue if waiting[1] != row.run_id]
        if queue:
            self[queue[0][1]].may_begin.set()
        else:
            del self._queues[row.session_id]


class Stoppable:
    """Work outside runs that somebody waits for."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], bool] = {}
        """Task → whether it has effects."""
        self._stopping = False

    async def do(self, work: Coroutine[Any, Any, T], *, effects: bool) -> T:
        """Return the work's result. Raises Draining if the daemon stops first, which cancels the work: at once, or
        after the stop's grace period if it has effects."""
        task = asyncio.create_task(work)
        self._tasks[task] = effects
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            current = asyncio.current_task()
            if self._stopping and not (current is not None and current.cancelling()):
                raise Draining() from None
            raise
        finally:
            del self._tasks[task]

    def stop(self) -> list[tuple[asyncio.Task[Any], bool]]:
        """Make cancelled work raise Draining from now on; returns the running tasks, each with its effects flag."""
        self._stopping = True
        return list(self._tasks.items())


async def let_go(task: asyncio.Task[Any], grace_s: float) -> None:
    """Wait up to `grace_s` for the task to end; then cancel it and wait up to SETTLE_S."""
    await asyncio.wait((task,), timeout=grace_s)
    if not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=SETTLE_S)
