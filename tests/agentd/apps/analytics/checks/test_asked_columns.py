"""One query of a plan with several is enough for a column or unit that the question names (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.plan.plan import Plan

TRACKS = {"table_name": "Track", "columns": [{"name": "TrackId"}, {"name": "Milliseconds"}, {"name": "Composer"}]}
COUNTED = "SELECT COUNT(*) AS n FROM Track"


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        ("SELECT AVG(Milliseconds) / 60000.0 AS mean FROM Track", []),
        ("SELECT AVG(Milliseconds) AS mean FROM Track", ["in minutes"]),
        ("SELECT AVG(TrackId) / 60000.0 AS mean FROM Track", ["milliseconds"]),
    ],
)
def test_a_unit_or_column_is_needed_in_one_query_only(mean: str, words: list[str]) -> None:
    queries = [{"purpose": "", "query": query, "result_key": key} for key, query in {"N": COUNTED, "M": mean}.items()]
    asked = "How many tracks are there, and what are their average milliseconds in minutes?"
    found = uncovered(asked, Plan(queries, None, [], "", {}, []), tables=[TRACKS])
    assert [word for word in found if word in ("in minutes", "milliseconds")] == words
