"""`agentd analyze`: what it prints, and the examples it keeps. The whole way is in test_end_to_end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sqlglot import transpile

from agentd.apps.analytics.checks.dates import dates_for
from agentd.apps.analytics.command import _show, _show_table
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.question.periods import periods_of
from servers.common.erp import build


def test_the_table_names_the_unit_of_its_amounts(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"NAME": "Rock", "TOTAL": 1234.5, "N": 2}]
    _show_table(Console(width=80), rows, {"TOTAL": "USD"})
    shown = capsys.readouterr().out
    assert "TOTAL (USD)" in shown
    assert "1.234,5" in shown
    assert "N (" not in shown


def test_what_the_narrative_says_is_no_warning_again(capsys: pytest.CaptureFixture[str]) -> None:
    """The doubt that an answer begins with stood below it once more."""
    doubt, other = "Kolom Fax kosong pada 2 dari 2 baris.", "Baris dipotong."
    answer = {"error": None, "data_table_for_display": [], "validation_status": "passed", "quality_score": 80}
    words = {"final_narrative": f"Belum pasti: {doubt}\n\nAda 2.", "warnings_for_display": [doubt, other]}
    _show(answer | words, trace=False)
    shown = capsys.readouterr().out
    assert shown.count(doubt) == 1
    assert f"⚠ {other}" in shown


def test_a_kept_plan_is_shown_for_the_next_like_question(tmp_path: Path) -> None:
    """Issue 7: a library that grows with approved answers."""
    library = ExampleLibrary(tmp_path)
    plan = {"sql_queries_plan": [], "response_template": "{X}"}
    library.keep("Nilai retur barang per gudang", "sql", plan)
    nearest = ExampleLibrary(tmp_path).nearest("berapa nilai retur di gudang timur?", "sql", 2)
    assert nearest[-1].plan == plan
    assert plan not in [example.plan for example in library.nearest("berapa nilai retur?", "operations", 2)]


def test_synonyms_and_languages_find_the_same_example() -> None:
    shipped = ExampleLibrary()
    indonesian = shipped.nearest("utang pemasok yang lewat jatuh tempo", "sql", 1)
    assert shipped.nearest("overdue payables of suppliers", "sql", 1) == indonesian


@pytest.mark.parametrize("style", ["sql", "operations"])
def test_every_shipped_example_is_a_plan_without_a_fault(style: Any, tmp_path: Path) -> None:
    today = date(2023, 3, 1)
    with closing(sqlite3.connect(build(tmp_path / "erp.db"))) as books:
        for example in ExampleLibrary().nearest("", style, 99):
            dates = dates_for(example.question, periods_of(example.question, today), today)
            plan = read_plan(example.plan, style, dates, [example.question])
            assert (plan.fatal, plan.doubts, plan.empty) == ([], [], False), example.question
            for query in plan.queries:
                [sql] = transpile(query["query"], read="mysql", write="sqlite")
                books.execute(sql).fetchall()
