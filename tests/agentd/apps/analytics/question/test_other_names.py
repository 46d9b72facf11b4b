"""Countries and languages under another language's name (CLDR's)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.question.other_names import as_planned
from agentd.apps.analytics.vocabulary import in_full


@pytest.mark.parametrize(
    ("question", "written", "same"),
    [
        ("Pelanggan di Kanada?", "country 'Canada'", "Pelanggan di Canada?"),
        ("film berbahasa inggris", "language 'English'", "film berbahasa English"),
        ("Penjualan ke Amerika Serikat", "'United States'", "Penjualan ke United States"),
        ("Pelanggan di Kanada?", "'Kanada' 'Canada'", "Pelanggan di Kanada?"),
        ("Pelanggan di Kanada?", "country 'Brazil'", "Pelanggan di Kanada?"),
    ],
)
def test_a_country_or_language_is_known_under_the_name_that_the_data_have(
    question: str, written: str, same: str
) -> None:
    assert as_planned(question, written) == same


def test_a_month_said_after_two_days_is_of_both() -> None:
    assert in_full("tanggal 25 dan 26 April 2008") == "tanggal 25 April 2008 dan 26 April 2008"
    assert in_full("top 5 dan total April 2008") == "top 5 dan total April 2008"
