"""Plans as models write them for the schemas of others: right ones that nothing speaks against, wrong ones that had 100
points, beside each other. Issue 19."""

from __future__ import annotations

from datetime import date

import pytest

from agentd.apps.analytics.checks.doubts import doubts, of_the_answer
from agentd.apps.analytics.checks.limits import lists_for_one
from agentd.apps.analytics.question.names import names_in
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState
from tests.agentd.apps.analytics.scripts import of, table

TABLES = [
    table("guide", "guide_id identifier key, Fname descriptive, Lname descriptive, email_address descriptive"),
    table("walk_plans", "plan_id identifier key, walk_summary_name descriptive, region_id identifier"),
    table("park", "park_id identifier key, park descriptive, nationality descriptive, Directed_by descriptive"),
    table("lake", "park_id identifier, visits quantitative"),
    table("visit", "visit_id identifier key, park_id identifier, guide_id identifier, cost financial_amount"),
]
JOINS = [
    {"from_table": "visit", "from_column": key, "to_table": to, "to_column": key, "relationship_type": "many_to_one"}
    for key, to in (("park_id", "park"), ("guide_id", "guide"))
]


def doubted(question: str, query: str) -> list[str]:
    state = AgentState(user_query=question, relevant_tables=TABLES, table_relationships=JOINS)
    plan, today = of(query), date(2024, 5, 15)
    assert len(Schema.of(state).joins) == len(JOINS)
    return [*doubts(state, plan, today), *of_the_answer(state, plan, today, [7])]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many parks are there?", "SELECT COUNT(*) AS n FROM park"),
        ("How many parks did each director manage?", "SELECT Directed_by, COUNT(*) FROM park GROUP BY Directed_by"),
        ("How many parks does each nation have?", "SELECT nationality, COUNT(*) FROM park GROUP BY nationality"),
        ("What are the first name and email of all guides?", "SELECT Fname, email_address FROM guide"),
        (
            "Which guides performed no visit? List their ids.",
            "SELECT guide_id FROM guide EXCEPT SELECT g.guide_id FROM guide g JOIN visit v ON g.guide_id = v.guide_id",
        ),
        (
            "Which guide has the largest cost in total? Show the guide id and email address.",
            "SELECT g.guide_id, g.email_address FROM guide g JOIN visit v ON v.guide_id = g.guide_id "
            "GROUP BY g.guide_id, g.email_address ORDER BY SUM(v.cost) DESC LIMIT 1",
        ),
        (
            "List the ids of parks in descending order of number of visits",
            "SELECT park_id FROM lake ORDER BY visits DESC",
        ),
        ("How many different plans are there?", "SELECT COUNT(DISTINCT plan_id) FROM walk_plans"),
        (
            "Show last names of guides and the parks that they work in",
            "SELECT g.Lname, p.park FROM visit v JOIN guide g ON v.guide_id = g.guide_id "
            "JOIN park p ON v.park_id = p.park_id",
        ),
        (
            "What is the average cost for each park whose average cost is above 72?",
            "SELECT park_id, AVG(cost) FROM visit GROUP BY park_id HAVING AVG(cost) > 72",
        ),
    ],
)
def test_a_right_plan_is_not_doubted(question: str, query: str) -> None:
    assert doubted(question, query) == []


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        (
            "How many different walks are offered?",
            "SELECT COUNT(DISTINCT plan_id) FROM walk_plans",
            "COUNT(DISTINCT plan_id)",
        ),
        (
            "Show last names of guides and the parks that they work in",
            "SELECT g.Lname, p.park_id FROM visit v JOIN guide g ON v.guide_id = g.guide_id "
            "JOIN park p ON v.park_id = p.park_id",
            "park_id",
        ),
        (
            "What is the average cost for each park whose average cost is above 72?",
            "SELECT park_id, AVG(cost) FROM visit WHERE cost > 72 GROUP BY park_id",
            "cost > 72",
        ),
    ],
)
def test_a_plan_of_other_things_is_doubted(question: str, query: str, doubt: str) -> None:
    assert doubt in doubted(question, query)


def test_a_bound_a_name_and_different_things_ask_for_no_single_row() -> None:
    grouped = of("SELECT park_id, MAX(cost) FROM visit GROUP BY park_id")
    assert not lists_for_one(grouped, "Which guides did at least two visits? List their first name.")
    assert not lists_for_one(grouped, "What is the maximum cost for the different parks?")
    assert lists_for_one(grouped, "What is the maximum cost of a park?")


def test_a_short_word_that_ends_a_sentence_is_no_abbreviation() -> None:
    assert list(names_in("Find the weight of each type of pet. List the pet type.")) == []
    assert list(names_in("Berapa kunjungan drh. Bayu?")) == ["Bayu"]
