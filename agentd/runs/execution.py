"""What an executor gets of a run, and what it returns. How a run is taken on and kept is the engine's business."""

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
    """What an executor gets: the run's row, its journal, and where it publishes events."""

    row: RunRecord
    journal: Journal
    publish: Publish
    past: list[RunRecord] | None = None
    """All turns of its session before it, the oldest first, where they are known already."""

    def consent(self) -> Consent | None:
        """Publish the human's decision, if there is one: the consent to continue with, or None without a yes."""
        decision = self.row.decision
        if decision is None:
            return None
        self.publish(
            "approval.decided", {key: getattr(decision, key) for key in ("approval_id", "approved", "by", "at")}
        )
        if not decision.approved:
            return None
        pending = (self.row.record or {})["pending"]
        basis = Basis.model_validate(pending["basis"]) if pending.get("basis") else None
        changed = differing(decision.proposed, decision.arguments) if decision.proposed is not None else ()
        return Consent(
            approval_id=decision.approval_id,
            tool=pending["tool"],
            basis=basis and basis.changed(changed),
            arguments=decision.arguments,
            by=decision.by,
            approvals=decision.approvals,
            proposed=decision.proposed,
            by_staff=decision.by_staff,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an executor. `outcome` is the wire form.

    `approval` {tool, arguments, summary, rule} waits for a human, with the `record` to continue from.
    """

    status: str
    outcome: dict[str, Any]
    attempts: int = 0
    error: AgentdError | None = None
    record: dict[str, Any] | None = None
    approval: Json | None = None


Executor = Callable[[RunContext], Awaitable[Result]]
