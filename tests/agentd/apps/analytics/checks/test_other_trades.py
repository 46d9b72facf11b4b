"""Plans over a hospital and a film rental, as offices of other trades would ask. Each wrong one had 100 points."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from agentd.apps.analytics.checks.doubts import doubts, of_the_answer, refusals
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, SqlQueryPlan
from tests.agentd.apps.analytics.scripts import of, table

TODAY = date(2008, 11, 30)


TABLES = [
    table("Nurse", "NurseID identifier key, Name descriptive, Registered flag", purpose="perawat"),
    table("Room", "RoomNumber identifier key, Unavailable flag", purpose="kamar"),
    table(
        "Stay",
        "StayID identifier key, Room identifier, StayStart temporal DATETIME, StayEnd temporal DATETIME",
        purpose="rawat inap",
        date="StayStart",
    ),
    table("Procedures", "Code identifier key, Name descriptive, Cost financial_amount (biaya)", purpose="prosedur"),
    table(
        "customer", "customer_id identifier key, active flag (aktif), country descriptive (negara)", purpose="pelanggan"
    ),
    table(
        "payment",
        "payment_id identifier key, customer_id identifier, amount financial_amount, payment_date temporal DATETIME",
        purpose="pembayaran",
        date="payment_date",
    ),
    table(
        "rental",
        "rental_id identifier key, rental_date temporal DATETIME, return_date temporal DATETIME",
        purpose="sewa, disewa",
        date="rental_date",
    ),
]


def doubted(question: str, *queries: str, template: str = "") -> list[str]:
    steps: list[SqlQueryPlan] = [
        {"purpose": "", "query": query, "result_key": f"R{nth}"} for nth, query in enumerate(queries)
    ]
    made = Plan(steps, None, [], template, {}, [])
    state = AgentState(user_query=question, relevant_tables=TABLES, conversation_history=[])
    return of_the_answer(state, replace(made, unmet=doubts(state, made, TODAY)), TODAY, [])


@pytest.mark.parametrize(
    ("question", "query", "word"),
    [
        ("Which nurses are not registered?", "SELECT Name FROM Nurse WHERE Registered = 1", "Registered = 1"),
        (
            "How many rentals have not been returned?",
            "SELECT COUNT(*) FROM rental WHERE return_date IS NOT NULL",
            "IS NULL",
        ),
        ("Which rooms are unavailable?", "SELECT DISTINCT Room FROM Stay", "unavailable"),
        ("What was our profit?", "SELECT SUM(amount) FROM payment", "profit"),
        ("Berapa laba dari pembayaran?", "SELECT SUM(amount) FROM payment", "laba"),
        ("Berapa pelanggan aktif?", "SELECT COUNT(*) AS n FROM customer", "aktif"),
        ("Berapa pelanggan aktif?", "SELECT COUNT(*) AS n FROM customer WHERE active = 0", "active = 0"),
        ("Berapa pelanggan aktif dan tidak aktif?", "SELECT COUNT(*) AS n FROM customer WHERE active = 1", "aktif"),
        (
            "Prosedur termahal apa dan berapa biayanya?",
            "SELECT Name FROM Procedures ORDER BY Cost DESC LIMIT 1",
            "berapa",
        ),
        (
            "Siapa pelanggan dengan total pembayaran terbesar?",
            "SELECT customer_id, COUNT(*) AS total FROM payment GROUP BY customer_id ORDER BY total DESC LIMIT 1",
            "payment",
        ),
        (
            "Berapa rata-rata lama rawat inap dalam hari?",
            "SELECT AVG(TIMESTAMPDIFF(HOUR, StayStart, StayEnd)) AS hari FROM Stay",
            "hour",
        ),
        (
            "What share of the payments is above 5?",
            "SELECT SUM(amount) AS share FROM payment WHERE amount > 5",
            "share",
        ),
    ],
)
def test_what_the_question_denies_or_adds_is_in_the_plan(question: str, query: str, word: str) -> None:
    assert any(word in each for each in doubted(question, query))


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Which nurses are not registered?", "SELECT Name FROM Nurse WHERE Registered = 0"),
        ("Berapa pelanggan aktif dan tidak aktif?", "SELECT active, COUNT(*) AS n FROM customer GROUP BY active"),
        ("Prosedur termahal apa dan berapa biayanya?", "SELECT Name, Cost FROM Procedures ORDER BY Cost DESC LIMIT 1"),
        ("Berapa rata-rata lama rawat inap dalam hari?", "SELECT AVG(DATEDIFF(StayEnd, StayStart)) AS hari FROM Stay"),
        ("Berapa pelanggan di negara Kanada?", "SELECT COUNT(*) AS n FROM customer WHERE country = 'Canada'"),
    ],
)
def test_right_plans_of_other_trades_are_not_doubted(question: str, query: str) -> None:
    assert doubted(question, query) == []


def test_one_part_without_the_period_of_the_other_is_doubted() -> None:
    spent = "SELECT SUM(amount) AS s FROM payment WHERE payment_date >= '2008-08-01' AND payment_date < '2008-09-01'"
    every = "SELECT COUNT(*) AS n FROM rental"
    asked = "How much was paid in August 2008 and how many rentals were there?"
    assert "rental_date" in doubted(asked, spent, every)
    within = f"{every} WHERE rental_date >= '2008-08-01' AND rental_date < '2008-09-01'"
    assert "rental_date" not in doubted(asked, spent, within)


def test_a_price_counts_for_each_row_that_has_no_figure_of_its_own() -> None:
    """What a procedure costs, each time that it was performed; a customer's limit isn't owed for each order."""
    done = table("Undergoes", "UndergoesID identifier key, Code identifier")
    prices = next(each for each in TABLES if each["table_name"] == "Procedures")
    join = {"from_table": "Undergoes", "from_column": "Code", "to_table": "Procedures", "to_column": "Code"}
    query = "SELECT SUM(p.Cost) AS total FROM Undergoes u JOIN Procedures p ON p.Code = u.Code"
    made = of(query, "TOTAL")
    state = AgentState(user_query="", relevant_tables=[done, prices], table_relationships=[join])
    assert refusals(state, made, TODAY) == []
    state["relevant_tables"] = [done, prices, next(each for each in TABLES if each["table_name"] == "payment")]
    assert len(refusals(state, made, TODAY)) == 1


def test_a_fraction_before_a_percent_sign_is_shown_in_percent() -> None:
    query = "SELECT 1.0 * SUM(CASE WHEN active = 1 THEN 1 ELSE 0 END) / COUNT(*) AS result FROM customer"
    value = {"sql_queries_plan": [{"query": query, "result_key": "RESULT"}], "response_template": "{RESULT}% aktif."}
    made = read_plan(value, "sql", {}, ["Berapa persen pelanggan aktif?"], Schema.read(TABLES, dialect="sqlite"))
    assert made.mapping["RESULT"] == "percentage"
