"""Mistakes that a hosted model may make, each of which had 100 points, beside right plans. Issue 19."""

from __future__ import annotations

from datetime import date

import pytest

from agentd.apps.analytics.checks.doubts import doubts, of_the_answer
from agentd.apps.analytics.state import AgentState
from tests.agentd.apps.analytics.scripts import of, table

TABLES = [
    table("member", "member_id identifier key, member_name descriptive, city descriptive, fee financial_amount"),
    table(
        "parcel",
        "parcel_id identifier key, member_id identifier, from_office descriptive, to_office descriptive, "
        "weight quantitative, closing_weight quantitative, high_weight quantitative",
    ),
]


def doubted(question: str, query: str) -> list[str]:
    state = AgentState(user_query=question, relevant_tables=TABLES, table_relationships=[])
    plan, today = of(query), date(2024, 5, 15)
    return [*doubts(state, plan, today), *of_the_answer(state, plan, today, [7])]


@pytest.mark.parametrize(
    ("question", "right", "wrong", "why"),
    [
        (  # a key that is compared with another one
            "Which members have no parcels? Show the member name",
            "SELECT member_name FROM member WHERE member_id NOT IN (SELECT member_id FROM parcel)",
            "SELECT member_name FROM member WHERE member_id NOT IN (SELECT parcel_id FROM parcel)",
            "member_id = parcel_id",
        ),
        (  # those with, for those without
            "Which members have no parcels? Show the member name",
            "SELECT member_name FROM member WHERE member_id NOT IN (SELECT member_id FROM parcel)",
            "SELECT member_name FROM member WHERE member_id IN (SELECT member_id FROM parcel)",
            "no",
        ),
        (  # a subquery's column that is the outer one's
            "Which members have no parcels? Show the member name",
            "SELECT member_name FROM member WHERE member_id NOT IN (SELECT member_id FROM parcel)",
            "SELECT member_name FROM member WHERE member_id NOT IN (SELECT city FROM parcel)",
            "member_id = city",
        ),
        (  # distinct values of what a condition fixes: always one
            "How many cities of members in Bogor are there?",
            "SELECT COUNT(*) AS n FROM member WHERE city = 'Bogor'",
            "SELECT COUNT(DISTINCT city) AS n FROM member WHERE city = 'Bogor'",
            "COUNT(DISTINCT city)",
        ),
        (  # a quotient by a number is no mean
            "What is the average weight of parcels in kilograms?",
            "SELECT AVG(weight) / 1000.0 AS kg FROM parcel",
            "SELECT SUM(weight) / 1000.0 AS kg FROM parcel",
            "average",
        ),
        (  # a bound of sums on single rows
            "Which members sent more than 5 of weight? Show the member name",
            "SELECT member_name, SUM(weight) AS w FROM member JOIN parcel ON member.member_id = parcel.member_id "
            "GROUP BY member.member_id, member_name HAVING SUM(weight) > 5",
            "SELECT member_name, SUM(weight) AS w FROM member JOIN parcel ON member.member_id = parcel.member_id "
            "WHERE weight > 5 GROUP BY member.member_id, member_name",
            "parcel.weight > 5",
        ),
        (  # the heaviest of all, for that of each
            "What is the largest weight of each member? Show the member name",
            "SELECT member_name, MAX(weight) AS w FROM member JOIN parcel ON member.member_id = parcel.member_id "
            "GROUP BY member.member_id, member_name",
            "SELECT member_name, weight FROM member JOIN parcel ON member.member_id = parcel.member_id "
            "WHERE weight = (SELECT MAX(p.weight) FROM parcel AS p)",
            "each member",
        ),
        (  # a column that differs by one word from the one that is asked for
            "How many parcels leave from each office?",
            "SELECT from_office, COUNT(*) AS n FROM parcel GROUP BY from_office",
            "SELECT to_office, COUNT(*) AS n FROM parcel GROUP BY to_office",
            "to_office",
        ),
        (  # the end that MAX takes is no word for a column
            "What is the highest closing weight?",
            "SELECT MAX(closing_weight) AS w FROM parcel",
            "SELECT MAX(high_weight) AS w FROM parcel",
            "high_weight",
        ),
        (  # what a second sentence asks to show
            "Which parcels have the largest weight, sorted by it? Show the closing weight.",
            "SELECT parcel_id, closing_weight FROM parcel ORDER BY closing_weight DESC",
            "SELECT parcel_id FROM parcel ORDER BY closing_weight DESC",
            "closing_weight",
        ),
        (  # a proportion upside down over subqueries
            "What is the proportion of members in Bogor?",
            "SELECT 1.0 * (SELECT COUNT(*) FROM member WHERE city = 'Bogor') / (SELECT COUNT(*) FROM member) AS share",
            "SELECT 1.0 * (SELECT COUNT(*) FROM member) / (SELECT COUNT(*) FROM member WHERE city = 'Bogor') AS share",
            "1.0 * (SELECT COUNT(*) FROM member) / NULLIF((SELECT COUNT(*) FROM member WHERE city = 'Bogor'), 0)",
        ),
        (
            "What is the proportion of members in Bogor?",
            "SELECT 1.0 * COUNT(*) / (SELECT COUNT(*) FROM member) AS share FROM member WHERE city = 'Bogor'",
            "SELECT 1.0 * (SELECT COUNT(*) FROM member) / COUNT(*) AS share FROM member WHERE city = 'Bogor'",
            "1.0 * (SELECT COUNT(*) FROM member) / NULLIF(COUNT(*), 0)",
        ),
    ],
)
def test_a_hosted_mistake_is_doubted(question: str, right: str, wrong: str, why: str) -> None:
    found = set(doubted(question, wrong)) - set(doubted(question, right))
    assert why in found


@pytest.mark.parametrize(
    "query",
    [
        "SELECT member_name, COUNT(*) AS n FROM member JOIN parcel ON member.member_id = parcel.member_id "
        "GROUP BY member.member_id, member_name",
        "SELECT member.member_name, COUNT(*) AS n FROM member JOIN parcel ON member.member_id = parcel.member_id "
        "GROUP BY member.member_name, member.member_id",
    ],
)
def test_rows_that_count_and_a_key_beside_its_name_are_no_doubt(query: str) -> None:
    """Of the parcels nothing but COUNT(*) is read; the name stands without its table."""
    assert doubted("How many parcels has each member? Show the member name", query) == []


def test_a_bound_between_two_columns_is_of_single_rows() -> None:
    query = (
        "SELECT member_name, SUM(weight - closing_weight) AS w FROM member JOIN parcel "
        "ON member.member_id = parcel.member_id WHERE weight > closing_weight GROUP BY member.member_id, member_name"
    )
    found = doubted("How much weight above the closing weight has each member? Show the member name", query)
    assert "parcel.weight > parcel.closing_weight" not in found
