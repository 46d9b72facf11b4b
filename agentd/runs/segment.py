"""Executes one segment of a run under its deadline, publishes its events and stores the result: the rows and events
with which a run ends or waits for an approval."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.agent.brief import Publish
from agentd.agent.languages import replies
from agentd.clock import iso
from agentd.errors import AgentdError, BudgetExceeded, Cancelled, InternalError
from agentd.installed import advice
from agentd.messages import LIVE_ONLY, Event, EventType
from agentd.ports import Clock
from agentd.runs.cluster import EngineLimits, Node
from agentd.runs.events import EventLog
from agentd.runs.execution import Executor, Result, RunContext
from agentd.runs.journal import StoreJournal, TakenOver
from agentd.runs.live import Live
from agentd.runs.records import PendingApproval, RunError, RunRecord, StepRecord
from agentd.runs.store import RunStore
from hardening.tasks import beside

Observe = Callable[[RunRecord, Result], None]
"""Called for each run that has ended or waits for an approval."""

log = structlog.get_logger("agentd.runs")


@dataclass(eq=False)
class Segments:
    """Executes segments: the part of the engine that knows no queue and no workflow."""

    store: RunStore
    node: Node
    executors: Mapping[str, Executor]
    clock: Clock
    limits: EngineLimits = field(default_factory=EngineLimits)
    observe: Observe = lambda *_: None
    draining: bool = field(default=False, init=False)
    """Whether the daemon is stopping."""

    async def run_segment(self, live: Live, recorded: list[StepRecord], *, parked: bool) -> None:
        """Execute the segment after the steps recorded so far, and store its result.

        Raises TakenOver, and CancelledError when the daemon stops: the run then continues at the next start.
        """
        row, cluster = live.row, self.node.cluster
        shipping: asyncio.Queue[Event] = asyncio.Queue()

        def publish(kind: EventType, data: dict[str, Any]) -> None:
            if kind in LIVE_ONLY and not live.log.followed:
                return
            at = data.pop("at", None) or iso(self.clock.now())
            event = live.log.publish(kind, data, at)
            if cluster is not None and kind not in LIVE_ONLY:
                shipping.put_nowait(event)

        if not live.log.stored:
            started = {"kind": row.kind, "prompt_length": len(row.prompt), "at": row.created_at}
            publish("run.started", started)
        shipper = nullcontext() if cluster is None else beside(ship=self._ship(row.run_id, shipping))
        fence = None if cluster is None else cluster.holds
        journal = StoreJournal(self.store, row, recorded, live.steps, fence)
        context = RunContext(row, journal, publish, live.past)
        deadline_s = row.brief.deadline_s or self.limits.deadline_s
        late = BudgetExceeded(f"the run used up its {deadline_s:g} s (`deadline_s` of {row.brief.deadline_of})")
        timer = asyncio.get_running_loop().call_later(deadline_s, live.steps.stop, late)
        try:
            with structlog.contextvars.bound_contextvars(run_id=row.run_id, session_id=row.session_id):
                async with shipper:
                    result = parked_result(row) if parked else await self._carried_out(context)
        finally:
            timer.cancel()
        if self.draining and result.error is not None and live.steps.stopped is None:
            raise asyncio.CancelledError  # perhaps the stop made it fail: it continues at the next start
        if (reason := live.steps.stopped) is not None and result.approval is not None:
            result = replace(result, status="failed", error=reason, approval=None)
        live.steps.acting = True
        await self._keep(result, live, publish)

    async def _ship(self, run_id: str, shipping: asyncio.Queue[Event]) -> None:
        """Store the run's new events in batches for the other nodes of the cluster."""
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
            if (how := advice(error)) is None:
                log.exception("run.broke", kind=context.row.kind, error=type(error).__name__)
            return Result("failed", {}, error=InternalError(how or "the run broke; the daemon's log says where"))

    async def _keep(self, result: Result, live: Live, publish: Publish) -> None:
        """Store the result durably before it is published, so that no client sees an end that could be lost.

        Raises TakenOver.
        """
        now = self.clock.now()
        row, ending = rested(live.row, result, live.log, now, self.limits.approval_ttl_s)
        if not await self.store.finish(row, iso(now)):
            raise TakenOver(row.run_id)
        live.row = row
        publish(ending.type, {**ending.data, "at": ending.at})
        self.observe(live.row, result)


