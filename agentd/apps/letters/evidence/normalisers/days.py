"""Parses dates as people say them: `5-1-1990`, `January 5th, 1990`, `besok`, `tanggal 5`.

Missing years and months are completed from a given day. It doesn't decide whose date it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import accumulate

from agentd.agent.text import FILLERS, folded_tokens
from agentd.apps.letters.evidence.normalisers.clock import (
    MONTHS,
    UNTIL,
    Day,
    at_clock,
    before_clock,
    begins_clock,
    count,
    made,
)
from agentd.apps.letters.evidence.normalisers.numbers import SPOKEN, unit, year
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.evidence.normalisers.weekdays import WEEKDAYS, ahead, settled, weekday
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_DAYS = {tuple(phrase.split()): days for phrase, days in _PACK.days.items()}
_DAY_BOOK = Phrasebook((*_DAYS, *WEEKDAYS))
_BETWEEN_PARTS = 8  # words and marks between two parts of a date, at most
_MARKS = frozenset({"-", "/", "."})
_INSIDE = _PACK.date_noise | _MARKS
_TIME_OF_DAY = re.compile(r"(?<=\d)T\d.*")


def marked(words: Sequence[str], at: int) -> bool:
    """Whether a date begins with a word for it: `tanggal 5`."""
    size = at_clock(words, at, "date_before")
    return size > 0 and count(words, at + size)[0] is not None


def dates(words: Sequence[str]) -> list[Day]:
    """Every complete date in folded tokens, day first if both orders are possible.

    A two-digit year counts only if its century is clear (90 is 1990, 05 is 2005; 21 to 35 could be either).
    """
    found: list[Day] = []
    for at, word in enumerate(words):
        if _dated(word) and not _inside_hour(words, at) and (not found or at >= found[-1][1]):
            hit = _numeric(words, at) or _worded(words, at)
            found += [hit] if hit is not None else []
    return found


def parse(value: str) -> date | None:
    """The date if the whole value is exactly one date, in any notation; a time after an ISO date is ignored."""
    words = folded_tokens(_TIME_OF_DAY.sub("", value.strip()))
    hits = dates(words)
    return hits[0][2] if len(hits) == 1 and hits[0][:2] == (0, len(words)) else None


def day(value: str, today: date) -> date | None:
    """The date if the value contains exactly one, in any notation; a partial date is completed from `today`."""
    hits = days(folded_tokens(_TIME_OF_DAY.sub("", value)), today)
    return hits[0][2] if len(hits) == 1 else None


def relative(value: str, today: date, *, past: bool = False) -> date | None:
    """The date if it depends on the day the value was said on: `besok`, `5 Mei`; None for a complete date."""
    words = folded_tokens(_TIME_OF_DAY.sub("", value))
    hits = [] if dates(words) else days(words, today, past=past)
    return hits[0][2] if len(hits) == 1 else None


def days(words: Sequence[str], today: date, *, past: bool = False) -> list[Day]:
    """Every date in folded words. One without a year or month is the next such day, or with `past` the last one."""
    whole = {hit[0]: hit for hit in dates(words)}
    partial = {at: hit for at in range(len(words)) if _begins(words[at]) and (hit := _partial(words, at, today))}
    found: list[Day] = []
    taken: set[int] = set()

    def take(hits: Iterable[Day | None]) -> None:
        for hit in hits:
            if hit is not None and taken.isdisjoint(range(*hit[:2])):
                found.append(hit)
                taken.update(range(*hit[:2]))

    take(ahead(words, today, lambda at: whole.get(at) or partial.get(at)))
    take(whole.values())
    take(_gone(hit, words, today) if past else hit for hit in partial.values())
    take([ranged for hit in found for ranged in (_begun(words, *hit), _ended(words, *hit))])
    found.sort()
    for hit, *near in zip([*found], [None, *found], [*found[1:], None], strict=False):
        for other in near:
            if one := settled(hit, other, words, whole=other is not None and other[0] in whole):
                found = [one if each == other else each for each in found if each != hit]
    latest = accumulate((day for _, _, day in found), max, initial=date.min)
    return [hit for hit, before in zip(found, latest, strict=False) if not _may_follow(hit, before, words)]


def _may_follow(hit: Day, before: date, words: Sequence[str]) -> bool:
    """Whether a bare weekday is ambiguous after a later date: `check in 11 December, check out Sunday`."""
    return before > hit[2] and tuple(words[hit[0] : hit[1]]) in WEEKDAYS


def _begun(words: Sequence[str], start: int, end: int, last: date) -> Day | None:
    """The first day of a range such as `10 to 13 December`."""
    at = start - 2
    joined = (
        at >= 0
        and words[at + 1] in UNTIL
        and words[start].isdecimal()
        and not MONTHS.keys().isdisjoint(words[start:end])
    )
    number = count(words, at)[0] if joined else None
    return made(at, at + 1, last.year, last.month, number) if number else None


def _ended(words: Sequence[str], start: int, end: int, first: date) -> Day | None:
    """The last day of a range such as `tanggal 3 sampai 7`, in the same month or the next."""
    joined = words[end : end + 1] and words[end] in UNTIL and any(map(str.isdecimal, words[start:end]))
    number, stop = count(words, end + 1) if joined else (None, end)
    if number is None or any(word[0].isalnum() and word not in FILLERS for word in words[stop : stop + 1]):
        return None  # `to 5 people`
    of = first if number > first.day else first.replace(day=1) + timedelta(days=32)
    return made(end + 1, stop, of.year, of.month, number)


def _dated(word: str) -> bool:
    """Whether the word may begin a complete date."""
    return word.isdecimal() or word in SPOKEN or word in MONTHS


def _begins(word: str) -> bool:
    """Whether the word may begin a date without a year or month."""
    return _dated(word) or _DAY_BOOK.begins(word) or begins_clock(word, "date_before")


def _partial(words: Sequence[str], at: int, today: date) -> Day | None:
    if _inside_hour(words, at):
        return None
    said = _DAY_BOOK.at(words, at)
    if said in _DAYS:
        return at, at + len(said), today + timedelta(days=_DAYS[said])
    return weekday(words, at, today) if said else _worded(words, at, today)


def _inside_hour(words: Sequence[str], at: int) -> bool:
    """Whether a number is an hour's minutes: `12:30 December 27th`."""
    return at > 1 and words[at - 1] == ":" and words[at - 2].isdecimal()


