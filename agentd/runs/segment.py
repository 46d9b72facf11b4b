"""One segment of a run, carried out by its executor under its deadline, published as it goes, kept when it rests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.clock import iso
from agentd.errors import AgentdError, BudgetExceeded, InternalError
from agentd.messages import LIVE_ONLY, Event, EventType
from agentd.ports import Clock
from agentd.runs.cluster import Cluster
from agentd.runs.ending import parked_result, rested
from agentd.runs.execution import Executor, Publish, Result, RunContext
from agentd.runs.journal import StoreJournal, TakenOver
from agentd.runs.live import Live
from agentd.runs.records import RunRecord, StepRecord
from agentd.runs.store import RunStore

Observe = Callable[[RunRecord, Result], None]
"""Hears of each run that rests."""

log = structlog.get_logger("agentd.runs")


@dataclass(frozen=True, slots=True)
class Segments:
    """Carries segments out, with what all of them share."""

    store: RunStore
    executors: Mapping[str, Executor]
    clock: Clock
    cluster: Cluster | None
    deadline_s: float
    approval_ttl_s: float
    draining: Callable[[], bool]
    observe: Observe

    async def run(self, live: Live, recorded: list[StepRecord], *, parked: bool) -> None:
        """Carry the segment out after the steps recorded so far, and keep what it comes to.

        Raises TakenOver; CancelledError when the daemon stops, for then it goes on at the next start.
        """
        row = live.row
        shipping: asyncio.Queue[Event] = asyncio.Queue()

        def publish(kind: EventType, data: dict[str, Any]) -> None:
            if kind in LIVE_ONLY and not live.log.followed:
                return
            at = data.pop("at", None) or iso(self.clock.now())
            event = live.log.publish(kind, data, at)
            if self.cluster is not None and kind not in LIVE_ONLY:
                shipping.put_nowait(event)

        if not live.log.stored:
            started = {"kind": row.kind, "prompt_length": len(row.prompt), "at": row.created_at}
            publish("run.started", started)
        fence = None if self.cluster is None else self.cluster.holds
        journal = StoreJournal(self.store, row, recorded, live.steps, fence)
        context = RunContext(row, journal, publish, live.past)
        deadline_s = row.brief.deadline_s or self.deadline_s
        late = BudgetExceeded(f"the run used up its {deadline_s:g} s")
        timer = asyncio.get_running_loop().call_later(deadline_s, live.steps.stop, late)
        try:
            with structlog.contextvars.bound_contextvars(run_id=row.run_id, session_id=row.session_id):
                async with self._shown_to_others(row.run_id, shipping):
                    result = parked_result(row) if parked else await self._carried_out(context)
        finally:
            timer.cancel()
        if self.draining() and result.error is not None and live.steps.stopped is None:
            raise asyncio.CancelledError  # the stop may be why it failed: it goes on at the next start
        live.steps.acting = True
        await self._keep(result, live, publish)

    @asynccontextmanager
    async def _shown_to_others(self, run_id: str, shipping: asyncio.Queue[Event]) -> AsyncIterator[None]:
        """Within it, the run's stored events go to the other nodes of a cluster as they come."""
        if self.cluster is None:
            yield
            return
        shipper = asyncio.create_task(self._ship(run_id, shipping), name=f"ship {run_id}")
        try:
            yield
        finally:
            shipper.cancel()

    async def _ship(self, run_id: str, shipping: asyncio.Queue[Event]) -> None:
        while True:
            batch = [await shipping.get()]
            while not shipping.empty():
                batch.append(shipping.get_nowait())
            with suppress(OSError, SQLAlchemyError):
                await self.store.add_events(run_id, batch)

    async def _carried_out(self, context: RunContext) -> Result:
        try:
            return await self.executors[context.row.kind](context)
        except TakenOver:
            raise
        except AgentdError as error:
            return Result("failed", {}, error=error)
        except Exception as error:
            log.exception("run.broke", kind=context.row.kind, error=type(error).__name__)
            return Result("failed", {}, error=InternalError("the run broke; the daemon's log says where"))

    async def _keep(self, result: Result, live: Live, publish: Publish) -> None:
        """Write the result where it lasts, then tell it: nobody hears of an end that could be lost.

        Raises TakenOver.
        """
        now = self.clock.now()
        row, ending = rested(live.row, result, live.log, now, self.approval_ttl_s)
        if not await self.store.finish(row, iso(now)):
            raise TakenOver(row.run_id)
        live.row = row
        publish(ending.type, {**ending.data, "at": ending.at})
        self.observe(live.row, result)
