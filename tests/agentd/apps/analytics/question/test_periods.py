"""Time in questions, understood without a model (issue 7 "Time", seed 003 §3.1 point 3). Today is 15 March 2023."""

from __future__ import annotations

from datetime import date

import pytest

from agentd.apps.analytics.checks.dates import dates_for
from agentd.apps.analytics.question.periods import period_of, periods_of
from agentd.apps.analytics.question.spans import previous

TODAY = date(2023, 3, 15)


@pytest.mark.parametrize(
    ("words", "start", "end", "label"),
    [
        ("Total penjualan Januari 2023", "2023-01-01", "2023-01-31", "Januari 2023"),
        ("sales in Feb 2023", "2023-02-01", "2023-02-28", "Februari 2023"),
        ("invoice USD Februari 2023", "2023-02-01", "2023-02-28", "Februari 2023"),  # no `sd`
        ("bulan lalu", "2023-02-01", "2023-02-28", "Februari 2023"),
        ("bulan depan", "2023-04-01", "2023-04-30", "April 2023"),
        ("next year", "2024-01-01", "2024-12-31", "2024"),
        ("tomorrow", "2023-03-16", "2023-03-16", "16 Maret 2023"),
        ("last month", "2023-02-01", "2023-02-28", "Februari 2023"),
        ("kuartal 2", "2022-04-01", "2022-06-30", "Kuartal 2 2022"),
        ("triwulan II 2022", "2022-04-01", "2022-06-30", "Kuartal 2 2022"),
        ("Q1 2023", "2023-01-01", "2023-03-31", "Kuartal 1 2023"),
        ("semester 1 2022", "2022-01-01", "2022-06-30", "Semester 1 2022"),
        ("semester dua 2022", "2022-07-01", "2022-12-31", "Semester 2 2022"),
        ("quarter two 2022", "2022-04-01", "2022-06-30", "Kuartal 2 2022"),
        ("3 bulan terakhir", "2022-12-16", "2023-03-15", "3 bulan terakhir"),
        ("the last 30 days", "2023-02-14", "2023-03-15", "30 hari terakhir"),
        ("tahun ini s.d. hari ini", "2023-01-01", "2023-03-15", "1 Januari 2023 – 15 Maret 2023"),
        ("year to date", "2023-01-01", "2023-03-15", "1 Januari 2023 – 15 Maret 2023"),
        ("dari 5 Jan sampai akhir Maret 2023", "2023-01-05", "2023-03-31", "5 Januari 2023 – 31 Maret 2023"),
        ("dari November 2022 sampai Februari 2023", "2022-11-01", "2023-02-28", "November 2022 – Februari 2023"),
        ("dari Nov sampai Feb 2023", "2022-11-01", "2023-02-28", "November 2022 – Februari 2023"),
        ("Jan-Mar 2023", "2023-01-01", "2023-03-31", "Januari – Maret 2023"),
        ("tahun lalu", "2022-01-01", "2022-12-31", "2022"),
        ("minggu lalu", "2023-03-06", "2023-03-12", "6 Maret 2023 – 12 Maret 2023"),
        ("per 1 Maret 2023", "2023-03-01", "2023-03-01", "1 Maret 2023"),
        ("15/01/2023", "2023-01-15", "2023-01-15", "15 Januari 2023"),
        ("sejak Februari 2023", "2023-02-01", None, "sejak Februari 2023"),
        ("sebelum 2023", None, "2022-12-31", "sebelum 2023"),
    ],
)
def test_words_become_a_period(words: str, start: str | None, end: str | None, label: str) -> None:
    found = period_of(words, TODAY)
    assert found is not None
    assert found.as_time_period() == {"start_date": start, "end_date": end, "period_label": label}


@pytest.mark.parametrize("words", ["piutang per customer", "31 Februari 2023", "faktur INV-2023-7", "may I see sales"])
def test_what_is_no_time_is_none(words: str) -> None:
    assert period_of(words, TODAY) is None


def test_two_months_of_one_year_are_two_periods() -> None:
    first, second = periods_of("Bandingkan Januari dan Februari 2022", TODAY)
    assert (first.label, second.label) == ("Januari 2022", "Februari 2022")


