"""The same figure in other SQL is as sure as in plain SQL (issue 19)."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.checks.guarded_times import timeless_whole
from agentd.apps.analytics.checks.limits import as_asked
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql import edits
from tests.agentd.apps.analytics.checks.test_accounting import doubts
from tests.agentd.apps.analytics.office import Office, plan
from tests.agentd.apps.analytics.scripts import JANUARY, SALES

BY_MONTH = "GROUP BY strftime('%Y-%m', order_date)"


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("SELECT TOTAL(x) AS TOTAL FROM t ORDER BY TOTAL", "SELECT SUM(x) AS TOTAL FROM t ORDER BY TOTAL"),
        ("SELECT AVG(x + (y)) * COUNT(*) AS n FROM t", "SELECT SUM(x + (y)) AS n FROM t"),
        ("SELECT AVG(x) * COUNT(y), total FROM t", "SELECT AVG(x) * COUNT(y), total FROM t"),
    ],
)
def test_a_total_by_another_name_becomes_a_sum(query: str, plain: str) -> None:
    assert edits.totals(query) == plain


@pytest.mark.parametrize(
    ("query", "sure"),
    [
        (f"SELECT SUM(total_amount) AS t FROM sales_orders {JANUARY} {BY_MONTH}", True),
        (f"SELECT SUM(total_amount) AS t FROM sales_orders {JANUARY} {BY_MONTH} HAVING COUNT(*) > 0", False),
        (f"SELECT COUNT(*) AS t FROM (SELECT 1 FROM sales_orders {JANUARY} {BY_MONTH}) x", False),
    ],
)
async def test_the_one_group_of_a_period_is_its_total(erp: Path, query: str, sure: bool) -> None:
    answer = await Office(erp, SALES, *2 * [plan(("T", query), template="{T}")]).ask("Total penjualan Januari 2023?")
    assert (answer["quality_score"] >= 90) is sure


def test_a_mean_may_be_a_sum_over_the_number_of_rows() -> None:
    assert doubts("Rata-rata freight?", "SELECT SUM(Freight) / COUNT(*) AS f FROM Orders") == []
    assert doubts("Total freight?", "SELECT SUM(Freight) / COUNT(*) AS f FROM Orders") == ["COUNT(*)"]


def test_rows_of_a_key_are_counted_behind_a_join_on_it() -> None:
    each = "SELECT c.CompanyName AS n, COUNT(*) AS k FROM Customers c"
    tail = "GROUP BY c.CustomerID, c.CompanyName ORDER BY k DESC LIMIT 1"
    joined = f"{each} JOIN Orders o ON o.CustomerID = c.CustomerID {tail}"
    assert doubts("Customer dengan order terbanyak?", joined) == []
    assert "GROUP BY CustomerID" in doubts("Customer dengan order terbanyak?", f"{each} {tail}")


def test_the_whole_of_a_share_is_of_the_same_time() -> None:
    of = "SELECT 100.0 * COUNT(*) / (SELECT COUNT(*) FROM Orders{}) AS p FROM Orders WHERE d >= '1996-01-01'"
    queries = [
        {"purpose": "", "query": of.format(days), "result_key": "P"} for days in (" WHERE d >= '1996-01-01'", "")
    ]
    found = [list(timeless_whole(Plan([query], None, [], "{P}", {}, []))) for query in queries]
    assert [len(each) for each in found] == [0, 1]


def test_rates_of_discount_are_not_added_up() -> None:
    lines = {"table_name": "Lines", "columns": [{"name": "Discount", "type": "REAL"}, {"name": "Quantity"}]}
    amounts = {"table_name": "Lines", "columns": [{"name": "Discount", "type": "DECIMAL(9, 2)"}, {"name": "Quantity"}]}
    added = Plan(
        [{"purpose": "", "query": "SELECT SUM(Discount) AS d FROM Lines", "result_key": "D"}], None, [], "", {}, []
    )
    assert uncovered("Total diskon?", added, schema=Schema.read([lines])) == ["SUM(Discount)"]
    assert uncovered("Total diskon?", added, schema=Schema.read([amounts])) == []


def test_a_row_that_repeats_is_shown_once() -> None:
    assert as_asked("SELECT SUM(x) OVER () AS f FROM t LIMIT 1", "Total x?").endswith("LIMIT 1")
    assert as_asked("SELECT SUM(x) OVER (ORDER BY d) AS f FROM t LIMIT 1", "Total x?").endswith("t")
