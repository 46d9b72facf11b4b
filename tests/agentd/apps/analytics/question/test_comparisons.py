"""Which words of a question are ends of a list and which are bounds of a number. Issue 19 "Words are computed, too"."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.limits import asked_for
from agentd.apps.analytics.question.comparisons import bounds_of, ends_of, superlatives, uncovered


@pytest.mark.parametrize(
    ("question", "words", "kind", "number"),
    [
        ("Products with no more than 5 units", "no more than", "LTE", 5),
        ("Produk yang stoknya tidak lebih dari 10", "tidak lebih dari", "LTE", 10),
        ("Customers with at least ten orders", "at least", "GTE", 10),
        ("Faktur di atas Rp 2 juta", "di atas", "GT", 2_000_000),
        ("Faktur lebih dari 1.500", "lebih dari", "GT", 1.5),
    ],
)
def test_a_number_has_the_bound_of_all_the_words_before_it(question: str, words: str, kind: str, number: float) -> None:
    """ "No more than 5" was read as "more than 5", too: a right `<=` was doubted."""
    [(said, meant, numbers)] = bounds_of(question)
    assert (said, meant) == (words, kind)
    assert number in numbers


@pytest.mark.parametrize(
    "question",
    ["Customers with at most 5 orders", "Customers with at least five orders", "Pelanggan dengan minimal 5 faktur"],
)
def test_a_bound_asks_for_no_end_of_a_list_and_names_no_number_of_rows(question: str) -> None:
    """ "At most 5 orders" was taken for five rows, and a plan without LIMIT 5 refused."""
    assert superlatives(question) == []
    assert ends_of(question) == {}
    assert asked_for(question) is None


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("Customer terbesar?", {"terbesar": {"desc"}}),
        ("Pelanggan terlama?", {"terlama": {"asc", "desc"}}),
        ("Top 5 products", {"Top": {"desc"}}),
        ("Top 5 cheapest products", {"cheapest": {"asc"}}),
        ("5 barang teratas", {"teratas": {"desc"}}),
        ("Kategori apa yang produknya paling sedikit?", {"paling sedikit": {"asc"}}),
        ("The first 3 orders", {}),
        ("Rivers from longest to shortest", {"longest": {"desc", "asc"}}),
        ("Gunung dari yang tertinggi ke yang terendah", {"tertinggi": {"desc"}}),
        ("First and last names of the doctors", {}),
        ("Their first name, of the first order", {"first": {"asc"}}),
        ("Penjualan per negara", {}),
    ],
)
def test_a_superlative_says_at_which_end(question: str, ends: dict[str, set[str]]) -> None:
    assert ends_of(question) == ends


@pytest.mark.parametrize(
    ("question", "template", "faults"),
    [
        ("Total freight Agustus 1996?", "Total freight bukan {TOTAL}.", ["bukan"]),
        ("Total freight Agustus 1996?", "Rata-rata freight {PERIOD_LABEL}: {TOTAL}.", ["rata-rata"]),
        ("Total freight Agustus 1996?", "Total freight Juli 1996: {TOTAL}.", ["juli"]),
        ("Total freight for August 1996?", "Freight in August, unpaid only: {TOTAL}.", ["unpaid", "only"]),
        ("Freight Agustus 1996 dibanding Juli?", "Agustus 1996: {TOTAL}.", []),
        ("Faktur yang belum dibayar?", "Belum dibayar: {TOTAL}.", []),
        ("Rata-rata freight?", "Rata-rata freight: {TOTAL}.", []),
        ("Freight per negara?", "Daftar di bawah ini: {RESULT}", []),
    ],
)
def test_a_denial_a_mean_and_a_month_are_the_question_s_own(question: str, template: str, faults: list[str]) -> None:
    """Issue 19: what nobody asked for was said of a right figure."""
    assert uncovered(template, {}, question) == faults
