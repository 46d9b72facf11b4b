"""Plans over a harbour's books that declare no key and no join. A right one is not doubted, one that reads alike is."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.analytics.checks.doubts import doubts, of_the_answer
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState
from tests.agentd.apps.analytics.scripts import of

KINDS = {
    "boat": {"id": "identifier", "name": "descriptive", "flag": "descriptive", "length": "quantitative"},
    "voyage": {
        "vid": "identifier",
        "boat_id": "identifier",
        "crew_number": "identifier",
        "pier": "descriptive",
        "crew": "quantitative",
        "guests": "quantitative",
        "rating": "quantitative",
    },
    "fuel_sales": {"boat_id": "identifier", "litres": "quantitative"},
}


def doubted(question: str, query: str) -> list[str]:
    tables: list[dict[str, Any]] = [
        {"table_name": name, "columns": [{"name": n, "type": "", "classification": k} for n, k in kinds.items()]}
        for name, kinds in KINDS.items()
    ]
    state = AgentState(user_query=question, relevant_tables=tables, table_relationships=[])
    plan, today = of(query), date(2024, 5, 15)
    assert Schema.of(state).tables
    return [*doubts(state, plan, today), *of_the_answer(state, plan, today, [7])]


@pytest.mark.parametrize(
    ("question", "right", "wrong", "why"),
    [
        (
            "Which pier has the most voyages?",
            "SELECT pier FROM voyage GROUP BY pier ORDER BY COUNT(vid) DESC LIMIT 1",
            "SELECT pier FROM voyage GROUP BY pier ORDER BY COUNT(vid) LIMIT 1",
            "most",
        ),
        (
            "Which pier has the most boats?",
            "SELECT pier, COUNT(boat_id) AS n FROM voyage GROUP BY pier ORDER BY n DESC LIMIT 1",
            "SELECT pier, COUNT(boat_id) AS n FROM voyage GROUP BY vid ORDER BY n DESC LIMIT 1",
            "GROUP BY vid",
        ),
        (
            "Total litres per boat?",
            "SELECT boat_id, SUM(litres) AS t FROM fuel_sales GROUP BY boat_id",
            "SELECT SUM(litres) AS t FROM fuel_sales GROUP BY boat_id",
            "per boat",
        ),
        (
            "Names of the boats with fuel sales?",
            "SELECT DISTINCT boat.name FROM boat JOIN fuel_sales AS s ON s.boat_id = boat.id",
            "SELECT DISTINCT boat.name FROM boat JOIN fuel_sales AS s ON s.boat_id = boat.name",
            "fuel_sales.boat_id = boat.name",
        ),
        (
            "How many boats are there of each flag?",
            "SELECT flag, COUNT(DISTINCT boat.id) AS n FROM boat GROUP BY flag",
            "SELECT flag, COUNT(DISTINCT boat.flag) AS n FROM boat GROUP BY flag",
            "COUNT(DISTINCT boat.flag)",
        ),
        (
            "What is the ratio of boats with a length above 9 to boats with a length below 9?",
            "SELECT COUNT(CASE WHEN length > 9 THEN 1 END) * 1.0 / COUNT(CASE WHEN length < 9 THEN 1 END) AS r "
            "FROM boat",
            "SELECT COUNT(CASE WHEN length > 9 THEN 1 END) AS r FROM boat",
            "boats",
        ),
        (
            "Return the distinct names of the boats that have fuel sales.",
            "SELECT DISTINCT BOAT.name FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "SELECT BOAT.name FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "fuel_sales",
        ),
        (
            "Return the distinct flags of the boats.",
            "SELECT DISTINCT flag FROM boat",
            "SELECT DISTINCT boat.flag FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "fuel_sales",
        ),
        (
            "Return the names of the boats that have no fuel sales.",
            "SELECT name FROM boat LEFT JOIN fuel_sales AS f ON boat.id = f.boat_id WHERE f.boat_id IS NULL",
            "SELECT boat.id FROM boat LEFT JOIN fuel_sales AS f ON boat.id = f.boat_id WHERE f.boat_id IS NULL",
            "id",
        ),
        (
            "What is the ratio of guests to crew for each voyage?",
            "SELECT vid, CAST(guests AS REAL) * 1.0 / NULLIF(crew, 0) AS ratio FROM voyage",
            "SELECT vid, CAST(vid AS REAL) * 1.0 / NULLIF(crew, 0) AS ratio FROM voyage",
            "vid",
        ),
        (
            "Which boats have a berth at pier 7?",
            "SELECT DISTINCT boat.name FROM boat JOIN masterberth AS b ON boat.berth = b.code WHERE b.pier = '7'",
            "SELECT DISTINCT boat.name FROM boat JOIN boat_berth AS b ON b.crew_number = boat.id WHERE b.pier = '7'",
            "boat_berth.crew_number = boat.id",
        ),
    ],
)
def test_a_right_plan_is_certain_and_one_that_reads_alike_is_not(
    question: str, right: str, wrong: str, why: str
) -> None:
    assert doubted(question, right) == []
    assert why in doubted(question, wrong)
