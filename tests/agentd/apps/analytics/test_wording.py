"""No narrative compares by itself: a word of comparison is computed from the rows, or it is not in the answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics import wording
from agentd.apps.analytics.question.comparisons import uncovered, without
from agentd.apps.analytics.vocabulary import asked_in
from agentd.apps.analytics.wording import unrepeated, wordings
from tests.agentd.apps.analytics.office import Office, differs, plan, unsure
from tests.agentd.apps.analytics.scripts import SALES

DESC = {"ranking": frozenset({"desc"})}
FEBRUARY = ("FEB", "SELECT 118677000 AS f")
JANUARY = ("JAN", "SELECT 125000000.5 AS j")
MONEY = {"placeholder_mapping": {"FEB": "currency_IDR", "JAN": "currency_IDR"}}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{FEB} naik dua kali lipat dari bulan sebelumnya {JAN}", ["naik", "dua kali", "lipat"]),
        ("Februari lebih besar dari {JAN}", ["lebih besar"]),
        ("Sales rose to {FEB}, most of it in Java", ["rose", "most of", "most"]),
        ("Penjualan tertinggi adalah {JAN}", ["tertinggi"]),
        ("Pelanggan terkecil: {RANKING}", ["terkecil"]),
        ("Pelanggan terbesar: {RANKING}", []),
        ("Pelanggan terbesar pada {PERIOD_LABEL}:\n\n{RANKING}\n{TREND RANKING}", []),
        ("Terbesar: {TOP CITIES}; terkecil: {BOTTOM CITIES}", []),
        ("{COMPARE FEB JAN}", []),
        ("Penjualan tiga bulan terakhir {JAN}", []),
        ("Last month {JAN}, the latest quarter {FEB}", []),
        ("Utang yang sudah jatuh tempo menurut pemasok: {JAN}", []),
        ("Rata-rata pembelian pertama {JAN}", []),
    ],
)
def test_a_word_of_comparison_needs_something_computed_beside_it(template: str, words: list[str]) -> None:
    assert uncovered(template, DESC, "") == words


def test_a_bound_of_the_question_may_be_repeated() -> None:
    asked = "Faktur yang nilainya lebih besar dari 10 juta, minimal 5 buah"
    assert uncovered("Faktur lebih besar dari 10 juta: {A}", {}, asked) == []
    assert uncovered("Faktur lebih besar dari 20 juta: {A}", {}, asked) == ["lebih besar"]


def test_sentences_that_claim_go_and_the_others_stay() -> None:
    template = "Penjualan {FEB}. Ini naik drastis dari {JAN}.\nTransaksi {N}."
    assert without(template, {}, "") == "Penjualan {FEB}.\nTransaksi {N}."
    assert without("{FEB} naik.", {}, "") == ""


@pytest.mark.parametrize(
    ("garbled", "read"),
    [
        ("Februari: Jadi, Jadi, Jadi {A}", "Februari: Jadi {A}"),
        ("Total {A}. Total {A}. Total {A}.", "Total {A}."),
        ("Rata-rata {A} per faktur", "Rata-rata {A} per faktur"),
        ("Dari {A}\nke {B}\nke {B}", "Dari {A}\nke {B}"),
    ],
)
def test_what_is_said_twice_is_said_once(garbled: str, read: str) -> None:
    assert unrepeated(garbled) == read
    assert wording.repeats(garbled) == (garbled != read)


def test_both_languages_say_the_same_with_the_same_figures() -> None:
    packs = wordings()
    assert packs["id"].say.keys() == packs["en"].say.keys()
    for key, phrase in packs["id"].say.items():
        slots = re.findall(r"\{\w+\}", phrase)
        assert sorted(slots) == sorted(re.findall(r"\{\w+\}", packs["en"].say[key])), key


async def told(erp: Path, template: str, *queries: tuple[str, str], ask: str = "?Apa hasilnya", **more: Any) -> str:
    made = plan(*queries, template=template, **more)
    return str((await Office(erp, SALES, made).ask(ask))["final_narrative"])


async def test_a_doubling_that_never_was_is_not_told(erp: Path) -> None:
    """Issue 19: "Rp 118.677.000 naik dua kali lipat dari bulan sebelumnya Rp 125.000.000,50" passed with 100 points."""
    lie = "{FEB} naik dua kali lipat dari bulan sebelumnya {JAN}"
    office = Office(erp, SALES, plan(FEBRUARY, JANUARY, template=lie, **MONEY))
    answer = await office.ask("Bandingkan penjualan Februari dengan Januari 2023")
    assert answer["final_narrative"] == "feb: Rp 118.677.000\njan: Rp 125.000.000,50"
    assert "naik" in office.model.requests[-1].messages[-1].content
    assert "COMPARE" in office.model.requests[-1].messages[-1].content
    made = office.records["plan_execution"]["changes"]
    assert "compared without computing" in made["technical_error_details"]


async def test_a_comparison_is_computed_and_worded(erp: Path) -> None:
    answer = await told(erp, "Penjualan {COMPARE FEB JAN}.", FEBRUARY, JANUARY, **MONEY)
    assert answer == "Penjualan turun 5,1% dari Rp 125.000.000,50 menjadi Rp 118.677.000."
    english = await told(
        erp, "Sales went: {COMPARE FEB JAN}.", FEBRUARY, JANUARY, ask="What were the sales of?", **MONEY
    )
    assert english == "Sales went: down 5,1% from Rp 125.000.000,50 to Rp 118.677.000."


@pytest.mark.parametrize(
    ("new", "old", "words"),
    [
        ("5", "5", unsure(differs("B = A"), "tetap 5")),
        ("5", "0", "naik dari 0 menjadi 5"),
        ("5", "-5", "naik dari -5 menjadi 5"),
        ("-8", "5", "turun dari 5 menjadi -8"),
        ("NULL", "5", "tidak dapat dibandingkan: a tidak ada nilainya"),
        ("12", "8", "naik 50,0% dari 8 menjadi 12"),
        ("100001", "100000", "naik dari 100.000 menjadi 100.001"),
    ],
)
async def test_a_comparison_of_odd_figures_is_worded_rightly(erp: Path, new: str, old: str, words: str) -> None:
    answer = await told(erp, "{COMPARE A B}", ("A", f"SELECT {new} AS x"), ("B", f"SELECT {old} AS y"))
    assert answer == words


async def test_rows_that_stand_in_no_order_of_time_have_no_trend(erp: Path) -> None:
    """The embedded model told invoices by country as "terus turun dari USD 42,57 (USA)"."""
    query = ("SERIES", "SELECT 'USA' AS C, 9 AS V UNION ALL SELECT 'Chile', 3")
    words = await told(erp, "{TREND SERIES}", query)
    assert "turun" not in words
    assert "USA" in words
    assert "Chile" in words


MONTHS = "SELECT '2023-01' AS M, {} AS V UNION ALL SELECT '2023-02', {} UNION ALL SELECT '2023-03', {}"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((1, 2, 3), "terus naik dari 1 (2023-01) menjadi 3 (2023-03)"),
        ((3, 2, 2), "turun dari 3 (2023-01) menjadi 2 (2023-03), kadang tetap"),
        ((1, 1, 3), "naik dari 1 (2023-01) menjadi 3 (2023-03), kadang tetap"),
        ((2, 2, 2), "tetap 2 dari 2023-01 sampai 2023-03"),
        ((2, 9, 1), "naik turun: 2 (2023-01), 1 (2023-03); tertinggi 9 (2023-02), terendah 1 (2023-03)"),
        ((1, "NULL", 3), "terus naik dari 1 (2023-01) menjadi 3 (2023-03) (1 tanpa nilai)"),
        (("NULL", "NULL", 3), "3 (2023-03); hanya satu titik, belum ada perbandingan (2 tanpa nilai)"),
        ((-3, -2, 0), "terus naik dari -3 (2023-01) menjadi 0 (2023-03)"),
    ],
)
async def test_a_trend_is_read_from_its_rows(erp: Path, values: tuple[Any, ...], words: str) -> None:
    query = ("SERIES", MONTHS.format(*values) + " ORDER BY V DESC")
    assert await told(erp, "{TREND SERIES}", query) == words


RANKED = (
    "RANKING",
    "SELECT 'A' AS NAME, 5 AS V UNION ALL SELECT 'B', 7 UNION ALL SELECT 'C', 7 UNION ALL SELECT 'D', 1",
)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("{TOP RANKING}", "B dan C (masing-masing 7)"),
        ("{BOTTOM RANKING V}", "D (1)"),
        ("{RANK RANKING A}", "peringkat 3 dari 4"),
        ("{RANK RANKING Z}", "tidak ada dalam peringkat"),
        ("{RANK RANKING}", "\n1. B: 7\n1. C: 7\n3. A: 5\n4. D: 1"),
        ("{LAST RANKING}", "D (1)"),
        ("{SHARE RANKING RANKING}", "bagiannya tidak dapat dihitung"),
    ],
)
async def test_who_is_first_is_computed_with_ties(erp: Path, statement: str, words: str) -> None:
    assert (await told(erp, f"Hasil:{statement}", RANKED)).removeprefix("Hasil:") == words


async def test_a_share_is_computed(erp: Path) -> None:
    part, whole = ("PART", "SELECT 5 AS p"), ("WHOLE", "SELECT 8 AS w")
    assert await told(erp, "Bagian: {SHARE PART WHOLE}", part, whole) == "Bagian: 62,5% dari 8"
    none = await told(erp, "Bagian: {SHARE PART WHOLE}", part, ("WHOLE", "SELECT 0 AS w"))
    assert none == "Bagian: bagiannya tidak dapat dihitung"
    negative = await told(erp, "Bagian: {SHARE PART WHOLE}", part, ("WHOLE", "SELECT -4 AS w"))
    assert negative == "Bagian: 5 dari -4"


async def test_a_computed_share_stays_where_its_sentence_goes(erp: Path) -> None:
    part, whole = ("PART", "SELECT 5 AS p"), ("WHOLE", "SELECT 8 AS w")
    said = await told(erp, "Kotapraja menyumbang {PART} dari {WHOLE}: {SHARE PART WHOLE}.", part, whole)
    assert "62,5% dari 8" in said and "Kotapraja" not in said


async def test_a_list_of_one_row_and_an_empty_one_are_worded(erp: Path) -> None:
    one = ("RANKING", "SELECT 'A' AS NAME, 5 AS V")
    assert await told(erp, "{TOP RANKING}", one) == "A (5), satu-satunya"
    assert await told(erp, "Daftar: {RANKING}", one) == "Daftar: \n- A: 5"
    none = ("RANKING", "SELECT 'A' AS NAME, 5 AS V WHERE 1 = 0")
    assert await told(erp, "{TOP RANKING}; {N}", none, ("N", "SELECT 1 AS n")) == "tidak ada data; 1"


async def test_a_statement_of_what_no_query_gives_is_a_doubt_and_a_warning(erp: Path) -> None:
    office = Office(erp, SALES, plan(("A", "SELECT 1 AS a"), template="{A} {COMPARE A GONE}"))
    answer = await office.ask("?apa")
    assert "no query gives GONE" in office.model.requests[-1].messages[-1].content
    assert answer["warnings_for_display"] == ["Nilai untuk COMPARE A GONE tidak tersedia."]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Penjualan Januari 2023 per customer?", "id"),
        ("Nilai invoice per customer 2021", "id"),
        ("Daftar invoice USA", "id"),
        ("Berapa total sales in January ya?", "id"),
        ("Top 5 customer by sales", "en"),
        ("Sales by country 2021", "en"),
        ("", "id"),
    ],
)
def test_a_question_is_answered_in_the_language_of_its_own_words(question: str, language: str) -> None:
    """Names of things are English in Indonesian questions, too."""
    assert asked_in(question) == language


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("The highest target is {TARGET}.", "Fajar Hidayat: The highest target is Rp 60.000.000."),
        ("{NAME} has {TARGET}.", "Fajar Hidayat has Rp 60.000.000."),
    ],
)
async def test_whom_a_question_asks_for_is_named(erp: Path, template: str, told: str) -> None:
    first = ("HIGHEST", "SELECT Name AS NAME, Target AS TARGET FROM mastersales ORDER BY TARGET DESC LIMIT 1")
    made = plan(first, template=template)
    answer = await Office(erp, SALES, made).ask("Who among our salesmen has the highest target?")
    assert answer["final_narrative"] == told


@pytest.mark.parametrize("text", ["33,33%", "00:00", "AS: 5.5"])
def test_a_number_repeats_nothing(text: str) -> None:
    assert unrepeated(text) == text
    assert not wording.repeats(text)
