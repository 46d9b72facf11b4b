"""The input and the result of an executor. The engine submits and stores runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agentd.agent.brief import Publish
from agentd.agent.four_eyes import differing
from agentd.errors import AgentdError
from agentd.messages import Basis, Consent
from agentd.ports import Journal
from agentd.runs.records import Json, RunRecord


@dataclass(frozen=True, slots=True)
class RunContext:
    """An executor's input: the run's row, its journal, and the function that publishes events."""

    row: RunRecord
    journal: Journal
    publish: Publish
    past: list[RunRecord] | None = None
    """All earlier turns of its session, oldest first, if they were read already."""

    def consent(self) -> Consent | None:
        """Publish the human's decision, if any, and return the consent; None without a yes."""
        decision = self.row.decision
        if decision is None:
            return None
        shown = {key: getattr(decision, key) for key in ("approval_id", "approved", "by", "at")}
        self.publish("approval.decided", shown)
        if not decision.approved:
            return None
        pending = (self.row.record or {})["pending"]
        basis = Basis.model_validate(pending["basis"]) if pending.get("basis") else None
        changed = differing(decision.proposed, decision.arguments) if decision.proposed is not None else ()
        same = ("approval_id", "arguments", "by", "approvals", "proposed", "by_staff")
        return Consent(
            **{name: getattr(decision, name) for name in same},
            tool=pending["tool"],
            basis=basis and basis.changed(changed),
            labels=pending.get("labels", {}),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """An executor's result. `outcome` is in the wire form.

    `approval` is a call that waits for a human (see `PendingApproval`), and `record` the state to continue from.
    """

    status: str
    outcome: dict[str, Any]
    attempts: int = 0
    error: AgentdError | None = None
    record: dict[str, Any] | None = None
    approval: Json | None = None


Executor = Callable[[RunContext], Awaitable[Result]]
