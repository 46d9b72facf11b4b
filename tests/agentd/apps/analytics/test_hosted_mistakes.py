"""What hosted models get wrong in plans, forty ways: each is caught with its reason, or harmless. Issue 19.

A scripted model makes the mistake and repeats it whatever it is answered; what is told must be true all the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agentd.apps.analytics.office import SCHEMA, Office, differs, plan, unsure
from tests.agentd.apps.analytics.scripts import SALES, table

QUESTION = "Berapa total penjualan Januari 2023?"
JANUARY = "order_date >= '2023-01-01' AND order_date <= '2023-01-31'"
SUM = f"SELECT SUM(total_amount) AS total FROM sales_orders WHERE {JANUARY}"
COUNT = f"SELECT COUNT(*) AS n FROM sales_orders WHERE {JANUARY}"
RIGHT = plan(("TOTAL", SUM), template="Total {TOTAL}.")
TRUE = "Total Rp 125.000.000,50."
HEADED = "Berapa total penjualan Januari 2023: Rp 125.000.000,50"
NO_SUM = differs("total")
SHARE = f"SELECT 100.0 * SUM(total_amount) / SUM(total_amount * 4) AS s FROM sales_orders WHERE {JANUARY}"
LINES = table("order_lines", "line_id identifier VARCHAR, order_id identifier VARCHAR, quantity quantitative INTEGER")
BOTH = {
    **SCHEMA,
    "relevant_tables": [*SCHEMA["relevant_tables"], LINES],  # type: ignore[misc]
    "table_relationships": [
        {"from_table": "order_lines", "from_column": "order_id", "to_table": "sales_orders", "to_column": "order_id"}
    ],
}


def entry(**fields: Any) -> dict[str, Any]:
    return {"sql_queries_plan": [fields], "response_template": "Total {TOTAL}."}


def asked(query: str, template: str = "Total {TOTAL}.", **more: Any) -> dict[str, Any]:
    return plan(("TOTAL", query), template=template, **more)


HARMLESS: dict[str, tuple[Any, str]] = {
    "fenced": (f"Berikut:\n```json\n{json.dumps(RIGHT)}\n```", TRUE),
    "a JSON string": (json.dumps(json.dumps(RIGHT)), TRUE),
    "words around it": (f"Tentu! {json.dumps(RIGHT)} Semoga membantu.", TRUE),
    "wrapped": ({"plan": RIGHT}, TRUE),
    "bare queries": ({"sql_queries_plan": [SUM], "response_template": "Total {RESULT}."}, TRUE),
    "sql for query": (entry(sql=SUM, result_key="TOTAL"), TRUE),
    "a key in braces": (entry(query=SUM, result_key="{TOTAL}"), TRUE),
    "a semicolon": (asked(SUM + ";"), TRUE),
    "another case": (asked(SUM, "Total {total}."), TRUE),
    "the unit twice": (asked(SUM, "Total Rp {TOTAL}."), TRUE),
    "an unknown format": (asked(SUM, placeholder_mapping={"TOTAL": "pretty_money"}), TRUE),
    "a sum as a percentage": (asked(SUM, placeholder_mapping={"TOTAL": "percentage"}), TRUE),
    "a count as money": (
        asked(COUNT, placeholder_mapping={"TOTAL": "currency_IDR"}),
        unsure(f"{NO_SUM} {differs('sales')}", "Total 456."),
    ),
    "percent twice": (
        asked(SHARE, "Bagian {TOTAL}%.", placeholder_mapping={"TOTAL": "percentage"}),
        unsure(differs("total_amount * 4"), "Bagian 25%."),
    ),
    "a date for money": (asked(SUM, placeholder_mapping={"TOTAL": "date_long"}), "Total 125000000.5."),
    "no template": ({"sql_queries_plan": [{"query": SUM, "result_key": "TOTAL"}]}, HEADED),
    "another subject": (asked(SUM, "Utang ke pemasok {TOTAL}."), HEADED),
    "another country": (asked(SUM, "Total penjualan ke Jerman {TOTAL}."), HEADED),
    "words of its own": (asked(SUM, "Total {TOTAL}. Gudang bersih fantastis {TOTAL}."), TRUE),
    "said twice": (asked(SUM, "Total {TOTAL}. Total {TOTAL}."), TRUE),
    "all of it twice": (asked(SUM, "Total\n{TOTAL} Total\n{TOTAL}"), "Total\nRp 125.000.000,50"),
    "stammered": (asked(SUM, "Jadi, Jadi, Total {TOTAL}."), "Jadi, Total Rp 125.000.000,50."),
    "a rise of its own": (asked(SUM, "Total {TOTAL}. Ini naik tajam."), TRUE),
    "a doubling": (asked(SUM, "Total {TOTAL} naik dua kali lipat."), HEADED),
    "a superlative": (asked(SUM, "Total {TOTAL}. Ini yang tertinggi."), TRUE),
    "English praise": (asked(SUM, "Total {TOTAL}. Sales increased significantly."), TRUE),
    "a cut list": (
        asked(f"SELECT COUNT(*) AS n FROM sales_orders WHERE {JANUARY} LIMIT 1"),
        unsure(f"{NO_SUM} {differs('sales')}", "Total 456."),
    ),
    "a quotient of integers": (
        asked(f"SELECT COUNT(*) / 912 AS n FROM sales_orders WHERE {JANUARY}"),
        unsure(f"{NO_SUM} {differs('COUNT(*) * 1.0 / NULLIF(912, 0)')}", "Total 0,5."),
    ),
    "a result left out": (
        plan(("TOTAL", SUM), ("COUNT", COUNT), template="Total {TOTAL}."),
        unsure(NO_SUM, f"{TRUE}\ncount: 456"),
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
async def test_a_harmless_mistake_tells_the_truth(erp: Path, name: str) -> None:
    made, words = HARMLESS[name]
    answer = await Office(erp, SALES, made).ask(QUESTION)
    assert answer["final_narrative"] == words


CAUGHT: dict[str, tuple[Any, str]] = {
    "deletes": (asked("DELETE FROM sales_orders"), "only SELECT may be planned"),
    "inserts": (asked("INSERT INTO sales_orders SELECT * FROM sales_orders"), "only SELECT may be planned"),
    "writes a file": (asked("SELECT 1 INTO OUTFILE '/tmp/x'"), "only SELECT may be planned"),
    "SQL in a fence": (asked(f"```sql\n{SUM}\n```"), "only SELECT"),
    "no such table": (asked(f"SELECT SUM(total) FROM penjualan WHERE {JANUARY}"), "no such table: penjualan"),
    "no such column": (asked(f"SELECT SUM(grand) FROM sales_orders WHERE {JANUARY}"), "no such column: grand"),
    "a number of its own": (asked(SUM, "Total Rp 125 dari {TOTAL}."), "numbers of its own (125)"),
    "a number in words": (asked(SUM, "Sekitar seratus juta, tepatnya {TOTAL}."), "numbers of its own"),
    "an English number in words": (asked(SUM, "Twelve invoices make {TOTAL}."), "numbers of its own (twelve)"),
    "a number in small words": (asked(SUM, "Ada tiga faktur, total {TOTAL}."), "numbers of its own (tiga)"),
    "another year": (asked(SUM.replace("2023", "2022")), "it asks for 2022"),
    "another year by function": (
        asked("SELECT SUM(total_amount) AS t FROM sales_orders WHERE strftime('%Y', order_date) = '2021'"),
        "it asks for 2021",
    ),
    "no period": (asked("SELECT SUM(total_amount) AS t FROM sales_orders"), "limited to the period"),
    "until today": (asked(SUM.replace("'2023-01-31'", "'{TODAY}'")), "names no period for TODAY"),
    "half of the month": (asked(SUM.replace("2023-01-01", "2023-01-15")), "asks for 2023-01-15"),
    "a limit inside": (
        asked(f"SELECT SUM(total_amount) AS t FROM (SELECT * FROM sales_orders WHERE {JANUARY} LIMIT 99) AS s"),
        "a LIMIT 99 inside",
    ),
    "a period that nobody named": (asked(SUM + " AND order_date < '{END_DATE_2}'"), "names no period for END_DATE_2"),
    "a header over its details": (
        asked(
            "SELECT SUM(h.total_amount) AS t FROM sales_orders h, order_lines d "
            f"WHERE h.order_id = d.order_id AND {JANUARY}"
        ),
        "once for each row of order_lines",
    ),
    "a made-up join": (
        asked(
            "SELECT SUM(order_lines.quantity) AS t FROM order_lines JOIN sales_orders "
            f"ON order_lines.line_id = sales_orders.order_id WHERE {JANUARY}"
        ),
        "joins what has nothing in common",
    ),
    "no join at all": (
        asked(f"SELECT SUM(d.quantity) AS t FROM order_lines d, sales_orders h WHERE h.{JANUARY}"),
        "joined by no condition",
    ),
    "a join on anything": (
        asked(f"SELECT SUM(d.quantity) AS t FROM order_lines d JOIN sales_orders h ON 1 = 1 WHERE h.{JANUARY}"),
        "joined by no condition",
    ),
    "a month beside a sum": (
        asked(f"SELECT SUBSTR(order_date, 1, 7) AS m, SUM(total_amount) AS t FROM sales_orders WHERE {JANUARY}"),
        "needs GROUP BY",
    ),
    "a name beside a sum": (
        asked(f"SELECT order_id, SUM(total_amount) AS t FROM sales_orders WHERE {JANUARY}"),
        "needs GROUP BY",
    ),
    "prose": ("Maaf, saya tidak dapat membantu.", "no JSON object"),
}


@pytest.mark.parametrize("name", CAUGHT)
async def test_a_mistake_that_would_lie_is_caught_with_its_reason(erp: Path, name: str) -> None:
    made, reason = CAUGHT[name]
    office = Office(erp, SALES, made, get_relevant_schema_info=lambda _: BOTH)
    answer = await office.ask(QUESTION)
    assert answer["final_narrative"] is None
    assert reason in answer["error"]["technical_details_for_log"]
    repairs = office.model.requests[2:]
    assert 1 <= len(repairs) <= 2
    assert reason in json.loads(repairs[0].messages[-1].content)["error"]


def test_there_are_forty_of_them() -> None:
    assert len(HARMLESS) + len(CAUGHT) >= 40


async def test_an_unknown_placeholder_is_said_to_be_missing(erp: Path) -> None:
    answer = await Office(erp, SALES, asked(SUM, "Total {TOTAL}, rata-rata {MEAN}.")).ask(QUESTION)
    narrative = "Total Rp 125.000.000,50, rata-rata tidak tersedia."
    assert answer["final_narrative"] == unsure("Nilai untuk MEAN tidak tersedia.", narrative)
    assert answer["quality_score"] == 80
    assert answer["validation_status"] == "passed_with_warnings"


async def test_two_statements_in_one_query_are_told(erp: Path) -> None:
    office = Office(erp, SALES, asked(f"{SUM}; {COUNT}"))
    await office.ask(QUESTION)
    assert "write one SELECT a query" in office.model.requests[2].messages[-1].content


async def test_an_answer_below_the_line_begins_with_what_speaks_against_it(erp: Path) -> None:
    made = asked(SUM, "Total {TOTAL}, per bulan {MEAN}, per hari {MEDIAN}.")
    answer = await Office(erp, SALES, made).ask(QUESTION)
    assert answer["quality_score"] == 60
    assert answer["final_narrative"] == unsure(
        "Nilai untuk MEAN tidak tersedia. Nilai untuk MEDIAN tidak tersedia.",
        "Total Rp 125.000.000,50, per bulan tidak tersedia, per hari tidak tersedia.",
    )
