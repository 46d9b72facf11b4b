"""Figures that a query changes by what nobody said, days that it bounds loosely, rows that count twice (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.checks.guarded_times import loosely_bound, not_yet, other_months, part_of_the_period
from agentd.apps.analytics.checks.joins import misjoined, united_twice
from agentd.apps.analytics.checks.reckoning import altered
from agentd.apps.analytics.schema import Schema
from agentd.clock import clock_of
from tests.agentd.apps.analytics.scripts import of

AUGUST = {"START_DATE": "1996-08-01", "END_DATE": "1996-08-31"}
KEYS = [{"from_table": "Lines", "from_column": "OrderID", "to_table": "Orders", "to_column": "OrderID"}]
TABLES = [
    {"table_name": "Orders", "columns": [{"name": "OrderID"}, {"name": "Freight"}]},
    {"table_name": "Lines", "columns": [{"name": "OrderID"}, {"name": "Code", "type": "VARCHAR(9)"}]},
]


@pytest.mark.parametrize(
    ("question", "figure", "doubted"),
    [
        ("Total freight?", "SUM(Freight) * 1000", True),
        ("Total freight?", "SUM(Freight * 1.11)", True),
        ("Total freight ditambah 11 persen?", "SUM(Freight) * 11", False),
        ("Total freight dalam ribuan?", "SUM(Freight) / 1000", False),
        ("Total freight?", "SUM(Freight * (1 - Discount))", False),
        ("Berapa persen?", "100.0 * SUM(CASE WHEN OrderID = 7 THEN 1 ELSE 0 END) / COUNT(*)", False),
        ("Rata-rata freight per bulan?", "SUM(Freight) / 12.0", False),
        ("Total freight?", "SUM(NULLIF(Freight, 3))", True),
        ("Total freight?", "SUM(MIN(Freight, 2))", True),
        ("Total freight?", "SUM(DISTINCT Freight)", True),
        ("Total freight?", "SUM(CAST(Freight AS INTEGER))", True),
        ("Total freight?", "SUM(ROUND(Freight))", True),
        ("Average freight?", "AVG(FLOOR(Freight))", True),
        ("Total freight?", "SUM(ROUND(Freight, 2))", False),
        ("Total of the codes?", "SUM(CAST(Code AS INTEGER))", False),
        ("Total freight?", "ROUND(SUM(Freight), -3)", True),
        ("Total freight?", "ROUND(SUM(Freight), 2)", False),
    ],
)
def test_a_figure_that_is_changed_by_what_nobody_said_is_in_doubt(question: str, figure: str, doubted: bool) -> None:
    assert bool(list(altered(question, of(f"SELECT {figure} AS n FROM Orders"), Schema.read(TABLES)))) is doubted


@pytest.mark.parametrize(
    ("query", "doubted"),
    [
        ("SELECT MAX(Freight) FROM Orders ORDER BY OrderDate DESC LIMIT 1", True),
        ("SELECT MAX(Freight) AS f FROM Orders ORDER BY f", False),
        ("SELECT OrderDate, MAX(Freight) FROM Orders GROUP BY OrderDate ORDER BY OrderDate", False),
        ("SELECT OrderID FROM Orders WHERE Freight <> (SELECT Freight FROM Orders)", True),
        ("SELECT OrderID FROM Orders WHERE Freight = (SELECT MAX(Freight) FROM Orders)", False),
        ("SELECT OrderID FROM Orders WHERE Freight > (SELECT Freight FROM Orders WHERE OrderID = 7)", False),
        ("SELECT OrderID FROM Orders WHERE OrderID IN (SELECT OrderID FROM Lines)", False),
    ],
)
def test_one_of_several_rows_taken_at_random_is_in_doubt(query: str, doubted: bool) -> None:
    assert bool(list(altered("Orders?", of(query), Schema.read(TABLES)))) is doubted


def test_what_one_of_two_is_enough_for_is_no_intersection() -> None:
    both = of("SELECT OrderID FROM Orders WHERE Freight = 1 INTERSECT SELECT OrderID FROM Orders WHERE Freight = 2")
    assert list(altered("Orders with freight 1 or 2?", both, Schema.read(TABLES)))
    assert not list(altered("Orders with freight 1 and 2?", both, Schema.read(TABLES)))


def test_a_unit_of_time_may_be_in_the_columns_name_instead() -> None:
    shown = {
        "Milliseconds / 60000.0 AS menit": False,
        "Milliseconds / 60000.0 AS jam": True,
        "Freight / 1000 AS k": True,
    }
    for figure, doubted in shown.items():
        assert bool(list(altered("Durasi lagu?", of(f"SELECT {figure} FROM Orders"), Schema.read(TABLES)))) is doubted


@pytest.mark.parametrize(
    ("question", "sum_", "doubted"),
    [
        ("Freight per month?", "SUM(SUM(Freight)) OVER (ORDER BY m)", True),
        ("Cumulative freight per month?", "SUM(SUM(Freight)) OVER (ORDER BY m)", False),
        ("Ongkos kirim kumulatif per bulan?", "SUM(Freight)", True),
    ],
)
def test_a_running_total_is_given_where_it_is_asked_for(question: str, sum_: str, doubted: bool) -> None:
    assert (
        bool(list(altered(question, of(f"SELECT m, {sum_} AS n FROM Orders GROUP BY m"), Schema.read(TABLES))))
        is doubted
    )


@pytest.mark.parametrize(
    ("condition", "doubted"),
    [
        ("d >= '1996-08-01' OR d < '1996-09-01'", True),
        ("NOT (d >= '1996-08-01' AND d < '1996-09-01')", True),
        ("d LIKE '1996-08-0%'", True),
        ("d LIKE '1996-08-%'", False),
        ("strftime('%Y', d) = '1996'", True),
        ("strftime('%Y', d) = '1996' AND strftime('%m', d) = '08'", False),
        ("YEAR(d) = 1996 AND MONTH(d) = 8", False),
        ("(d >= '1996-08-01' AND d <= '1996-08-31') OR paid IS NULL", False),
    ],
)
def test_days_that_are_bound_loosely_are_in_doubt(condition: str, doubted: bool) -> None:
    plan = of(f"SELECT SUM(Freight) AS n FROM Orders WHERE {condition}")
    assert bool([*loosely_bound("Freight Agustus 1996", plan), *part_of_the_period(plan, AUGUST)]) is doubted


def test_what_is_still_to_come_is_no_zero() -> None:
    plan = of("SELECT COUNT(*) AS n FROM Orders WHERE d >= '1996-08-01' AND d < '1996-09-01'")
    assert [list(not_yet(plan, today)) for today in ("1996-07-31", "1996-08-09")] == [["1996-08-01"], []]


@pytest.mark.parametrize("month", ["strftime('%m', d) = '07'", "EXTRACT(MONTH FROM d) = 7", "substr(d, 6, 2) = '07'"])
def test_another_month_is_read_however_it_is_written(month: str) -> None:
    plan = of(f"SELECT 1 FROM Orders WHERE {month}")
    assert [fault for select in plan.selects[0].selects for fault in other_months(select, AUGUST)]


def test_an_amount_is_counted_twice_behind_a_subquery_s_name_too() -> None:
    joined = "SELECT o.Freight AS f FROM Orders o JOIN Lines l ON l.OrderID = o.OrderID"
    assert misjoined(of(f"SELECT SUM(f) FROM ({joined}) AS x"), Schema.read(TABLES, KEYS))
    assert misjoined(of(f"WITH x AS ({joined}) SELECT SUM(x.f) FROM x"), Schema.read(TABLES, KEYS))
    assert not misjoined(of("SELECT SUM(f) FROM (SELECT Freight AS f FROM Orders) AS x"), Schema.read(TABLES, KEYS))


def test_rows_of_one_table_in_two_branches_may_count_twice() -> None:
    both = "SELECT Freight AS f FROM Orders WHERE a = 1 UNION ALL SELECT {} WHERE b = 1"
    assert list(united_twice(of(f"SELECT SUM(f) FROM ({both.format('Freight FROM Orders')}) AS x").selects[0]))
    assert not list(united_twice(of(f"SELECT SUM(f) FROM ({both.format('Amount FROM Lines')}) AS x").selects[0]))
    assert not list(united_twice(of(both.format("Freight FROM Orders")).selects[0]))


def test_right_plans_in_other_sql_are_in_no_doubt() -> None:
    dates = of(
        "SELECT SUM(Freight) AS n FROM Orders WHERE substr(d, 1, 7) = '1996-08' AND d < date('1996-08-01', '+1 month')"
    )
    assert not list(uncovered("Total freight Agustus 1996?", dates))
    summed = of("SELECT SUM(t) AS n FROM (SELECT OrderID, SUM(Freight) AS t FROM Orders GROUP BY OrderID) AS x")
    today = clock_of("1996-09-20T02:00:00+00:00").now().date()
    assert not [
        each for each in unaccounted("Total freight?", summed, Schema.read(TABLES), today) if each.startswith("GROUP")
    ]


@pytest.mark.parametrize(
    ("question", "query", "doubted"),
    [
        ("Which is the largest?", "SELECT Freight FROM Orders ORDER BY Freight DESC LIMIT 1 OFFSET 4", True),
        ("Which is the second largest?", "SELECT Freight FROM Orders ORDER BY Freight DESC LIMIT 1 OFFSET 1", False),
        ("How many in Germany?", "SELECT COUNT(*) FROM Orders WHERE a = 'Germany' OR 1 = 1", True),
        ("How many?", "SELECT COUNT(*) - 1 FROM Orders", True),
    ],
)
def test_rows_that_are_skipped_or_kept_for_nothing_are_in_doubt(question: str, query: str, doubted: bool) -> None:
    assert bool(list(altered(question, of(query), Schema.read(TABLES)))) is doubted
