"""Durable runs of any kind on DBOS: submits, queues by session, executes, recovers, stops and follows them. A run's
executor (the agent's loop, the analytics workflow, the graph question) does the work.

Each segment of a run is a DBOS workflow: from the start or an approval to the end or the next approval.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.clock import iso
from agentd.errors import Busy, Cancelled, Conflict, Draining, InvalidParams
from agentd.messages import Event
from agentd.runs.cluster import mark_of
from agentd.runs.journal import TakenOver
from agentd.runs.live import Live, LiveRuns, Stoppable, let_go
from agentd.runs.records import PendingApproval, RunRecord, SessionRecord
from agentd.runs.run_database import usable
from agentd.runs.segment import ENDED, Segments, asking_another, closed, rests
from agentd.runs.store import Opening

FOLLOW_S = 0.1
"""Seconds between two reads of the events of another node's run."""

log = structlog.get_logger("agentd.runs")


@dataclass(eq=False)
class Engine(Segments):
    """The daemon's runs. Use it as `async with` inside the running loop; entering starts the recovery."""

    def __post_init__(self) -> None:
        self._live = LiveRuns()
        self._slots = asyncio.Semaphore(self.limits.concurrency)
        self._arriving = 0
        """Runs that are being added; without them, all that come at once would pass the limit."""
        self.others = Stoppable()
        """Work outside runs that also ends when the daemon stops."""

    async def __aenter__(self) -> Engine:
        from agentd.runs.workflows import Workflows

        with usable(self.node.database):
            self.workflows = await asyncio.to_thread(Workflows, self.node, self._execute)
            await self.workflows.launch(self._stop, lambda: list(self._live))
        if self.node.cluster is None:
            for row in await self.store.open_runs():
                await self._begin(row)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop without losing anything: unfinished runs continue at the next start."""
        await self.leave(0.0)
        await self.workflows.destroy()

    async def leave(self, grace_s: float) -> None:
        """Release every run as a kill would, but give calls with effects `grace_s` to end and be recorded.

        Nothing that the stop causes is recorded. Callers that wait for a run get Draining at once; the event streams
        of followers end.
        """
        if self.draining:
            return
        self.draining = True
        begun = list(self._live)
        for live in self._live.values():
            live.steps.leave()
            live.let_go()
        tasks = [(live.task, live.steps.acting) for live in self._live.values() if live.task is not None]
        tasks += self.others.stop()
        await asyncio.gather(*(let_go(task, grace_s if acting else 0.0) for task, acting in tasks))
        with suppress(Busy, OSError, SQLAlchemyError):
            await self.store.stopped(begun)

    @property
    def cluster(self) -> dict[str, Any] | None:
        """The node's name and clock skew against the database, or None without a cluster."""
        if self.node.cluster is None:
            return None
        return {"node": self.node.name, "clock_skew_s": self.node.cluster.clock_skew_s}

    @property
    def active(self) -> int:
        """The number of runs queued or running in this process."""
        return len(self._live)

    async def submit(
        self, row: RunRecord, key_hash: str | None = None, opening: Opening | None = None
    ) -> RunRecord | None:
        """Submit a run; returns the existing row if its run_id is taken, else None. `key_hash` is for a session that
        begins with it, `opening` what was read of its session. Raises Busy or Draining."""
        if self.draining:
            raise Draining()
        waiting = len(self._live) if self.node.cluster is None else await self.store.queued()
        waiting += self._arriving
        if waiting >= self.limits.queue_limit:
            raise Busy(f"{waiting} runs wait already", retry_after_s=1.0)
        free = self.node.cluster is None and len(self._live) < self.limits.concurrency
        opened = SessionRecord(row.session_id, row.owner, row.created_at, row.created_at, key_hash=key_hash)
        self._arriving += 1
        try:
            taken, number = await self.store.add_run(row, opened, mark_of(self.node.name) if free else None)
        finally:
            self._arriving -= 1
        if not number:
            return taken
        await self._begin(taken, number, (opening or Opening()).before(number))
        return None

    async def go_on(self, row: RunRecord, decided: RunRecord) -> None:
        """Continue a run after its approval with the next segment. Raises Conflict if it does not wait."""
        self.check_open(row)
        following = replace(decided, status="queued", segment=row.segment + 1)
        await self._change(row, following)
        await self._begin(following)

    async def ask_another(
        self,
        row: RunRecord,
        decided: RunRecord,
        approval: PendingApproval,
        response: str | None = None,
        ttl_s: float | None = None,
    ) -> None:
        """Make a waiting run wait for another person, with a new approval id and expiry.

        `response` is what the citizen reads meanwhile (default: the summary). Raises Conflict if it does not wait.
        """
        ttl_s = ttl_s or self.limits.approval_ttl_s
        await self._change(row, asking_another(decided, approval, self.clock.now(), ttl_s, response))

    async def _change(self, row: RunRecord, after: RunRecord) -> None:
        if row.status != "needs_approval" or not await self.store.change(row, after):
            raise Conflict("the run does not wait for an approval")

    def check_open(self, row: RunRecord) -> None:
        """Raises Draining, with the run's ids, if the daemon is stopping: no decision is taken then."""
        if self.draining:
            raise Draining(run_id=row.run_id, session_id=row.session_id)

    async def wait(self, run_id: str) -> RunRecord | None:
        """Wait until the run has ended or waits for an approval; returns its row. Raises Draining on a stop."""
        pause = 0.01
        while True:
            live = self._live.get(run_id)
            if live is not None:
                await live.done.wait()
            row = live.row if live is not None and rests(live.row) else await self.store.run(run_id)
            if row is None or rests(row):
                return row
            if self.draining:
                message = "the daemon is stopping; the run goes on after its next start, and can be asked for by its id"
                raise Draining(message, run_id=run_id, session_id=row.session_id)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.5)

    async def cancel(self, run_id: str) -> None:
        """Stop a run within its step. Raises Conflict if it has ended."""
        while True:  # the run's status may change between the read and the write
            row = await self.store.run(run_id)
            if row is None or row.status in ENDED:
                raise Conflict("the run has ended already")
            if await self.store.change(row, replace(row, status="cancelled")):
                break
        live = self._live.get(run_id)
        self._stop(run_id)
        if row.status != "running" or (live is not None and live.task is None):
            await self._close(run_id)
        elif live is not None:
            await live.done.wait()
        else:
            await self._cancelled_elsewhere(run_id)

    def _stop(self, run_id: str) -> None:
        """End the current step of a cancelled run if it is in this process."""
        if (live := self._live.get(run_id)) is not None:
            live.steps.stop(Cancelled("the run was cancelled"))

    async def _cancelled_elsewhere(self, run_id: str) -> None:
        """Wait up to 2 s until the node that has the run has noticed the cancel."""
        for _ in range(40):
            row = await self.store.run(run_id)
            if row is None or row.finished_at is not None:
                return
            await asyncio.sleep(0.05)

    async def events(self, run_id: str, after: int) -> AsyncIterator[Event]:
        """Yield stored events after `after`, then new ones until the run ends or waits for an approval."""
        if (live := self._live.get(run_id)) is not None:
            async for event in live.log.follow(after):
                yield event
            return
        row = await self.store.run(run_id)
        while self.node.cluster is not None and not self.draining and row is not None and not rests(row):
            for event in await self.store.events_after(run_id, after):
                after = event.seq
                yield event
            await asyncio.sleep(FOLLOW_S)
            row = await self.store.run(run_id)
        if self.draining and row is not None and not rests(row):
            return  # the reader reconnects to the next daemon
        stored = (row and row.events) or []
        if row is not None and row.status in ENDED and after > len(stored):
            raise InvalidParams(f"`after` is {after}, beyond the run's last event {len(stored)}", field="after")
        for value in stored[after:]:
            yield Event.model_validate(value)

    async def _begin(self, row: RunRecord, number: int = 0, past: list[RunRecord] | None = None) -> None:
        """Start the workflow of the run's segment, or join the one that exists."""
        if self.node.cluster is None:
            self._entered(row, number, past)
        await self.workflows.begin(row)

    def _entered(self, row: RunRecord, number: int = 0, past: list[RunRecord] | None = None) -> Live:
        live = self._live.enter(row, number, past)
        if self.draining:
            live.let_go()
        return live

    async def _execute(self, run_id: str, segment: int) -> str:
        """The workflow: wait for the run's turn in its session, then execute one segment.

        When the daemon stops, it ends cancelled, so that DBOS treats it as unfinished, as after a kill.
        """
        if self.draining:
            raise asyncio.CancelledError
        live = self._live.get(run_id)
        if live is not None and live.row.segment > segment:
            return "over"  # recovered after a kill, but the run has continued since
        if live is not None and live.task is not None:
            await let_go(live.task, 0.0)  # it was taken over while this process was suspended, and came back
            live = None
        if live is None or live.row.segment != segment:
            row = await self.store.run(run_id)
            if row is None or row.segment != segment or rests(row):
                return "over"
            live = self._entered(row)
        live.task = asyncio.current_task()
        try:
            await live.may_begin.wait()
            async with self._slots:
                if begun := live.begun or await self.store.begin(run_id, mark_of(self.node.name)):
                    live.row, recorded, recoveries = begun
                    await self.run_segment(live, recorded, parked=recoveries >= self.limits.max_recoveries)
        except TakenOver:
            log.warning("run.taken_over", run_id=run_id)
        finally:
            self._live.leave(live)
        return "done"

    async def _close(self, run_id: str) -> None:
        """End a run that was cancelled while it was queued or waited for an approval."""
        row = await self.store.run(run_id)
        if row is None:
            return
        now = self.clock.now()
        await self.store.finish(closed(row, now), iso(now))
        if (live := self._live.get(run_id)) is not None:
            self._live.leave(live)
