"""The state that travels through the workflow, as its specification has it."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

PlanStyle = Literal["sql", "operations"]

NODES = (
    "understand_query",
    "consult_schema",
    "plan_execution",
    "execute_query",
    "validate_results",
    "replace_placeholders",
)
ERROR_NODE = "generate_error_response"


class TimePeriod(TypedDict):
    """What a question says of time; dates are ISO and inclusive, null where the question sets no bound."""

    start_date: str | None
    end_date: str | None
    period_label: str | None


class MCPToolCallLog(TypedDict):
    """One call of one tool. `status` is `success` or `error`; `timestamp` is ISO 8601 in UTC."""

    server_name: str
    tool_name: str
    request_payload: dict[str, Any]
    response_payload: dict[str, Any] | None
    status: str
    error_message: str | None
    timestamp: str


class SqlQueryPlan(TypedDict):
    """One query, and the key that its result has in `financial_calculations`."""

    purpose: str
    query: str
    result_key: str


class AgentState(TypedDict, total=False):
    """Seed 003 §2; the last block is what plan styles and placeholders with a source need beside it."""

    user_query: str
    session_id: str
    conversation_history: list[dict[str, str]]

    intent: str | None
    entities_mentioned: list[str] | None
    time_period: TimePeriod | None
    requested_metrics: list[str] | None
    query_complexity: str | None

    relevant_tables: list[dict[str, Any]] | None
    table_relationships: list[dict[str, Any]] | None
    financial_columns: dict[str, list[str]] | None
    temporal_columns: dict[str, list[str]] | None
    schema_consultation_warnings: list[str] | None

    sql_queries_plan: list[SqlQueryPlan] | None
    response_template: str | None
    placeholder_mapping: dict[str, str] | None
    raw_data_query_plan: SqlQueryPlan | None
    validation_rules_for_results: list[dict[str, Any]] | None

    financial_calculations: dict[str, Any] | None
    raw_query_results: list[dict[str, Any]] | None
    query_execution_status: str | None
    query_execution_errors: list[dict[str, str]] | None

    data_quality_checks: dict[str, Any] | None
    validation_warnings: list[str] | None
    validation_status: str | None
    quality_score: int | None

    final_narrative: str | None
    data_table_for_display: list[dict[str, Any]] | None
    executive_summary: dict[str, Any] | None
    warnings_for_display: list[str] | None

    current_node_name: str | None
    error_message_for_user: str | None
    technical_error_details: str | None
    mcp_tool_call_history: list[MCPToolCallLog]
    workflow_status: str

    plan_style: PlanStyle
    operation_plan: list[dict[str, Any]] | None
    operation_results: dict[str, Any] | None
    data_handles: list[dict[str, Any]] | None
    placeholder_sources: dict[str, dict[str, Any]] | None
    sql_dialect: str | None
    plan_doubts: list[str] | None
    """Words of the question that the plan doesn't cover, and parts of the plan that the question doesn't ask for."""
    plan_written_again: bool
    """A model held to a grammar wrote the plan again after the first one was refused or doubted."""
    rows_left_out: dict[str, int] | None
    """{"AVG Freight": number of rows without a Freight}, for figures that omit rows."""
    other_readings: list[dict[str, Any]] | None
    """{"reading", "other", "rows"} for other readings of the question with another answer; for ties at the end of a
    list, `reading` and `other` are empty."""
    clarification: dict[str, Any] | None
    table_units: dict[str, str] | None
    """{"TOTAL": "USD"}: the units of the table's columns."""


class ErrorResponse(TypedDict):
    """What the workflow answers when it ends in `generate_error_response`; `success` is always false."""

    success: bool
    error_source_node: str | None
    user_message: str
    technical_details_for_log: str | None
    session_id: str
    suggestions: list[str] | None


class WorkflowState(AgentState, total=False):
    """AgentState plus, after the error node, the keys of the ErrorResponse (which shares its session_id)."""

    success: bool
    error_source_node: str | None
    user_message: str
    technical_details_for_log: str | None
    suggestions: list[str] | None


def initial_state(
    user_query: str, session_id: str, history: list[dict[str, str]], plan_style: PlanStyle
) -> WorkflowState:
    """The state that `understand_query` starts with."""
    return {
        "user_query": user_query,
        "session_id": session_id,
        "conversation_history": history,
        "mcp_tool_call_history": [],
        "workflow_status": "processing",
        "plan_style": plan_style,
    }


class NodeFailed(Exception):
    """A node can't continue: what the user reads, what the log reads, and further changes to the state."""

    def __init__(self, user_message: str, technical: str, **changes: Any) -> None:
        self.user_message = user_message
        self.technical = technical
        self.changes = changes
        super().__init__(technical)


def past_questions(state: AgentState) -> list[str]:
    """The session's earlier questions, oldest first."""
    return [turn["content"] for turn in state.get("conversation_history", []) if turn["role"] == "user"]
