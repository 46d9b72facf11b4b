"""The rows and events with which a run ends, or waits for an approval. It decides nothing, and writes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import structlog

from agentd.agent.languages import replies
from agentd.clock import iso
from agentd.errors import Cancelled, InternalError
from agentd.messages import Event, EventType
from agentd.runs.events import EventLog
from agentd.runs.execution import Result
from agentd.runs.records import PendingApproval, RunChanges, RunError, RunRecord

ENDED = frozenset({"completed", "cancelled", "failed"})

log = structlog.get_logger("agentd.runs")


def rests(row: RunRecord) -> bool:
    """Whether a run has ended, or waits for an approval."""
    return row.status in ENDED or row.status == "needs_approval"


def rested(row: RunRecord, result: Result, events: EventLog, now: datetime, ttl_s: float) -> tuple[RunRecord, Event]:
    """The row of a run that came to this result, and its last event. `ttl_s`: seconds that an approval may wait."""
    status = "cancelled" if isinstance(result.error, Cancelled) else result.status
    error = None
    if result.error is not None and status == "failed":
        error = RunError(result.error.type, result.error.message, result.error.data)
    at, outcome, approval = iso(now), {**result.outcome, "status": status}, None
    if result.approval is not None:
        expires_at = iso(now + timedelta(seconds=ttl_s))
        approval = PendingApproval.read({"approval_id": uuid4().hex, **result.approval, "expires_at": expires_at})
        outcome["approval"] = approval.shown()
        last: tuple[EventType, dict[str, Any]] = ("approval.requested", outcome["approval"])
    else:
        finished = {"status": status, "response": outcome.get("response", "")}
        last = ("run.finished", finished | ({"error": error.json()} if error else {}))
    ending = events.next(*last, at)
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
    """The row of a run that was cancelled while it waited: in the queue, or for an approval."""
    event = _next(row, "run.finished", {"status": "cancelled", "response": ""}, now)
    return replace(
        row,
        status="cancelled",
        outcome={**(row.outcome or {}), "status": "cancelled", "approval": None},
        record=None,
        approval=None,
        finished_at=iso(now),
        events=[*(row.events or ()), event.model_dump(mode="json")],
    )


def asking_another(
    row: RunRecord, approval: PendingApproval, now: datetime, ttl_s: float, response: str | None = None
) -> RunChanges:
    """What changes when a run waits on for another person: a new approval id, and its whole time again.

    `response` is what the citizen hears meanwhile (None: the summary).
    """
    renewed = replace(approval, approval_id=uuid4().hex, expires_at=iso(now + timedelta(seconds=ttl_s)))
    event = _next(row, "approval.requested", renewed.shown(), now)
    return {
        "approval": renewed,
        "outcome": {**(row.outcome or {}), "response": response or renewed.summary, "approval": renewed.shown()},
        "events": [*(row.events or ()), event.model_dump(mode="json")],
    }


def _next(row: RunRecord, kind: EventType, data: dict[str, Any], now: datetime) -> Event:
    seq = len(row.events or ()) + 1
    return Event(seq=seq, run_id=row.run_id, session_id=row.session_id, type=kind, at=iso(now), data=data)


def parked_result(row: RunRecord) -> Result:
    """The end of a run that was never seen to finish a step; staff find it in `Agent.list` with `parked`."""
    log.error("run.parked", kind=row.kind)
    message = (
        "parked: the daemon ended again and again while this run was at the same step; "
        "see in the daemon's log what ended it, then let it be asked again"
    )
    user_message = replies()[row.brief.language].parked
    return Result("failed", {}, error=InternalError(message, parked=True, user_message=user_message))
