"""How figures are shown follows from what their queries compute, not from their names alone (seed 003 §3.3, §3.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.answer.formats import settled
from agentd.apps.analytics.answer.placeholders import rules_for, units_of
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.query import Query
from tests.agentd.apps.analytics.office import Office, plan
from tests.agentd.apps.analytics.scripts import SALES, table

TABLES = [
    table("bills", "amount financial_amount, paid financial_amount, qty quantitative, due temporal, no identifier")
]
QUESTION = "Berapa penjualan?"


def shown_as(query: str, **declared: str) -> dict[str, str]:
    found = {each.name: each for each in Query("N", query).columns}
    return settled(declared, found, Schema.read(TABLES))[0]


def test_the_columns_of_a_table_have_the_unit_that_their_figures_are_told_in() -> None:
    rows = [{"NAME": "a", "TOTAL": None, "PART": 12.5, "N": 3}, {"NAME": "b", "TOTAL": 1.5, "PART": 7.5, "N": 4}]
    mapping = {"TOTAL": "currency_IDR:2", "PART": "percent_points", "N": "number_with_separator"}
    assert units_of(rows, mapping, "USD") == {"TOTAL": "USD", "PART": "%"}
    assert units_of(rows, mapping, "IDR") == {"TOTAL": "Rp", "PART": "%"}
    assert units_of([], mapping, "IDR") == {}


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("SUM(amount)", "currency_IDR"),
        ("SUM(b.amount - b.paid)", "currency_IDR"),
        ("COALESCE(ROUND(AVG(amount), 2), 0)", "currency_IDR"),
        ("SUM(amount) / COUNT(*)", "currency_IDR"),
        ("SUM(amount) / SUM(qty)", "currency_IDR"),
        ("SUM(paid) / SUM(amount)", "percentage"),
        ("ROUND(100.0 * SUM(paid) / SUM(amount), 1)", "percent_points"),
        ("SUM(paid) * 100 / SUM(amount)", "percent_points"),
        ("COUNT(DISTINCT no)", "number_with_separator"),
        ("SUM(CASE WHEN due < '2023-01-01' THEN 1 ELSE 0 END)", None),
        ("SUM(CASE WHEN qty > 1 THEN amount END)", "currency_IDR"),
        ("AVG(DATEDIFF('2023-03-01', due))", "number_with_separator"),
        ("JULIANDAY('2023-03-01') - JULIANDAY(due)", "number_with_separator"),
        ("SUM(qty)", "number_with_separator"),
        ("MAX(due)", "date_long"),
        ("no", "text"),
    ],
)
def test_a_format_follows_from_what_the_query_computes(column: str, kind: str | None) -> None:
    assert shown_as(f"SELECT {column} AS MARGIN FROM bills b").get("MARGIN") == kind


def test_an_amount_by_an_amount_is_a_share_whatever_it_is_called() -> None:
    """ "The discount rate is Rp 0,04"."""
    assert shown_as("SELECT SUM(paid) / SUM(amount) AS DISCOUNT_RATE FROM bills") == {"DISCOUNT_RATE": "percentage"}


def test_a_column_of_a_subquery_is_what_it_is_inside() -> None:
    query = "WITH s AS (SELECT no, SUM(amount) AS total FROM bills GROUP BY no) SELECT AVG(total) AS MEAN FROM s"
    assert shown_as(query) == {"MEAN": "currency_IDR"}
    outer = "SELECT x.part AS PART FROM (SELECT 100 * SUM(paid) / SUM(amount) AS part FROM bills) x"
    assert shown_as(outer) == {"PART": "percent_points"}


@pytest.mark.parametrize(
    ("declared", "column", "kind"),
    [
        ("percentage", "SUM(paid) / SUM(amount) * 100", "percent_points"),
        ("percentage", "SUM(amount)", "currency_IDR"),
        ("percentage", "SUM(paid) / SUM(amount)", "percentage"),
        ("currency_IDR", "COUNT(*)", "number_with_separator"),
        ("currency_IDR", "MAX(due)", "date_long"),
        ("terbilang", "SUM(amount)", "terbilang"),
        ("currency_IDR:2", "SUM(amount)", "currency_IDR:2"),
    ],
)
def test_a_declared_format_stands_unless_the_query_contradicts_it(declared: str, column: str, kind: str) -> None:
    assert shown_as(f"SELECT {column} AS X FROM bills", X=declared)["X"] == kind


def test_the_order_of_a_list_is_known_by_column_expression_or_place() -> None:
    assert Query("N", "SELECT no, SUM(paid) AS P FROM bills GROUP BY no ORDER BY P DESC").order == {"p": "desc"}
    assert Query("N", "SELECT no, SUM(paid) AS P FROM bills GROUP BY no ORDER BY SUM(paid)").order == {"p": "asc"}
    assert Query("N", "SELECT no, SUM(paid) AS P FROM bills GROUP BY no ORDER BY 2 DESC").order == {"p": "desc"}
    assert Query("N", "SELECT no FROM bills").order == {}


def test_what_is_derived_is_said() -> None:
    """Issue 19: what the model leaves out is derived, and said to be derived."""
    made = read_plan(
        {"sql_queries_plan": [{"query": "SELECT SUM(amount) AS t FROM bills", "result_key": "T", "purpose": "Nilai"}]},
        "sql",
        {},
        [],
        Schema.read(TABLES),
    )
    assert made.template == "Nilai: {T}"
    assert made.rules == [{"rule": "non_negative", "result_key": "T", "severity": "critical", "derived": True}]
    details = made.changes()["technical_error_details"]
    for part in ("placeholder_mapping.T = currency_IDR (derived)", "T >= 0 (derived)", "response_template (derived)"):
        assert part in details


JANUARY = "SELECT SUM(total_amount) AS m FROM sales_orders WHERE order_date LIKE '2023-01%'"


async def narrative(
    erp: Path, query: str, key: str = "MARGIN", question: str = QUESTION, **more: Any
) -> dict[str, Any]:
    office = Office(erp, SALES, plan((key, query), template=f"Margin {{{key}}}.", **more))
    return await office.ask(question)


async def test_an_amount_called_margin_is_no_percentage(erp: Path) -> None:
    """Issue 19: MARGIN = 125000000.5 read "12.500.000.050%" with 100 points."""
    answer = await narrative(erp, JANUARY, question="Penjualan Januari 2023?")
    assert answer["final_narrative"] == "Margin Rp 125.000.000,50."
    assert answer["executive_summary"] == {"MARGIN": "Rp 125.000.000,50"}


async def test_a_percentage_that_its_query_made_is_not_multiplied_again(erp: Path) -> None:
    """Issue 19: a declared percentage multiplied by 100 in SQL printed "1.875%"."""
    share = "SELECT 100.0 * SUM(CASE WHEN order_id < 'SO-2' THEN 3 ELSE 0 END) / SUM(16) AS m FROM sales_orders"
    fixed = "SELECT 100.0 * 3 / 16 AS m"
    for query, words in ((fixed, "Margin 18,75%."), (share, None)):
        answer = await narrative(erp, query, placeholder_mapping={"MARGIN": "percentage"})
        assert words is None or answer["final_narrative"] == words
        assert answer["executive_summary"]["MARGIN"].count("%") == 1
    assert answer["final_narrative"].count("%") == 1


async def test_a_negative_total_is_not_shown(erp: Path) -> None:
    """seed 003 §3.5: "total penjualan negatif yang signifikan"; it passed with 90 points."""
    query = "SELECT SUM(total_amount * -1) AS t FROM sales_orders"
    answer = await narrative(erp, query, key="TOTAL_SALES")
    assert answer["validation_status"] in ("passed_with_warnings", "failed_critical")
    rows = [{"t": -5.0}]
    office = Office(
        erp,
        SALES,
        plan(("TOTAL_SALES", "SELECT SUM(total_amount) AS t FROM sales_orders"), template="{TOTAL_SALES}"),
        execute_sql_query=lambda _: {"batch_results": [{"status": "success", "results": rows}]},
    )
    answer = await office.ask(QUESTION)
    assert (answer["status"], answer["validation_status"]) == ("failed", "failed_critical")


async def test_a_total_of_zero_is_warned_of(erp: Path) -> None:
    office = Office(
        erp,
        SALES,
        plan(("TOTAL_SALES", "SELECT SUM(total_amount) AS t FROM sales_orders"), template="{TOTAL_SALES}"),
        execute_sql_query=lambda _: {"batch_results": [{"status": "success", "results": [{"t": 0}]}]},
    )
    answer = await office.ask(QUESTION)
    assert answer["validation_status"] == "passed_with_warnings"
    assert any("nol" in warning for warning in answer["warnings_for_display"])


@pytest.mark.parametrize(("value", "digits"), [(6.559986868, 2), (0.0000612349, 6), (16.6667, None), (12, None)])
def test_a_quotient_is_shown_with_few_decimals(value: float, digits: int | None) -> None:
    assert rules_for({"N": "number_with_separator"}, {"N": value})["N"].get("precision") == digits