ENDED = frozenset({"completed", "cancelled", "failed"})


def rests(row: RunRecord) -> bool:
    """Whether a run has ended or waits for an approval."""
    return row.status in ENDED or row.status == "needs_approval"


def rested(row: RunRecord, result: Result, events: EventLog, now: datetime, ttl_s: float) -> tuple[RunRecord, Event]:
    """The run's row with this result, and its last event. An approval may wait `ttl_s` seconds."""
    status = "cancelled" if isinstance(result.error, Cancelled) else result.status
    error = None
    if result.error is not None and status == "failed":
        error = RunError(**result.error.json())
    at, outcome, approval = iso(now), {**result.outcome, "status": status}, None
    if result.approval is not None:
        expires_at = iso(now + timedelta(seconds=ttl_s))
        approval = PendingApproval.read({"approval_id": uuid4().hex, **result.approval, "expires_at": expires_at})
        outcome["approval"] = approval.shown()
        last: tuple[EventType, dict[str, Any]] = ("approval.requested", outcome["approval"])
    else:
        finished = {"status": status, "response": outcome.get("response", "")}
        last = ("run.finished", finished | ({"error": error.json()} if error else {}))
    ending = events.numbered(*last, at)
    return replace(
        row,
        status=status,
        outcome=outcome,
        error=error,
        record=result.record if approval is not None else None,
        approval=approval,
        finished_at=at if status in ENDED else None,
        events=[event.model_dump(mode="json") for event in (*events.stored, ending)],
        attempts=result.attempts,
    ), ending


def closed(row: RunRecord, now: datetime) -> RunRecord:
    """The row of a run that was cancelled while it was queued or waited for an approval."""
    ending = {"status": "cancelled", "response": ""}
    return replace(
        _with_event(row, "run.finished", ending, now),
        status="cancelled",
        outcome={**(row.outcome or {}), "status": "cancelled", "approval": None},
        record=None,
        approval=None,
        finished_at=iso(now),
    )


def asking_another(
    row: RunRecord, approval: PendingApproval, now: datetime, ttl_s: float, response: str | None = None
) -> RunRecord:
    """The row of a run that now waits for another person, with a new approval id and expiry.

    `response` is what the citizen reads meanwhile (None: the summary).
    """
    renewed = replace(approval, approval_id=uuid4().hex, expires_at=iso(now + timedelta(seconds=ttl_s)))
    return replace(
        _with_event(row, "approval.requested", renewed.shown(), now),
        approval=renewed,
        segment=row.segment + 1,  # so that only one of several simultaneous decisions succeeds
        outcome={**(row.outcome or {}), "response": response or renewed.summary, "approval": renewed.shown()},
    )


def _with_event(row: RunRecord, kind: EventType, data: dict[str, Any], now: datetime) -> RunRecord:
    events = row.events or []
    event = Event(seq=len(events) + 1, run_id=row.run_id, session_id=row.session_id, type=kind, at=iso(now), data=data)
    return replace(row, events=[*events, event.model_dump(mode="json")])


def parked_result(row: RunRecord) -> Result:
    """The failed result of a run whose step repeatedly never finished; `Agent.list` with `parked` shows it to staff."""
    log.error("run.parked", kind=row.kind)
    message = (
        "parked: the daemon ended again and again while this run was at the same step; "
        "see in the daemon's log what ended it, then let it be asked again"
    )
    user_message = replies()[row.brief.language].parked
    return Result("failed", {}, error=InternalError(message, parked=True, user_message=user_message))
