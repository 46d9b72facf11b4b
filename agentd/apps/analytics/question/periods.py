"""Understands time in a question, in Indonesian and English, against a given day. No model, no clock of its own.

| words                                             | period (today is 2023-03-15)        |
|----------------------------------------------------|-------------------------------------|
| Januari 2023, Jan 2023, 01/2023, 2023-01           | 2023-01-01 … 2023-01-31             |
| Januari (no year)                                  | the latest January that has begun   |
| tahun 2022, 2022                                   | 2022-01-01 … 2022-12-31             |
| kuartal 2, Q2 2023, triwulan II, semester 1 2022   | the quarter or half-year            |
| hari ini, kemarin, minggu ini, minggu lalu         | the day; Monday to Sunday           |
| bulan ini, bulan lalu, tahun ini, tahun lalu       | the whole month, the whole year     |
| besok, bulan depan, next year                      | the day, the whole month, year      |
| 3 bulan terakhir, last 30 days                     | up to today                         |
| tahun ini s.d. hari ini, year to date              | 2023-01-01 … 2023-03-15             |
| dari 5 Jan sampai akhir Maret 2023, Jan-Mar 2023   | 2023-01-05 … 2023-03-31             |
| sejak Februari 2023, sebelum 2023, per 1 Maret     | open at one end; the day itself     |
| Februari tahun lalu, February of last year         | 2022-02-01 … 2022-02-28             |
| Februari dibanding tahun lalu, a year earlier, yoy | February of 2023, then that of 2022 |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from agentd.agent.languages import words
from agentd.apps.analytics.question.period_readers import MONTH_WORDS, NUMBERS, read
from agentd.apps.analytics.question.spans import (
    Period,
    in_year_of,
    span_label,
)
from agentd.apps.analytics.vocabulary import alternatives, any_of, finder, vocabulary
from agentd.apps.analytics.wording import labelled

_SAID = vocabulary()
_M = rf"(?:(?!{any_of('no_months')}\b){alternatives(MONTH_WORDS)})"
_Y = r"(?:19|20)\d\d"
_N = rf"(?:\d{{1,3}}|{alternatives(NUMBERS)})"
_U = alternatives(_SAID.units)
_TO = any_of("to")
_YEAR = any_of("years")
_KE = rf"(?:{any_of('ordinal_prefixes')}\s?)?"
_NTH = alternatives(word for word, number in NUMBERS.items() if number <= 4)
_NTH_BEFORE = alternatives(word for word, number in words().ordinals.items() if number <= 4)
_EDGES = any_of("begins", "ends")

_POINTS = rf"""
    (?P<iso>{_Y}-\d\d?-\d\d?)
  | (?P<dmy>\d\d?[/.-]\d\d?[/.-]{_Y})
  | (?P<edge>{_EDGES})\s+(?:{_U}\s+)?(?P<em>{_M})(?:\s+(?P<ey>{_Y}))?
  | (?P<ytd>(?:{any_of("year_began")}|(?P<ytdm>{_M}\ {_Y}))\s+{_TO}\s+{any_of("now")}
      |{any_of("so_far")})
  | (?P<d>\d\d?)\s+(?P<dm>{_M})(?:\s+(?P<dy>{_Y}))?
  | (?P<md>{_M})\s+(?P<mdd>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<mdy>{_Y})
  | (?P<ym>{_Y}-\d\d)(?![\d-])
  | (?P<my>(?<!\d)\d\d?/{_Y})
  | (?P<m>{_M})(?:\s+(?:{_YEAR}\s+)?(?P<y>{_Y}))?
  | (?:{any_of("quarters")}\s+{_KE}|q)(?P<q>[1-4]|{_NTH})(?:\s+(?:{_YEAR}\s+)?(?P<qy>{_Y}))?
  | (?P<oq>{_NTH_BEFORE})\s+{any_of("quarters")}(?:\s+(?:of\s+)?(?P<oqy>{_Y}))?
  | {any_of("halves")}\s+{_KE}(?P<s>[12]|{_NTH})(?:\s+(?:{_YEAR}\s+)?(?P<sy>{_Y}))?
  | (?P<n>{_N})\s+(?P<nu>{_U})\s+{any_of("trailing_after")}
  | {any_of("trailing_before")}\s+(?P<ln>{_N})\s+(?P<lu>{_U})
  | (?P<tu>{_U})\s+{any_of("this_after")} | {any_of("this_before")}\s+(?P<etu>{_U})
  | (?P<pu>{_U})\s+{any_of("last_after")} | {any_of("last_before")}\s+(?P<epu>{_U})
  | (?P<xu>{_U})\s+{any_of("next_after")} | {any_of("next_before")}\s+(?P<exu>{_U})
  | (?P<today>{any_of("today")}) | (?P<yesterday>{any_of("yesterday")})
  | (?P<tomorrow>{any_of("tomorrow")})
  | (?:{_YEAR}\s+)?(?<![A-Za-z]-)(?P<year>{_Y})(?!\d)
