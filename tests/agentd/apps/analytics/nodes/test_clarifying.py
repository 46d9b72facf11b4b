"""Asking back with choices, and what an answer to it means in the same session. Issue 19, seed 003 §3.1."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.nodes.clarifying import (
    Clarification,
    continued,
    readings_of,
    resolved,
    without_measure,
    without_period,
)
from agentd.apps.analytics.schema import Schema
from agentd.messages import Caller
from agentd.runs.records import RunBrief, RunRecord
from tests.agentd.apps.analytics.office import SCHEMA, Office, plan
from tests.agentd.apps.analytics.scripts import SALES

TODAY = date(2023, 3, 1)
QUESTION = "Berapa total penjualan?"
PERIOD = without_period(QUESTION, TODAY)
CHOICES = ["Total penjualan Januari 2023?", "Berapa piutang?"]
SUBJECT: Clarification = {"question": "Bagaimana?", "lacks": "subject", "choices": CHOICES}


def test_a_missing_period_is_asked_for_with_whole_questions() -> None:
    assert PERIOD["choices"] == [
        "Berapa total penjualan Maret 2023?",
        "Berapa total penjualan Februari 2023?",
        "Berapa total penjualan 2023?",
    ]


@pytest.mark.parametrize(
    ("said", "pending", "meant"),
    [
        ("2", PERIOD, "Berapa total penjualan Februari 2023?"),
        ("Pilihan 3.", PERIOD, "Berapa total penjualan 2023?"),
        ("berapa total penjualan maret 2023", PERIOD, "Berapa total penjualan Maret 2023?"),
        ("Januari 2023", PERIOD, "Berapa total penjualan Januari 2023?"),
        ("bulan lalu", PERIOD, "Berapa total penjualan bulan lalu?"),
        ("Berapa total penjualan Januari 2022?", PERIOD, "Berapa total penjualan Januari 2022?"),
        ("Siapa supplier terbesar?", PERIOD, "Siapa supplier terbesar?"),
        ("9", PERIOD, "9"),
        ("1", SUBJECT, "Total penjualan Januari 2023?"),
        ("Januari 2023", SUBJECT, "Januari 2023"),
        ("2", None, "2"),
        ("yang kedua ya", SUBJECT, "Berapa piutang?"),
        ("the second one", PERIOD, "Berapa total penjualan Februari 2023?"),
        ("yang kedua aja", SUBJECT, "Berapa piutang?"),
        ("opsi ke-2", SUBJECT, "Berapa piutang?"),
        ("dua", SUBJECT, "Berapa piutang?"),
        ("number 1 please", SUBJECT, "Total penjualan Januari 2023?"),
        ("terserah aja deh", PERIOD, PERIOD["choices"][0]),
        ("terserah", SUBJECT, "terserah"),
        ("mana saja yang terbesar?", PERIOD, "mana saja yang terbesar?"),
        ("dua customer terbesar", SUBJECT, "dua customer terbesar"),
    ],
)
def test_an_answer_means_the_question_it_completes(said: str, pending: Clarification | None, meant: str) -> None:
    assert resolved(said, pending, TODAY) == meant


async def test_the_answer_to_a_period_asked_back_is_planned_as_the_whole_question(erp: Path) -> None:
    wanting = plan(
        ("TOTAL", "SELECT SUM(total_amount) AS t FROM sales_orders WHERE order_date >= '{START_DATE}'"),
        template="Total {TOTAL}.",
    )
    back = await Office(erp, SALES, wanting).ask(QUESTION)
    assert back["clarification"]["lacks"] == "period"
    assert back["error"]["suggestions"] == back["clarification"]["choices"]
    right = plan(
        (
            "TOTAL",
            "SELECT SUM(total_amount) AS t FROM sales_orders "
            "WHERE order_date >= '{START_DATE}' AND order_date <= '{END_DATE}'",
        ),
        template="Total {TOTAL}.",
    )
    office = Office(erp, SALES, right, history=[_turn(QUESTION, back)])
    answer = await office.ask("Januari 2023")
    assert answer["final_narrative"] == "Total Rp 125.000.000,50."
    assert answer["clarification"] is None
    assert "Berapa total penjualan Januari 2023?" in office.model.requests[0].messages[-1].content


async def test_an_unclear_question_is_asked_back_with_questions_that_can_be_answered(erp: Path) -> None:
    unclear = {"intent": "unclear", "entities_mentioned": [], "requested_metrics": [], "query_complexity": "simple"}
    back = await Office(erp, unclear).ask("Bagaimana penjualan?")
    assert back["clarification"]["lacks"] == "subject"
    assert 1 <= len(back["clarification"]["choices"]) <= 3
    assert "penjualan" in " ".join(back["clarification"]["choices"]).casefold()


@pytest.mark.parametrize(
    ("question", "score"),
    [
        ("Berapa sales orders?", 100),
        ("Berapa sales orders yang menggembirakan?", 80),
        ("Which sales orders are the largest?", 60),
        ("Sales orders dong", None),
        ("Berapa harga emas?", None),
    ],
)
async def test_a_clear_question_to_an_own_table_is_planned_whatever_the_model_thinks_of_it(
    erp: Path, question: str, score: int | None
) -> None:
    """The embedded model found "Berapa customer di Germany?" unclear. A word that nobody knows is said."""
    unclear = {"intent": "unclear", "entities_mentioned": [], "requested_metrics": [], "query_complexity": "simple"}
    count = plan(("N", "SELECT COUNT(*) AS n FROM sales_orders"), template="Ada {N} sales orders.")
    own = {**SCHEMA, "dialect": "sqlite"}
    answer = await Office(erp, unclear, count, get_relevant_schema_info=lambda _: own).ask(question)
    assert answer["quality_score"] == score
    assert bool(answer["clarification"]) is (score is None)


async def test_a_question_that_asks_for_changes_is_refused_and_offers_no_choice(erp: Path) -> None:
    change = {"intent": "change_data", "entities_mentioned": [], "requested_metrics": [], "query_complexity": "simple"}
    assert (await Office(erp, change).ask("Hapus semua penjualan"))["clarification"] is None


def _turn(question: str, outcome: dict[str, Any]) -> RunRecord:
    caller = Caller(id="local", scopes=frozenset({"admin"}))
    row = RunRecord("run-0", "s-1", caller.id, "analytics", question, RunBrief({}, caller), "failed", "2023-03-01")
    return replace(row, outcome=outcome)


LEDGER: list[dict[str, Any]] = [
    {"table_name": "salesorderh", "purpose": "sales orders of customers", "columns": [{"name": "TotalNetto"}]},
    {"table_name": "salesorderd", "columns": [{"name": "Qty"}]},
]


@pytest.mark.parametrize(
    ("question", "past", "choices"),
    [
        (
            "Siapa pelanggan terbesar 2022?",
            [],
            ["Siapa pelanggan dengan penjualan terbesar 2022?", "Siapa pelanggan dengan pesanan terbanyak 2022?"],
        ),
        (
            "Who are our 5 biggest customers?",
            [],
            ["Who are our 5 customers with the largest sales?", "Who are our 5 customers with the most orders?"],
        ),
        ("Siapa pelanggan terbesar menurut pesanan?", [], []),
        ("Siapa pelanggan terbesar dari penjualan 2022?", [], []),
        ("Siapa pelanggan terbesar?", ["Total penjualan 2022?"], []),
        ("Siapa pemasok terbesar?", [], []),
    ],
)
def test_a_question_that_more_than_one_figure_answers_is_asked_back(
    question: str, past: list[str], choices: list[str]
) -> None:
    back = without_measure(question, readings_of(question, past), Schema.read(LEDGER))
    assert (back["choices"] if back else []) == choices


@pytest.mark.parametrize(
    ("said", "meant"),
    [("2", 1), ("pesanan", 1), ("penjualan saja", 0), ("siapa pelanggan dengan penjualan terbesar", 0)],
)
def test_what_one_choice_alone_is_about_chooses_it(said: str, meant: int) -> None:
    back = without_measure(
        "Siapa pelanggan terbesar?", readings_of("Siapa pelanggan terbesar?", []), Schema.read(LEDGER)
    )
    assert back is not None
    assert resolved(said, back, TODAY) == back["choices"][meant]


async def test_a_question_of_two_readings_is_planned_as_the_one_that_is_chosen(erp: Path) -> None:
    ledger = {**SCHEMA, "relevant_tables": [*SCHEMA["relevant_tables"], *LEDGER]}
    back = await Office(erp, SALES, get_relevant_schema_info=lambda _: ledger).ask("Siapa pelanggan terbesar?")
    assert back["clarification"]["lacks"] == "measure"
    right = plan(("N", "SELECT COUNT(*) AS n FROM sales_orders"), template="Ada {N} pesanan.")
    office = Office(erp, SALES, right, history=[_turn("Siapa pelanggan terbesar?", back)])
    await office.ask("yang kedua")
    assert back["clarification"]["choices"][1] in office.model.requests[0].messages[-1].content
    left = Office(erp, SALES, right, history=[_turn("Siapa pelanggan terbesar?", back)])
    answer = await left.ask("terserah aja")
    assert f'Ini jawaban untuk: "{back["clarification"]["choices"][0]}"' in answer["warnings_for_display"]


@pytest.mark.parametrize(
    ("question", "past", "meant"),
    [
        ("dan bulan lalu?", ["Berapa total penjualan Januari 2023?"], "Berapa total penjualan bulan lalu?"),
        ("and last month?", ["How many orders were there in 2022?"], "How many orders were there last month?"),
        ("kalau sejak Februari?", ["Total faktur Januari"], "Total faktur sejak Februari?"),
        ("2020?", ["Top 5 customers in 2022", "and in 2021?"], "Top 5 customers 2020?"),
        ("kalau di Surabaya?", ["Berapa customer di Bandung?"], "kalau di Surabaya?"),
        ("berapa rata-rata bulan lalu?", ["Total penjualan Januari"], "berapa rata-rata bulan lalu?"),
        ("dibanding bulan lalu?", ["Total penjualan Januari"], "dibanding bulan lalu?"),
        ("dan bulan lalu?", ["Penjualan Januari dibanding Februari?"], "dan bulan lalu?"),
        ("Januari 2023", [], "Januari 2023"),
    ],
)
def test_a_question_of_a_time_alone_asks_the_last_one_again(question: str, past: list[str], meant: str) -> None:
    assert continued(question, past) == meant


@pytest.mark.parametrize(
    ("figure", "certain"), [("SUM(total_amount)", True), ("COUNT(*)", False), ("AVG(total_amount)", False)]
)
async def test_a_time_alone_is_answered_by_the_figure_asked_before(erp: Path, figure: str, certain: bool) -> None:
    """Every one of these had 100 points, whatever was asked before."""
    before = RunRecord("r", "s-1", "a", "analytics", "Total penjualan Januari 2023?", RunBrief(), "completed", "")
    query = f"SELECT {figure} FROM sales_orders WHERE order_date BETWEEN '{{START_DATE}}' AND '{{END_DATE}}'"
    office = Office(erp, SALES, plan(("T", query), template="{PERIOD_LABEL}: {T}"), history=[before])
    answer = await office.ask("dan bulan lalu?")
    assert (answer["quality_score"] >= 90) is certain
