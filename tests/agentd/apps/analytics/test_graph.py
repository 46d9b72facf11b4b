"""The workflow's shape, and the picture of it in the documents."""

from __future__ import annotations

import itertools
from pathlib import Path

from agentd.apps.analytics import graph
from agentd.apps.analytics.state import (
    ERROR_NODE,
    NODES,
    AgentState,
    ErrorResponse,
    MCPToolCallLog,
    SqlQueryPlan,
    TimePeriod,
)

DOCUMENT = Path(__file__).parents[4] / "docs" / "analytics" / "README.md"


def test_the_documents_show_the_graph_that_runs() -> None:
    """Issue 7: the graph drawn into docs from the code (`python -m agentd.apps.analytics.graph` prints it)."""
    assert graph.drawn().strip() in DOCUMENT.read_text(encoding="utf-8")


def test_every_node_has_a_way_to_the_error_node() -> None:
    """seed 003 §3.1 to §3.6 "alihkan ke generate_error_response"."""
    edges = {(edge.source, edge.target) for edge in graph.compiled().get_graph().edges}
    assert {(node, ERROR_NODE) for node in NODES} <= edges
    assert set(itertools.pairwise(NODES)) <= edges


def test_the_state_has_every_key_of_the_document() -> None:
    """seed 003 §2, and the keys that plan styles and placeholders with a source add."""
    assert set(AgentState.__annotations__) == set(
        """user_query session_id conversation_history intent entities_mentioned time_period requested_metrics
        query_complexity relevant_tables table_relationships financial_columns temporal_columns
        schema_consultation_warnings sql_queries_plan response_template placeholder_mapping raw_data_query_plan
        validation_rules_for_results financial_calculations raw_query_results query_execution_status
        query_execution_errors data_quality_checks validation_warnings validation_status quality_score
        final_narrative data_table_for_display executive_summary warnings_for_display current_node_name
        error_message_for_user technical_error_details mcp_tool_call_history workflow_status plan_style
        operation_plan operation_results data_handles placeholder_sources sql_dialect rows_left_out
        clarification table_units plan_doubts plan_written_again other_readings""".split()
    )
    assert set(TimePeriod.__annotations__) == {"start_date", "end_date", "period_label"}
    assert set(SqlQueryPlan.__annotations__) == {"purpose", "query", "result_key"}
    assert set(MCPToolCallLog.__annotations__) == {
        "server_name",
        "tool_name",
        "request_payload",
        "response_payload",
        "status",
        "error_message",
        "timestamp",
    }
    assert set(ErrorResponse.__annotations__) == {
        "success",
        "error_source_node",
        "user_message",
        "technical_details_for_log",
        "session_id",
        "suggestions",
    }
