"""A narrative says each figure by its own name (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.misplaced import misplaced
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.state import SqlQueryPlan

OF_1995 = "FROM Orders WHERE d >= '1995-01-01' AND d < '1996-01-01'"


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("Total freight {SUM}, rata-rata {MEAN}.", []),
        ("Total freight {PERIOD_LABEL}: {MEAN}, rata-rata {SUM}.", ["Total freight {MEAN}", "rata-rata {SUM}"]),
        ("Highest {LEAST}, average of the total {MEAN}.", ["Highest {LEAST}"]),
        ("In 1995: {MEAN}. In 1996 {SUM}", ["In 1996 {SUM}"]),
        ("{PART} persen", []),
    ],
)
def test_a_placeholder_stands_behind_the_words_for_its_figure(template: str, found: list[str]) -> None:
    made = {"SUM": "SUM(x)", "MEAN": "AVG(x)", "LEAST": "MIN(x)", "PART": "SUM(x) / COUNT(*)"}
    queries: list[SqlQueryPlan] = [
        {"purpose": "", "query": f"SELECT {v} AS n {OF_1995}", "result_key": key} for key, v in made.items()
    ]
    assert list(misplaced(Plan(queries, None, [], template, {}, []))) == found


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("Germany: {A} orders; France: {B} orders.", []),
        ("Germany: {B} orders; France: {A} orders.", ["Germany {B}", "France {A}"]),
        ("Germany and France: {A} and {B}.", []),
    ],
)
def test_a_placeholder_stands_behind_the_name_that_its_query_selects_by(template: str, found: list[str]) -> None:
    queries: list[SqlQueryPlan] = [
        {"purpose": "", "query": f"SELECT COUNT(*) AS n FROM Orders WHERE Country = '{name}'", "result_key": key}
        for key, name in {"A": "Germany", "B": "France"}.items()
    ]
    assert list(misplaced(Plan(queries, None, [], template, {}, []))) == found
