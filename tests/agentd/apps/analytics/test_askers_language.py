"""The host's own words are in the language of the question: warnings, labels, refusals, what to try (issue 19)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from agentd.agent.languages import languages
from agentd.apps.analytics import vocabulary, wording
from agentd.apps.analytics.checks import currencies, results
from agentd.apps.analytics.planner import examples
from agentd.apps.analytics.question import period_readers, periods, spans
from agentd.apps.analytics.wording import label_for, wordings
from tests.agentd.apps.analytics.office import Office, down, plan
from tests.agentd.apps.analytics.scripts import SALES

ASKED = {
    "id": "Berapa total penjualan Januari 2023 dan labanya?",
    "en": "What were the total sales of January 2023, and the profit?",
}
TOTAL = (
    "TOTAL_SALES",
    "SELECT SUM(total_amount) FROM sales_orders WHERE order_date >= '{START_DATE}' AND order_date <= '{END_DATE}'",
)
HALF = plan(TOTAL, ("MARGIN", "SELECT SUM(laba) FROM sales_orders"), template="{PERIOD_LABEL}: {TOTAL_SALES}, {MARGIN}")


def cut(office: Office) -> Any:
    def act(given: dict[str, Any]) -> dict[str, Any]:
        found = office.sql(given)
        found["batch_results"][0] |= {"truncated": True, "notice": "Contoh: data rekaan. Only the first 1000 rows."}
        return found

    return act


@pytest.mark.parametrize(
    ("language", "warnings", "words"),
    [
        (
            "id",
            [
                "Contoh: data perusahaan rekaan, bukan data kantor ini (DATABASE_URL belum diatur).",
                "TOTAL_SALES: hasil terpotong karena terlalu banyak baris.",
                "Sebagian data tidak dapat diambil: margin.",
                "Nilai untuk MARGIN tidak tersedia.",
            ],
            ["Jawaban ini belum pasti: ", "Januari 2023: Rp 125.000.000,50, tidak tersedia"],
        ),
        (
            "en",
            [
                "Sample (contoh): data of an invented company, not of this office (DATABASE_URL is not set).",
                "TOTAL_SALES: the result was cut, it has too many rows.",
                "Some of the data could not be read: margin.",
                "There is no value for MARGIN.",
            ],
            ["This answer is not certain: ", "January 2023: Rp 125.000.000,50, not available"],
        ),
    ],
)
async def test_warnings_and_period_are_in_the_askers_language(
    erp: Path, language: str, warnings: list[str], words: list[str]
) -> None:
    office = Office(erp, SALES, HALF)
    office = Office(erp, SALES, HALF, execute_sql_query=cut(office))
    answer = await office.ask(ASKED[language])
    assert answer["warnings_for_display"] == warnings
    assert [each for each in words if each not in answer["final_narrative"]] == []
    assert answer["final_narrative"].endswith(warnings[0])


@pytest.mark.parametrize(
    ("language", "message", "suggestion"),
    [
        ("id", "Tidak dapat mengambil informasi skema database saat ini.", "Coba lagi beberapa saat lagi"),
        ("en", "The description of the database cannot be read at the moment.", "Try again in a while"),
    ],
)
async def test_a_refusal_and_what_to_try_are_in_the_askers_language(
    erp: Path, language: str, message: str, suggestion: str
) -> None:
    answer = await Office(erp, SALES, HALF, get_relevant_schema_info=down).ask(ASKED[language])
    assert answer["error"]["user_message"] == message
    assert answer["error"]["suggestions"][0].startswith(suggestion)


@pytest.mark.parametrize(
    ("label", "english"),
    [
        ("Januari 2023", "January 2023"),
        ("Kuartal 2 2023", "quarter 2 of 2023"),
        ("sejak Maret 2022", "since March 2022"),
        ("3 bulan terakhir", "the last 3 months"),
        ("1 Mei 2023 – 3 Juni 2023", "1 May 2023 – 3 June 2023"),
    ],
)
def test_a_periods_label_is_in_the_askers_language(label: str, english: str) -> None:
    assert label_for("What were the sales?", label) == english
    assert label_for("Berapa penjualannya?", label) == label


def _words(said: Any) -> set[str]:
    if isinstance(said, str):
        return set(re.findall(r"[a-z]{3,}", said.casefold()))
    if isinstance(said, Mapping):
        return _words([*said.keys(), *said.values()])
    if is_dataclass(said):
        return _words([getattr(said, each.name) for each in fields(said)])
    return set().union(*map(_words, said)) if isinstance(said, Iterable) else set()


@pytest.mark.parametrize("module", [results, currencies, examples, period_readers, periods, spans, vocabulary, wording])
def test_a_reader_of_words_has_none_of_its_own(module: ModuleType) -> None:
    """Human language is data: what the Indonesian packs alone hold stands in no text of the code, docstrings aside."""
    spoken = {code: (languages()[code], vocabulary._packs()[code], wordings()[code]) for code in ("id", "en")}
    indonesian = _words(spoken["id"]) - _words(spoken["en"]) - {"query"} - _words(get_args(vocabulary.Key))
    assert {"januari", "penjualan", "sejak"} <= indonesian
    code = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    notes = {id(each.value) for each in ast.walk(code) if isinstance(each, ast.Expr)}
    texts = (each.value for each in ast.walk(code) if isinstance(each, ast.Constant) and id(each) not in notes)
    assert {word for text in texts if isinstance(text, str) for word in _words(text)} & indonesian == set()
