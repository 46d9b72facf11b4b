"""The grammar of validation_rules_for_results, shape by shape (seed 003 §3.5 point 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.answer.rules import Values, judged
from agentd.apps.analytics.planner.entries import rules_in
from agentd.apps.analytics.wording import wordings
from tests.agentd.apps.analytics.office import Office, plan
from tests.agentd.apps.analytics.scripts import SALES

FIGURES = {
    "TOTAL": -5,
    "SALES": "1000.00",
    "COUNT": 4,
    "AVERAGE": 250,
    "A": 400,
    "B": 600,
    "ZERO": 0,
    "NOTHING": None,
    "CITY": "Bogor",
    "BY_MONTH": [{"M": "2023-01", "V": 1}, {"M": "2023-02", "V": 3}, {"M": "2023-03", "V": 3}],
}


def outcome(rule: dict[str, Any]) -> str:
    rows = [{"NAME": "x", "OWED": 7}, {"NAME": "y", "OWED": 2}]
    [finding] = judged([rule], Values(FIGURES, rows, wordings()["id"].say))
    return finding.outcome


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"field": "TOTAL", "operator": ">=", "value": 0}, "critical"),
        ({"field": "TOTAL", "operator": "gte", "value": 0, "severity": "warning"}, "warning"),
        ({"field": "TOTAL", "operator": "less_than", "value": 0}, "passed"),
        ({"field": "TOTAL", "operator": "is not null"}, "passed"),
        ({"field": "NOTHING", "operator": "not_null"}, "warning"),
        ({"field": "COUNT", "operator": "between", "value": [1, 3]}, "warning"),
        ({"field": "COUNT", "operator": "between", "value": [1, 4]}, "passed"),
        ({"field": "CITY", "operator": "in", "value": ["bogor", "Depok"]}, "passed"),
        ({"field": "CITY", "operator": "==", "value": "Depok"}, "warning"),
        ({"field": "V", "operator": ">", "value": 1}, "warning"),
        ({"field": "BY_MONTH.V", "operator": ">=", "value": 1}, "passed"),
        ({"field": "owed", "operator": ">=", "value": 3, "severity": "critical"}, "critical"),
        ({"field": "SALES", "operator": "==", "value": "A"}, "warning"),
        ({"rule": "sum_equals", "total": "SALES", "parts": ["A", "B"]}, "passed"),
        ({"rule": "sum_equals", "total": "SALES", "parts": ["A", "COUNT"]}, "warning"),
        ({"rule": "sum_equals", "total": "7", "result_key": "BY_MONTH", "column": "V"}, "passed"),
        ({"rule": "sum_equals", "total": "SALES", "result_key": "BY_MONTH"}, "warning"),
        ({"rule": "ratio", "result_key": "AVERAGE", "numerator": "SALES", "denominator": "COUNT"}, "passed"),
        ({"rule": "ratio", "result_key": "A", "numerator": "SALES", "denominator": "COUNT"}, "warning"),
        ({"rule": "monotone", "result_key": "BY_MONTH", "column": "V"}, "passed"),
        ({"rule": "monotone", "result_key": "BY_MONTH", "column": "V", "direction": "descending"}, "warning"),
        ({"result_key": "COUNT", "rule": "min", "value": 4}, "passed"),
        ({"rule": "TOTAL is not null"}, "passed"),
        ({"rule": "NOTHING IS NOT NULL"}, "warning"),
        ({"rule": "{COUNT} >= 4"}, "passed"),
        ({"placeholder": "{COUNT}", "rule": "max", "value": 3}, "warning"),
        ({"name": "counted", "expression": "COUNT >= 4"}, "passed"),
        ({"field": "COUNT", "operator": "between", "value": [1, "many"]}, "unchecked"),
        ({"field": "COUNT", "rule": "range", "min": 1, "max": "many"}, "unchecked"),
        ({"rule": "monotone", "result_key": "COUNT"}, "unchecked"),
        ({"rule": "sum_equals", "result_key": "COUNT", "total": 9}, "unchecked"),
        ({"result_key": "COUNT", "rule": "max", "max": 3}, "warning"),
    ],
)
def test_a_rule_is_evaluated(rule: dict[str, Any], expected: str) -> None:
    assert outcome(rule) == expected


@pytest.mark.parametrize(
    "rule",
    [
        {"field": "TOTAL", "operator": "~", "value": 0},
        {"field": "MISSING", "operator": ">=", "value": 0, "severity": "critical"},
        {"field": "TOTAL", "operator": ">=", "value": "MISSING"},
        {"field": "NOTHING", "operator": ">=", "value": 0},
        {"rule": "ratio", "result_key": "A", "numerator": "B", "denominator": "ZERO"},
        {"rule": "sum_equals", "total": "SALES", "parts": ["MISSING"]},
        {"rule": "monotone", "result_key": "MISSING", "column": "V1"},
        {"rule": "the total is plausible"},
        {"result_key": "TOTAL", "rule": "plausible"},
        {},
    ],
)
def test_what_cannot_be_evaluated_is_never_counted_as_kept(rule: dict[str, Any]) -> None:
    assert outcome(rule) == "unchecked"


async def test_a_rule_that_could_not_be_checked_is_said_and_costs_points(erp: Path) -> None:
    """Issue 19: a critical rule {field, operator, value} was skipped in silence with 100 points."""
    rule = {"field": "GRAND_TOTAL", "operator": ">=", "value": 0, "severity": "critical"}
    query = ("TOTAL", "SELECT SUM(total_amount) AS t FROM sales_orders")
    answer = await Office(erp, SALES, plan(query, template="{TOTAL}", validation_rules_for_results=[rule])).ask(
        "Total penjualan?"
    )
    assert (answer["validation_status"], answer["quality_score"]) == ("passed_with_warnings", 90)
    assert answer["warnings_for_display"] == ["Aturan tidak dapat diperiksa: GRAND_TOTAL tidak ada dalam hasil"]


async def test_a_critical_rule_of_field_operator_and_value_is_kept(erp: Path) -> None:
    rule = {"field": "t", "operator": ">", "value": 10**15, "severity": "critical"}
    query = ("TOTAL", "SELECT SUM(total_amount) AS t FROM sales_orders")
    answer = await Office(erp, SALES, plan(query, template="{TOTAL}", validation_rules_for_results=[rule])).ask(
        "Total penjualan?"
    )
    assert answer["validation_status"] == "failed_critical"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Sales are too low.", "Sales are too low."),
        ("There were 12 sales.", "COUNT > 9"),
        (["no", "text"], "COUNT > 9"),
    ],
)
def test_a_rules_message_is_shown_if_it_states_no_number_of_its_own(message: Any, shown: str) -> None:
    values = Values(FIGURES, [], wordings()["en"].say)
    [finding] = judged([{"rule": "COUNT > 9", "message": message}], values)
    assert shown in finding.message and "12" not in finding.message


@pytest.mark.parametrize("rules", ["TOTAL >= 0", ["TOTAL >= 0"], {"TOTAL": ">= 0"}, [["TOTAL >= 0"]], [7]])
def test_no_rule_is_dropped_in_silence(rules: Any) -> None:
    assert len(rules_in(rules)) == 1
