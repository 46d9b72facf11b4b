"""The effect of the loop, from the states of one configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from servers.text2cypher.core.agent_state import AgentState, ErrorType


def agentic_metrics(states: Sequence[AgentState]) -> dict[str, Any]:
    """avg_iterations, first_attempt_success_rate, recovery_rate, error_recovery_by_type (type → rate), and counts.

    The counts are `initially_failed` questions and `errors_by_type`. A question counts once per error type of its
    attempts; it recovered if it ended valid; one without an answer has no failed first attempt. Rates are between 0 and
    1, and 0 if nothing failed.
    """
    total = len(states)
    first_success = sum(state.first_attempt_valid for state in states)
    failed_first = [state for state in states if state.attempts and not state.first_attempt_valid]
    by_type = {
        kind: [state for state in states if any(attempt.error_type is kind for attempt in state.attempts)]
        for kind in ErrorType
    }
    return {
        "avg_iterations": sum(state.total_iterations for state in states) / total if total else 0.0,
        "first_attempt_success_rate": first_success / total if total else 0.0,
        "recovery_rate": _recovered(failed_first),
        "error_recovery_by_type": {kind.value: _recovered(held) for kind, held in by_type.items() if held},
        "initially_failed": len(failed_first),
        "errors_by_type": {kind.value: len(held) for kind, held in by_type.items() if held},
    }


def _recovered(states: Sequence[AgentState]) -> float:
    return sum(state.success for state in states) / len(states) if states else 0.0
