"""How a run is shown to a caller: its outcome, its error, its line in a list. Pure; who may see it is visibility's."""

from __future__ import annotations

from typing import Any

from agentd.errors import BY_TYPE, AgentdError, InternalError
from agentd.messages import AgentOutcome, Artifact, Caller
from agentd.runs.records import RunRecord
from agentd.runs.visibility import without_paths


def artifacts_in(outcome: dict[str, Any] | None) -> list[Artifact]:
    """A stored outcome's files."""
    return [Artifact.model_validate(value) for value in (outcome or {}).get("artifacts", [])]


def outcome_of(row: RunRecord, caller: Caller) -> AgentOutcome:
    """A run's outcome in the wire form; local paths only for admin."""
    outcome = row.outcome or {}
    if not caller.may():
        outcome = without_paths(outcome, artifacts_in(outcome))
    known = {key: value for key, value in outcome.items() if key in AgentOutcome.model_fields}
    ids = {"run_id": row.run_id, "session_id": row.session_id, "status": row.status}
    return AgentOutcome.model_validate({**known, **ids})


def error_of(row: RunRecord, caller: Caller) -> AgentdError:
    """What failed the run, with its steps."""
    steps = (row.outcome or {}).get("steps", [])
    if not caller.may():
        steps = without_paths(steps, artifacts_in(row.outcome))
    assert row.error is not None, "only a failed run has an error"
    data = {**row.error.data, "steps": steps}
    if fallbacks := (row.outcome or {}).get("fallbacks"):
        data["fallbacks"] = fallbacks
    return BY_TYPE.get(row.error.type, InternalError)(row.error.message, **data)


def summary_of(row: RunRecord, caller: Caller) -> dict[str, Any]:
    """A run as `Agent.list` shows it; the prompt only to its owner and admin."""
    shown = {key: getattr(row, key) for key in ("run_id", "session_id", "kind", "status", "created_at", "finished_at")}
    if row.approval is not None:
        shown["approval"] = row.approval.shown()
    if row.error is not None and row.error.data.get("parked"):
        shown["parked"] = True
    if caller.may() or row.owner == caller.id:
        shown["prompt"] = row.prompt
    return shown


def error_data(error: AgentdError, row: RunRecord) -> dict[str, Any]:
    """The `data` of the error on the wire."""
    ids = {"run_id": row.run_id, "session_id": row.session_id}
    user_message = error.data.get("user_message") or error.user_message(row.brief.language)
    return {"type": error.type, "user_message": user_message, **ids, **error.data}