def test_a_month_of_a_follow_up_is_of_the_year_talked_about() -> None:
    found = period_of("yang bulan Desember?", TODAY, year=2021)
    assert found is not None
    assert found.label == "Desember 2021"


def test_the_period_before_is_of_the_same_length() -> None:
    for words, label in (("Januari 2023", "Desember 2022"), ("2023", "2022"), ("Q1 2023", "Oktober – Desember 2022")):
        period = period_of(words, TODAY)
        assert period is not None
        before = previous(period)
        assert before is not None
        assert before.label == label


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Penjualan Februari 2022 dibanding bulan sebelumnya?", ("2022-01-01", "2022-01-31")),
        ("Dibanding kuartal sebelumnya, bagaimana penjualan kuartal 2 2022?", ("2022-01-01", "2022-03-31")),
        ("Sales in February 2022 compared with the previous month", ("2022-01-01", "2022-01-31")),
    ],
)
def test_the_month_before_a_named_one_is_not_last_month(question: str, before: tuple[str, str]) -> None:
    dates = dates_for(question, periods_of(question, TODAY), TODAY)
    assert (dates["PREV_START_DATE"], dates["PREV_END_DATE"]) == before
    assert "START_DATE_2" not in dates


FEBRUARY = ("2023-02-01", "2023-02-28")
A_YEAR_BEFORE = ("2022-02-01", "2022-02-28")


@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        ("Penjualan Februari dibanding tahun sebelumnya", FEBRUARY, A_YEAR_BEFORE),
        ("Penjualan Februari 2022 dibanding tahun sebelumnya", A_YEAR_BEFORE, ("2021-02-01", "2021-02-28")),
        ("Penjualan Februari dibanding bulan yang sama tahun lalu", FEBRUARY, A_YEAR_BEFORE),
        ("Dibanding tahun lalu, berapa penjualan Februari 2023?", FEBRUARY, A_YEAR_BEFORE),
        ("Februari 2023 vs 2022", FEBRUARY, A_YEAR_BEFORE),
        ("Februari dibanding Februari tahun lalu", FEBRUARY, A_YEAR_BEFORE),
        ("Sales in February compared with the previous year", FEBRUARY, A_YEAR_BEFORE),
        ("February sales vs the same month last year", FEBRUARY, A_YEAR_BEFORE),
        ("February 2023 sales, year on year", FEBRUARY, A_YEAR_BEFORE),
        ("February this year vs February last year", FEBRUARY, A_YEAR_BEFORE),
        ("kuartal 2 2022 dibanding kuartal 1", ("2022-04-01", "2022-06-30"), ("2022-01-01", "2022-03-31")),
        ("Q1 2023 dibanding tahun lalu", ("2023-01-01", "2023-03-31"), ("2022-01-01", "2022-03-31")),
        ("tahun ini s.d. hari ini dibanding tahun lalu", ("2023-01-01", "2023-03-15"), ("2022-01-01", "2022-03-15")),
        (
            "Nov 2022 sampai Feb 2023 dibanding setahun sebelumnya",
            ("2022-11-01", "2023-02-28"),
            ("2021-11-01", "2022-02-28"),
        ),
        ("Februari 2023 dibanding seluruh tahun 2022", FEBRUARY, ("2022-01-01", "2022-12-31")),
    ],
)
def test_a_period_is_compared_with_its_own_days_of_another_year(
    question: str, own: tuple[str, str], other: tuple[str, str]
) -> None:
    dates = dates_for(question, periods_of(question, TODAY), TODAY)
    assert (dates["START_DATE"], dates["END_DATE"]) == own
    assert (dates["START_DATE_2"], dates["END_DATE_2"]) == other


@pytest.mark.parametrize("words", ["Februari tahun lalu", "February of last year", "Februari tahun 2022"])
def test_a_month_with_its_year_behind_it_is_one_period(words: str) -> None:
    assert [found.label for found in periods_of(f"Penjualan {words}", TODAY)] == ["Februari 2022"]
