"""What is under way in this process, and how it ends when the daemon stops: at once, or after its grace where it has
effects. Runs stand in their session's queue: one of a session is under way at a time."""

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
"""How long a cancelled run may take to end when the daemon stops."""


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
    may_begin: asyncio.Event = field(default_factory=asyncio.Event)
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
        """No event follows in this process: release those who follow the run or wait for it."""
        self.log.end()
        self.done.set()


class LiveRuns(dict[str, Live]):
    """Those runs by their id."""

    def __init__(self) -> None:
        self._queues: dict[str, list[tuple[int, str]]] = {}
        """The runs of each session in this process, (turn, run id) in order: the first one's turn it is."""

    def enter(self, row: RunRecord, number: int = 0, past: list[RunRecord] | None = None) -> Live:
        """The run as this process holds it, in its place in the session's queue."""
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
        """Let the run's followers go, and the next run of its session begin."""
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
    """Work of no run that somebody waits for."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], bool] = {}
        """Each with whether it has effects."""
        self._stopping = False

    async def do(self, work: Coroutine[Any, Any, T], *, effects: bool) -> T:
        """The result of the work. Raises Draining when the daemon stops before, and cancels it: after the stop's grace
        where it has effects, else at once."""
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
        """From now on a cancelled work says that the daemon stops; the tasks under way, with their effects."""
        self._stopping = True
        return list(self._tasks.items())


async def let_go(task: asyncio.Task[Any], grace_s: float) -> None:
    """Wait, bounded, until it has ended by itself; then cancel it, and wait once more."""
    await asyncio.wait((task,), timeout=grace_s)
    if not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=SETTLE_S)
