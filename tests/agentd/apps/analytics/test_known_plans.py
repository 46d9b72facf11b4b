"""A question in the very words of an approved one is answered by its plan, of its own time, and by no model."""

from __future__ import annotations

import argparse
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.checks.dates import undated
from agentd.apps.analytics.command import _keep
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.runs.records import RunBrief, RunRecord
from tests.agentd.apps.analytics.office import Office, plan

ASKED = "Berapa total penjualan Januari 2023?"
DATED = "SELECT SUM(total_amount) AS total FROM sales_orders WHERE order_date >= '{}' AND order_date <= '{}'"
MODELS = plan(("TOTAL", DATED.format("{START_DATE}", "{END_DATE}")), template="Penjualan kita: {TOTAL}.")


def answered(**more: Any) -> dict[str, Any]:
    """What Analytics.ask said to ASKED."""
    query = {"purpose": "", "query": DATED.format("2023-01-01", "2023-01-31"), "result_key": "TOTAL"}
    call = {"tool_name": "fill_placeholders", "request_payload": {"response_template": "Nilai penjualan {TOTAL}."}}
    return {"plan": [query], "mcp_tool_call_history": [call], **more}


def library(folder: Path, question: str = ASKED, session: str | None = None) -> ExampleLibrary:
    """As `agentd analyze --keep` leaves it."""
    _keep(folder, argparse.Namespace(question=question, session=session), answered())
    return ExampleLibrary(folder / "analytics", shipped=False)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (ASKED, "Nilai penjualan Rp 125.000.000,50."),
        ("brp total penjualan bln lalu", "Nilai penjualan Rp 118.677.000."),
        ("Berapa total penjualan?", "Penjualan kita: Rp 5.377.343.500,50."),
        ("Berapa total penjualan Januari 2023 per hari?", None),
    ],
)
async def test_the_same_words_of_another_time_have_the_approved_plan(
    erp: Path, tmp_path: Path, question: str, told: str | None
) -> None:
    """Of no time the plan can't be: it is the model's to plan."""
    all_time = plan(
        ("TOTAL", "SELECT SUM(total_amount) AS total FROM sales_orders"), template="Penjualan kita: {TOTAL}."
    )
    office = Office(erp, {"intent": "sales_analysis", "entities_mentioned": ["penjualan"]}, all_time, all_time)
    office.examples = library(tmp_path)
    answer = await office.ask(question)
    by_model = bool(office.model.requests)
    assert by_model == (told is None or told.startswith("Penjualan kita"))
    if told is not None:
        assert told in answer["final_narrative"]
    if not by_model:
        assert answer["quality_score"] == 100
        assert answer["technical_details"].count("planned as approved before") == 1


async def test_an_approved_plan_that_the_database_refuses_is_planned_anew(erp: Path, tmp_path: Path) -> None:
    refused = iter([{"status": "error", "error_message": "no such column: total_amount"}])
    office = Office(erp, MODELS, explain_query=lambda _: next(refused, {"status": "success"}))
    office.examples = library(tmp_path)
    answer = await office.ask(ASKED)
    assert answer["final_narrative"] == "Penjualan kita: Rp 125.000.000,50."
    assert len(office.model.requests) == 1


async def test_a_follow_up_means_what_the_talk_was_about(erp: Path, tmp_path: Path) -> None:
    before = RunRecord("run-0", "s-1", "local", "analytics", "Piutang?", RunBrief(), "completed", "2023-03-01T01:00:00")
    office = Office(erp, {"intent": "sales_analysis"}, MODELS, history=[before])
    office.examples = library(tmp_path)
    assert (await office.ask(ASKED))["final_narrative"].endswith("Penjualan kita: Rp 125.000.000,50.")
    asked_in_a_talk = library(tmp_path / "talk", session="s-9")
    assert asked_in_a_talk.same(ASKED, "sql") is None


def test_a_plan_that_names_a_day_by_itself_serves_no_other_time(tmp_path: Path) -> None:
    known = library(tmp_path)
    kept = known.same("total penjualan 2022 berapa, ya", "sql")
    assert kept is None  # other words in another order
    query = known.nearest(ASKED, "sql", 1)[0].plan["sql_queries_plan"][0]["query"]
    assert query == DATED.format("{START_DATE}", "{END_DATE}")
    known.keep("Stok?", "sql", {"sql_queries_plan": [{"query": "SELECT 1 FROM s WHERE d = '2023-01-05'"}]}, alone=True)
    assert known.same("Stok?", "sql") is None


async def test_a_new_office_is_offered_what_books_check_proposed_and_they_need_no_model(
    erp: Path, tmp_path: Path
) -> None:
    """Issue 19: asked back with choices; an own database had none."""
    books = tmp_path / "books.toml"
    books.write_text(
        '[[questions]]\nask = "Berapa banyak sales orders?"\nsql = "SELECT COUNT(*) AS ROW_COUNT FROM sales_orders"\n'
    )
    own = ExampleLibrary(tmp_path, shipped=False, books=books)
    office = Office(erp, {"intent": "unclear"})
    office.examples = own
    answer = await office.ask("datanya dong")
    assert answer["clarification"]["choices"] == ["Berapa banyak sales orders?"]
    before = RunRecord("r", "s-1", "local", "analytics", "datanya dong", RunBrief(), "completed", "2023-03-01")
    before = replace(before, outcome=answer)
    office = Office(erp)
    office.examples = own
    answer = await office.ask("Berapa banyak sales orders?")
    with closing(sqlite3.connect(erp)) as opened:
        [rows] = opened.execute("SELECT COUNT(*) FROM sales_orders").fetchone()
    assert answer["final_narrative"].endswith(f"Berapa banyak sales orders: {rows:,}".replace(",", "."))
    assert (answer["quality_score"], office.model.requests) == (100, [])
    office = Office(erp, history=[before])
    office.examples = own
    assert (await office.ask("1"))["final_narrative"] == answer["final_narrative"]  # a choice stands alone
    assert office.model.requests == []
    assert own.answerable("Berapa banyak sales orders?", "sql", 3) == []
    assert own.nearest("Berapa banyak sales orders?", "sql", 3) == []
    books.write_text("[[questions")
    assert own.answerable("x", "sql", 3) == []


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("d >= '2023-01-01' AND d < '2023-02-01'", "d >= '{START_DATE}' AND d <= '{END_DATE}'"),
        ("d BETWEEN '2023-01-01' AND '2023-01-31 23:59:59.999999'", "d BETWEEN '{START_DATE}' AND '{END_DATE}'"),
        ("d >= '2023-02-01' AND d < '2023-03-01'", "d >= '{START_DATE_2}' AND d <= '{END_DATE_2}'"),
        ("d = '2022-01-01'", "d = '2022-01-01'"),
    ],
)
def test_dates_are_kept_by_their_names(written: str, kept: str) -> None:
    dates = {"START_DATE": "2023-01-01", "END_DATE": "2023-01-31"}
    dates |= {"START_DATE_2": "2023-02-01", "END_DATE_2": "2023-02-28"}
    assert json.loads(undated(json.dumps({"query": written}), dates)) == {"query": kept}
    assert undated('{"value": "2023-01-31"}', dates) == '{"value": "{END_DATE}"}'
