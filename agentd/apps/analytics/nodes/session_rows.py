"""The rows behind a run's answer: from the state, or by their handle from graphiti_server. Stores nothing."""

from __future__ import annotations

from typing import Any

from agentd.apps.analytics import servers
from agentd.apps.analytics.nodes.node_context import CallFailed, NodeContext
from agentd.apps.analytics.state import AgentState
from agentd.apps.analytics.wording import say_for

TOOL = "retrieve_session_data"


async def rows_behind(state: AgentState, context: NodeContext) -> tuple[list[dict[str, Any]], str | None]:
    """(the rows, a warning if they are no longer available)."""
    handles = state.get("data_handles") or []
    if not handles:
        return list(state.get("raw_query_results") or []), None
    say = say_for(state["user_query"])
    asked = {"session_id": state["session_id"], "data_handle_id": handles[0].get("data_handle_id")}
    try:
        answer = await context.call(servers.GRAPH, TOOL, asked)
    except CallFailed as error:
        return [], say["not_read"].format(error=error)
    rows = answer.get("retrieved_data")
    if not isinstance(rows, list):
        return [], say["not_read"].format(error=answer.get("error") or "-")
    return rows, None
