"""Every key of the state (seed 003 §2) is left by the node whose section names it (§3.1 to §3.6 and §4)."""

from __future__ import annotations

from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

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


CHOICES = {
    "query_complexity": {"simple", "medium", "complex"},
    "query_execution_status": {"success", "partial_failure", "total_failure"},
    "validation_status": {"passed", "passed_with_warnings", "failed_critical"},
    "workflow_status": {"processing", "completed", "error"},
}


def _is(value: Any, kind: Any) -> bool:
    """Whether a value has a type, its parts too; a TypedDict has its keys and no others."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_is(value, each) for each in inside)
    if is_typeddict(kind):
        fields = get_type_hints(kind)
        return (
            isinstance(value, dict) and value.keys() == fields.keys() and all(_is(value[k], fields[k]) for k in fields)
        )
    if origin is list:
        return isinstance(value, list) and all(_is(each, inside[0]) for each in value)
    if origin is dict:
        return isinstance(value, dict) and all(_is(k, inside[0]) and _is(v, inside[1]) for k, v in value.items())
    if origin is Literal:
        return value in inside
    return kind is Any or (value is None if kind is type(None) else type(value) is kind)


@pytest.mark.parametrize("style", ["sql", "operations"])
async def test_each_key_holds_what_seed_003_section_2_says(erp: Path, style: str) -> None:
    """Its type, of the nested structures too, and one of its values where the document lists them."""

    def done(_: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "results": {"total": {"status": "success", "data": [{"TOTAL": 5}]}}}

    plan = SALES_PLAN if style == "sql" else OPERATIONS
    office = Office(erp, SALES, plan, **({} if style == "sql" else {"execute_operation_plan": done}))
    await office.ask("Laporan penjualan Januari 2023", style=style)
    held: dict[str, Any] = {}
    for record in office.records.values():
        held |= record["changes"]
    types = get_type_hints(AgentState)
    assert {key for key, value in held.items() if not _is(value, types[key])} == set()
    assert {key: held[key] for key, known in CHOICES.items() if held[key] not in known} == {}
    assert held["current_node_name"] == "replace_placeholders"
    assert 0 <= held["quality_score"] <= 100
    assert held["sql_queries_plan" if style == "sql" else "operation_plan"]


def test_no_key_of_section_2_is_without_a_section() -> None:
    named = {key for keys in KEYS.values() for key in keys.split()}
    assert named | GIVEN | EVERYWHERE | FAILED | OPERATED == set(AgentState.__annotations__)
