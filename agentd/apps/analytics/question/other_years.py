"""Comparisons of a period with the same days of another year: "Februari dibanding tahun lalu". Pure."""

from __future__ import annotations

from datetime import date

from agentd.apps.analytics.question.spans import Period, in_year_of
from agentd.apps.analytics.vocabulary import finder


def is_year(period: Period) -> bool:
    """Whether it is a whole calendar year."""
    start, end = period.start, period.end
    return start is not None and start == date(start.year, 1, 1) and end == date(start.year, 12, 31)


def shorter_than_a_year(period: Period) -> bool:
    """Whether it has both ends and is shorter than a year."""
    return period.start is not None and period.end is not None and (period.end - period.start).days < 364


def in_other_years(periods: list[Period], text: str) -> list[Period]:
    """The periods of a question. If it compares a short one with years, these become its days in each of them.

    "A year before" is the year before the period's, as is a "last year" equal to it. The period comes first. A question
    for a whole year ("seluruh tahun 2022") means that year.
    """
    short = next((each for each in periods if shorter_than_a_year(each)), None)
    compares = finder("compares", "same", "year_before").search(text)
    if short is None or short.start is None or finder("whole").search(text) or not compares:
        return periods
    own = short.start.year
    years = [each.start.year for each in periods if is_year(each) and each.start is not None]
    wanted = [year for year in years if year != own]
    if (own in years and finder("last_year").search(text)) or (not wanted and finder("year_before").search(text)):
        wanted = [own - 1]
    if not wanted:
        return periods
    others = [each for each in periods if each is not short and not is_year(each)]
    return [short, *(in_year_of(short, year) for year in wanted), *others]
