"""Node `generate_error_response`: the answer if the workflow can't answer the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentd.apps.analytics.state import WorkflowState
from agentd.apps.analytics.wording import say_for

_BY_STATUS: dict[str, tuple[str, ...]] = {
    "failed_understanding": ("try_known", "try_naming_time"),
    "failed_planning": ("try_simpler", "try_known"),
    "failed_no_data": ("try_period", "try_names"),
    "failed_critical": ("try_source", "try_period"),
}
_BY_NODE: dict[str, tuple[str, ...]] = {
    "understand_query": ("try_again",),
    "consult_schema": ("try_again",),
    "plan_execution": ("try_simpler",),
    "execute_query": ("try_again", "try_simpler"),
    "validate_results": ("try_period",),
    "replace_placeholders": ("try_again",),
}
"""Keys of the host's phrases (wording/)."""


def generate_error_response(state: WorkflowState, known: Sequence[str] = ()) -> dict[str, Any]:
    """The ErrorResponse for the node that failed, with its own suggestions or those that fit. `known`: questions that
    these books can answer."""
    source = state.get("current_node_name")
    status = state.get("validation_status") or ""
    say = say_for(state["user_query"])
    keys = _BY_STATUS.get(status) or _BY_NODE.get(source or "") or ("try_simpler",)
    suggestions = [say[key].format(known=" ".join(known)) for key in keys if known or key != "try_known"]
    if source == "consult_schema" and status == "failed_planning" and (asked := state.get("entities_mentioned")):
        suggestions = [say["no_such_table"].format(asked=", ".join(asked[:3])), *suggestions]
    return {
        "success": False,
        "error_source_node": source,
        "user_message": state.get("error_message_for_user") or say["cannot"],
        "technical_details_for_log": state.get("technical_error_details"),
        "suggestions": state.get("suggestions") or suggestions,
        "workflow_status": "error",
    }
