"""What a constrained model can plan: the consulted tables and columns, and no others (issue 7 "Planning")."""

from __future__ import annotations

import json
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from agentd.analytics.plan_schema import plan_schema
from bridges.llamacpp.constraint import from_schema

TABLES = [
    {"table_name": "arbook", "columns": [{"name": "DocNo"}, {"name": "DocDate"}, {"name": "DocValueLocal"}]},
    {"table_name": "mastercustomer", "columns": [{"name": "Code"}, {"name": "Name"}]},
]


def writable(style: Any, plan: dict[str, Any]) -> bool:
    """Whether a model held by the schema could write that plan."""
    grammar = from_schema(plan_schema({"plan_style": style, "relevant_tables": TABLES}))
    tokens = LLTokenizer("byte")
    text = json.dumps(plan, separators=(",", ":"))
    return bool(LLMatcher(tokens, grammar).try_consume_tokens(tokens.tokenize_str(text)) == len(text))


@pytest.mark.parametrize(
    ("query", "can"),
    [
        ("SELECT SUM(DocValueLocal) AS TOTAL FROM arbook WHERE DocDate >= '{START_DATE}'", True),
        ("SELECT mastercustomer.Name AS NAME, COUNT(*) AS N FROM mastercustomer GROUP BY mastercustomer.Name", True),
        ("SELECT Salary FROM arbook", False),
        ("SELECT Name FROM mastersupplier", False),
        ("DELETE FROM arbook", False),
    ],
)
def test_sql_can_name_the_consulted_tables_alone(query: str, can: bool) -> None:
    entry = {"purpose": "p", "query": query, "result_key": "TOTAL"}
    assert writable("sql", {"sql_queries_plan": [entry], "response_template": "{TOTAL}"}) is can


@pytest.mark.parametrize(
    ("table", "field", "can"),
    [
        ("arbook", "arbook.DocValueLocal", True),
        ("arbook", "(arbook.DocValueLocal - arbook.DocValueLocal)", True),
        ("arbook", "arbook.Secret", False),
        ("apbook", "arbook.DocNo", False),
    ],
)
def test_operations_can_name_the_consulted_tables_alone(table: str, field: str, can: bool) -> None:
    operation = {
        "operation_id": "a",
        "main_table": table,
        "select_columns": [{"field_name": field, "aggregation": "SUM", "alias": "TOTAL", "is_expression": False}],
        "result_key": "TOTAL",
        "expected_result_format": "single_value",
    }
    assert writable("operations", {"operations": [operation], "response_template": "{TOTAL}"}) is can


def test_a_plan_of_nothing_can_be_written() -> None:
    """seed 003 §3.3: data that do not fit are no plan."""
    assert writable("sql", {"sql_queries_plan": [], "response_template": ""})
    assert writable("operations", {"operations": [], "response_template": ""})