"""
_POINT = re.compile(rf"(?<![\w.]){'(?:' + _POINTS + ')'}(?!\w)", re.VERBOSE | re.IGNORECASE)
_JOINED = re.compile(rf"^\s*{_TO}\s*$|^\s+{any_of('joined')}\s+$", re.IGNORECASE)
_BESIDE = re.compile(rf"\s*,\s*(?:{any_of('joined')}\s+)?|\s+{any_of('beside')}\s+(?:{_U}\s+)?", re.IGNORECASE)
_RANGE = re.compile(rf"^\s*{_TO}\s*$", re.IGNORECASE)
_DATE = rf"(?:{any_of('dates')}\s+)?$"
_SINCE = re.compile(rf"(?<!\w){any_of('since')}\s+(?:{any_of('since_from')}\s+)?{_DATE}", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<!\w){any_of('before')}\s+{_DATE}", re.IGNORECASE)
_UP_TO = re.compile(rf"(?<!\w){any_of('up_to')}\s+{_DATE}", re.IGNORECASE)
_THIS = re.compile(rf"{_U}\s+{any_of('this_after')}|{any_of('this_before')}\s+{_U}", re.IGNORECASE)
_OF = re.compile(rf"\s+(?:{any_of('of_a_year')}\s+)?", re.IGNORECASE)
_PRECEDING = re.compile(rf"(?<!\w){any_of('preceding')}$", re.IGNORECASE)
_LEAD = 64
"""How many characters before a time expression are searched for a word that makes its period open-ended; searching all
would take quadratic time."""


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    stop: int
    period: Period
    year_given: bool


def period_of(text: str, today: date, year: int | None = None) -> Period | None:
    """The first period of a question. `year`: the year of a month without one (in a follow-up question)."""
    found = periods_of(text, today, year)
    return found[0] if found else None


def periods_of(text: str, today: date, year: int | None = None) -> list[Period]:
    """Every period of a question in order, with ranges joined ("dari 5 Jan sampai akhir Maret 2023" is one)."""
    points = _points(text, today, year)
    joined: list[Period] = []
    index = 0
    while index < len(points):
        point = points[index]
        before = text[max(0, point.start - _LEAD) : point.start]
        if index + 1 < len(points) and _RANGE.match(text[point.stop : points[index + 1].start]):
            joined.append(_range(point, points[index + 1]))
            index += 2
            continue
        if _SINCE.search(before):
            joined.append(Period(point.period.start, None, f"{labelled('since')} {point.period.label}"))
        elif _BEFORE.search(before) and point.period.start is not None:
            end = point.period.start - timedelta(days=1)
            joined.append(Period(None, end, f"{labelled('before')} {point.period.label}"))
        elif _UP_TO.search(before):
            joined.append(Period(None, point.period.end, f"{labelled('until')} {point.period.label}"))
        else:
            joined.append(point.period)
        index += 1
    return in_other_years(joined, text)


def timeless(text: str) -> str:
    """The text without its time expressions."""
    return _POINT.sub(" ", text)


def _points(text: str, today: date, year: int | None) -> list[_Found]:
    found = [
        _Found(match.start(), match.end(), *said)
        for match in _POINT.finditer(text)
        if (said := read(match, today, year)) is not None
    ]
    found = _within_years([point for point in found if not _is_of_another(point, found, text)], text)
    # "Januari dan Februari 2023": a year given once also applies to its neighbours
    for index in range(len(found) - 2, -1, -1):
        point, after = found[index], found[index + 1]
        if point.year_given or not after.year_given or after.period.start is None or point.period.start is None:
            continue
        if is_year(after.period):  # "Februari dibanding 2022"
            continue
        between = text[point.stop : after.start]
        if _JOINED.match(between) or _BESIDE.fullmatch(between):
            wanted = after.period.start.year
            if point.period.start.month > after.period.start.month and _RANGE.match(between):
                wanted -= 1
            moved = in_year_of(point.period, wanted)
            if moved.start != after.period.start:  # "Februari dibanding Februari tahun lalu"
                found[index] = _Found(point.start, point.stop, moved, True)
    for index, (before, point) in enumerate(pairwise(found), 1):  # "kuartal 2 2022 dibanding kuartal 1"
        start = before.period.start if before.year_given and shorter_than_a_year(before.period) else None
        if start is not None and not point.year_given and not _RANGE.match(text[before.stop : point.start]):
            moved = in_year_of(point.period, start.year)
            if finder("compares").search(text) or (moved.start is not None and moved.start > start):
                found[index] = _Found(point.start, point.stop, moved, True)
    return found


def _within_years(found: list[_Found], text: str) -> list[_Found]:
    """Moves a point directly before a year into that year: "Februari tahun lalu"."""
    made: list[_Found] = []
    for point in found:
        last = made[-1] if made else None
        if last is not None and is_year(point.period) and shorter_than_a_year(last.period):
            open_ = not last.year_given or _THIS.fullmatch(text[last.start : last.stop])
            if open_ and _OF.fullmatch(text[last.stop : point.start]) and point.period.start is not None:
                made[-1] = _Found(last.start, point.stop, in_year_of(last.period, point.period.start.year), True)
                continue
        made.append(point)
    return made


def _is_of_another(point: _Found, found: list[_Found], text: str) -> bool:
    """Whether it only says "the period before" another named one of the same length ("Februari 2023 dibanding bulan
    sebelumnya"), or the year before a shorter one. dates.py and `in_other_years` compute these."""
    if not _PRECEDING.search(text[point.start : point.stop]):
        return False
    others = [each.period for each in found if each is not point]
    if is_year(point.period) and any(shorter_than_a_year(each) for each in others):
        return True
    return any(abs(_days(each) - _days(point.period)) <= 3 for each in others)


def _days(period: Period) -> int:
    return (period.end - period.start).days if period.start is not None and period.end is not None else 0


def _range(first: _Found, last: _Found) -> Period:
    start, end = first.period, last.period
    begin, finish = start.start, end.end
    if begin is not None and finish is not None and begin > finish and not first.year_given:
        begin = begin.replace(
            year=finish.year if (begin.month, begin.day) <= (finish.month, finish.day) else finish.year - 1
        )
    if begin is not None and finish is not None and begin > finish:
        begin, finish = end.start, start.end
    if start.start == start.end or end.start == end.end or begin is None or finish is None:
        return Period(begin, finish, span_label(begin, finish) if begin and finish else f"{start.label} – {end.label}")
    return Period(begin, finish, span_label(begin, finish))


def periods_in(question: str, past: list[str], today: date) -> list[Period]:
    """The question's periods; a month without a year is in the year that the conversation was about."""
    year: int | None = None
    for earlier in past:
        found = period_of(earlier, today, year)
        start = found and (found.start or found.end)
        year = start.year if start else year
    return periods_of(question, today, year)


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
