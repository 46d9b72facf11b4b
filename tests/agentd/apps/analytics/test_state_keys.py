"""Every key of the state (seed 003 §2) is left by the node whose section names it (§3.1 to §3.6 and §4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.state import AgentState
from tests.agentd.apps.analytics.office import Office
from tests.agentd.apps.analytics.scripts import SALES, SALES_PLAN

OPERATIONS = {
    "operations": [
        {
            "operation_id": "total",
            "purpose": "total",
            "main_table": "sales_orders",
            "select_columns": [{"field_name": "total_amount", "aggregation": "SUM", "alias": "TOTAL"}],
            "filters": {
                "conditions": [
                    {"field_or_expression": "order_date", "operator": ">=", "value": "{START_DATE}"},
                    {"field_or_expression": "order_date", "operator": "<=", "value": "{END_DATE}"},
                ]
            },
            "result_key": "TOTAL",
            "expected_result_format": "single_value",
        }
    ],
    "response_template": "Total {TOTAL}.",
}
KEYS = {
    "3.1 understand_query": "intent entities_mentioned time_period requested_metrics query_complexity",
    "3.2 consult_schema": "relevant_tables table_relationships financial_columns temporal_columns "
    "schema_consultation_warnings sql_dialect",
    "3.3 plan_execution": "sql_queries_plan response_template placeholder_mapping raw_data_query_plan "
    "validation_rules_for_results operation_plan placeholder_sources technical_error_details plan_written_again "
    "plan_doubts",
    "3.4 execute_query": "financial_calculations raw_query_results query_execution_status query_execution_errors "
    "rows_left_out other_readings",
    "3.5 validate_results": "data_quality_checks validation_warnings validation_status quality_score",
    "3.6 replace_placeholders": "final_narrative data_table_for_display table_units executive_summary "
    "warnings_for_display workflow_status",
}
GIVEN = set("user_query session_id conversation_history plan_style".split())
"""Seed 003 §3.1: what the workflow starts with."""
EVERYWHERE = {"current_node_name", "mcp_tool_call_history"}
FAILED = {"error_message_for_user", "clarification"}
OPERATED = {"operation_results", "data_handles"}


async def left_by(office: Office, question: str, style: str = "sql") -> dict[str, Any]:
    """{node: the keys that it changed}."""
    await office.ask(question, style=style)
    return {node: set(record["changes"]) for node, record in office.records.items()}


@pytest.mark.parametrize("section", KEYS)
async def test_seed_003_section(erp: Path, section: str) -> None:
    """A node of an answered question leaves all of its section's keys, and its name."""
    left = await left_by(Office(erp, SALES, SALES_PLAN), "Laporan penjualan Januari 2023")
    assert {*KEYS[section].split(), "current_node_name"} <= left[section.split()[1]]


async def test_seed_003_section_3_4_of_operations(erp: Path) -> None:
    def done(_: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "results": {"total": {"status": "success", "data": [{"TOTAL": 5}]}}}

    office = Office(erp, SALES, OPERATIONS, execute_operation_plan=done)
    left = await left_by(office, "Total penjualan Januari 2023?", "operations")
    assert left["execute_query"] >= OPERATED


async def test_seed_003_section_4_generate_error_response(erp: Path) -> None:
    """The failing node leaves what the user reads, the error node the ErrorResponse."""
    office = Office(erp, {**SALES, "intent": "unclear"})
    left = await left_by(office, "Berapa?")
    assert left["understand_query"] >= {*FAILED, "technical_error_details", "validation_status"}
    assert left["generate_error_response"] >= {"success", "error_source_node", "user_message", "suggestions"}


def test_no_key_of_section_2_is_without_a_section() -> None:
    named = {key for keys in KEYS.values() for key in keys.split()}
    assert named | GIVEN | EVERYWHERE | FAILED | OPERATED == set(AgentState.__annotations__)
