"""The checks of results, one by one (seed 003 §3.5 points 3 to 6)."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.analytics.checks.results import checked, quality_score
from agentd.apps.analytics.wording import wordings

SAY = wordings()["id"].say


def outcomes(
    calculations: dict[str, Any], rows: list[dict[str, Any]] | None = None, rules: list[dict[str, Any]] | None = None
) -> dict[str, str]:
    """{check: outcome} of what was looked at and is not merely fine."""
    found = checked(calculations, rows or [], rules or [], SAY)
    return {finding.name: finding.outcome for finding in found if finding.outcome != "passed"}


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ({"rule": "TOTAL >= 0"}, "critical"),
        ({"rule": "total > -100"}, None),
        ({"rule": "TOTAL <= 10"}, None),
        ({"rule": "TOTAL == PART * 2", "severity": "critical"}, "critical"),
        ({"result_key": "TOTAL", "rule": "non_negative"}, "critical"),
        ({"result_key": "TOTAL", "rule": "non_negative", "severity": "warning"}, "warning"),
        ({"result_key": "TOTAL", "type": "range", "min": -10, "max": 10}, None),
        ({"result_key": "TOTAL", "type": "range", "min": 5, "max": 10}, "warning"),
        ({"result_key": "TOTAL", "type": "min_value", "value": 3}, "warning"),
        ({"field": "TOTAL", "condition": ">= 0"}, "critical"),
        ({"result_key": "NOTHING", "rule": "positive"}, "unchecked"),
        ({"rule": "masuk akal"}, "unchecked"),
        ({"rule": "TOTAL == PART / ZERO"}, "unchecked"),
        ({"what": 1}, "unchecked"),
    ],
)
def test_a_plans_rule_is_kept(rule: dict[str, Any], outcome: str | None) -> None:
    """seed 003 §3.5 point 3."""
    assert outcomes({"TOTAL": -5, "PART": 2, "ZERO": 0}, rules=[rule]).get("rule_1") == outcome


def test_a_count_below_nought_cannot_be_true() -> None:
    assert outcomes({"ORDER_COUNT": -1}) == {"sign:ORDER_COUNT": "critical"}


def test_a_null_sum_and_a_negative_amount_are_told() -> None:
    assert outcomes({"TOTAL_SALES": None, "NET_AMOUNT": -3.5}) == {
        "not_null:TOTAL_SALES": "warning",
        "sign:NET_AMOUNT": "warning",
    }


def test_an_average_must_be_its_sum_over_its_count() -> None:
    """seed 003 §3.5 "Consistency Validation"."""
    figures = {"TOTAL_SALES": "1000.00", "TRANSACTION_COUNT": 4}
    assert outcomes({**figures, "AVG_ORDER_VALUE": 250}) == {}
    assert outcomes({**figures, "AVG_ORDER_VALUE": 300}) == {"average": "warning"}
    assert outcomes({**figures, "TRANSACTION_COUNT": 0, "AVG_ORDER_VALUE": None}) == {
        "not_null:AVG_ORDER_VALUE": "warning"
    }


def test_a_total_must_be_the_sum_of_its_parts() -> None:
    rows = [{"NAME": "A", "SALES": 10}, {"NAME": "B", "SALES": 5}]
    assert outcomes({"TOTAL_SALES": 15}, rows) == {}
    assert outcomes({"TOTAL_SALES": 16}, rows) == {"parts:TOTAL_SALES": "warning"}


def test_rows_that_repeat_are_empty_or_skip_months_are_told() -> None:
    rows = [{"M": "2023-01", "V": 1}, {"M": "2023-02", "V": None}, {"M": "2023-05", "V": None}]
    assert outcomes({}, rows) == {"gaps:M": "warning", "nulls:V": "warning"}
    assert outcomes({}, [rows[0], rows[0]]) == {"duplicates": "warning"}


def test_the_score_follows_its_formula() -> None:
    """seed 003 §3.5 point 6; the formula is in the docstring of quality_score."""
    critical = checked({"ORDER_COUNT": -1}, [], [], SAY)
    assert quality_score([], 0, 0, 2) == 100
    assert quality_score([], 2, 1, 2) == 65
    assert quality_score([], 9, 0, 1) == 60
    assert quality_score(critical, 9, 1, 1) == 0