def _gone(hit: Day, words: Sequence[str], today: date) -> Day:
    """Moves a future `Friday`, `8 May` or `19th` back to the last one before today."""
    start, end, day = hit
    said = words[start:end]
    if day > today and not MONTHS.keys().isdisjoint(said):
        return made(start, end, day.year - 1, day.month, day.day) or hit
    if day > today and any(map(str.isdecimal, said)):  # `on the 19th`
        last = today if day.day <= today.day else today.replace(day=1) - timedelta(days=1)
        return made(start, end, last.year, last.month, day.day) or hit
    return (start, end, day - timedelta(days=7)) if day > today and tuple(said) in WEEKDAYS else hit


def _numeric(words: Sequence[str], at: int) -> Day | None:
    """Numeric dates: 5-1-1990, 05/01/90, 5.1.1990, 5 1 1990 and 1990-01-05."""
    first = words[at]
    if not first.isdecimal():
        return None
    parts, marks, end = [first], set[str](), at + 1
    while len(parts) < 3 and end < len(words):
        step = 1 if words[end] in _MARKS or words[end] in _PACK.between_date_parts else 0
        if end + step >= len(words) or not words[end + step].isdecimal():
            return None
        parts.append(words[end + step])
        marks |= {words[end]} & _MARKS
        end += step + 1
    if len(parts) < 3 or len(marks) > 1 or (end + 1 < len(words) and words[end] in "-/" and words[end + 1].isdecimal()):
        return None
    if len(parts[0]) == 4:
        return made(at, end, int(parts[0]), int(parts[1]), int(parts[2]))
    of, _ = year(parts, 2)
    if of is None or len(parts[0]) > 2 or len(parts[1]) > 2:
        return None
    day, number = int(parts[0]), int(parts[1])
    if number > 12 >= day:
        day, number = number, day
    return made(at, end, of, number, day)


def _worded(words: Sequence[str], at: int, today: date | None = None) -> Day | None:
    """Dates in words: 5 Januari 1990, January 5th, 1990, lima Januari seribu sembilan ratus sembilan puluh, 5-Jan-1990.

    With `today`, also without a year or month: `3 Maret`, `tanggal 10`, `the 7th of this month`.
    """
    marked, named = 0, MONTHS.get(words[at])
    if named is not None:
        number, end = count(words, _skip(words, at + 1))
        said = end + (end < len(words) and words[end] in _PACK.date_noise)
    else:
        marked = at_clock(words, at, "date_before") if today else 0
        number, end = count(words, at + marked)
        said = _skip(words, end)
        named = MONTHS.get(words[said]) if said < len(words) else None
        if named is None:
            return _day_alone(words, at, end, number, today, marked=marked > 0) if number and today else None
        end = said = said + 1
    of, stop = (_year_counted(words, end, today) if today else None) or year(words, _skip(words, end))
    if of is None and at > 1 and words[at - 1] in _MARKS and len(words[at - 2]) == 4 and words[at - 2].isdecimal():
        of, stop = int(words[at - 2]), said  # `2019-Aug-01`
    if of is None and today is not None and number is not None:
        of, stop = today.year + ((named, number) < (today.month, today.day)), said
    return made(at, stop, of, named, number) if number is not None and of is not None else None


def _day_alone(words: Sequence[str], at: int, end: int, number: int, today: date, *, marked: bool) -> Day | None:
    """A day's `number`, said from `at` to `end`, without a month's name: `tanggal 10`, `the 7th of this month`.

    Without `this` or `next month`, a word for a date must stand before it (`marked`) or behind it; then it is the next
    such day from `today`.
    """
    next_month = today.replace(day=1) + timedelta(days=32)
    months = {"this_month": today, "next_month": next_month}
    for place in (end, _skip(words, end)):
        for key, of in months.items():
            if size := at_clock(words, place, key):
                return made(at, place + size, of.year, of.month, number)
    after = at_clock(words, end, "date_after")
    if after and unit(words[end + after : end + after + 1]):
        return None  # `3rd week of May`
    before = (of for key, of in months.items() if before_clock(words, at, key))  # `bulan depan tanggal 21`
    of = next(before, today if number >= today.day else next_month)
    return made(at, end + after, of.year, of.month, number) if marked or after else None


def _year_counted(words: Sequence[str], at: int, today: date) -> tuple[int, int] | None:
    """(year, index after it) for `last year`, `tahun depan`."""
    for place in (at, _skip(words, at)):
        for by, key in enumerate(("last_year", "this_year", "next_year"), -1):
            if size := at_clock(words, place, key):
                return today.year + by, place + size
    return None


def _skip(words: Sequence[str], at: int) -> int:
    """The index after words that may stand inside a date, at most `_BETWEEN_PARTS` further."""
    last = min(at + _BETWEEN_PARTS, len(words))
    return next((place for place in range(at, last) if words[place] not in _INSIDE), last)
