"""One query of a plan with several is enough for a column or unit that the question names (issue 19)."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.scripts import of

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
    found = uncovered(asked, Plan(queries), schema=Schema.read([TRACKS]))
    assert [word for word in found if word in ("in minutes", "milliseconds")] == words


BILLS = [{"table_name": "Bills", "columns": [{"name": "BillNo"}, {"name": "DueDate"}, {"name": "IsBlacklisted"}]}]


@pytest.mark.parametrize(
    ("question", "right", "wrong", "word"),
    [
        ("How many bills are overdue?", "DueDate < '2023-03-01'", "DueDate > '2023-03-01'", "overdue"),
        ("Overdue bills", "'2023-03-01' > DueDate", "Paid = 0", "overdue"),
        ("Yang belum jatuh tempo", "DueDate >= '2023-03-01' AND Paid = 0", "DueDate < '2023-03-01'", "jatuh tempo"),
        ("Blacklisted bills", "IsBlacklisted = 1", "Paid = 0", "blacklisted"),
    ],
)
def test_what_is_due_or_flagged_is_selected_by_its_column(question: str, right: str, wrong: str, word: str) -> None:
    """All the wrong ones had 100 points."""
    found = []
    for condition in (right, wrong):
        query = f"SELECT BillNo FROM Bills WHERE {condition}"
        plan = of(query, "R")
        found.append(uncovered(question, plan, schema=Schema.read(BILLS)))
    assert word not in found[0] and word in found[1]


STOCKS = [
    {"table_name": "stocks", "columns": [{"name": name} for name in ("ticker_symbol", "company_name", "price")]},
    {"table_name": "trades", "columns": [{"name": name} for name in ("trade_id", "ticker_symbol", "amount")]},
]


@pytest.mark.parametrize(
    ("query", "tables", "words"),
    [
        ("SELECT company_name FROM stocks", STOCKS[:1], ["symbol"]),
        ("SELECT ticker_symbol FROM stocks", STOCKS[:1], []),
        ("SELECT company_name FROM stocks JOIN trades USING (ticker_symbol)", STOCKS, []),
    ],
)
def test_the_last_word_of_a_column_s_name_asks_for_it(query: str, tables: list[Any], words: list[str]) -> None:
    found = uncovered("List the symbol of each company by name", of(query, "R"), schema=Schema.read(tables))
    assert [word for word in found if word == "symbol"] == words
