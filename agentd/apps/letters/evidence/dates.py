"""Dates in the notations people use, Indonesian and English. It reads values; whose date it is, others decide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agentd.agent.languages import words as all_words
from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.numbers import SPOKEN, spoken
from agentd.apps.letters.languages import phrases

_MONTHS = {name: number for number, names in enumerate(all_words().months, 1) for name in names}
_NOISE = phrases().date_noise
_BETWEEN = phrases().between_date_parts
_MARKS = frozenset({"-", "/", "."})

Found = tuple[int, int, date]
"""(first word, word after the last, the date)."""


def month(word: str) -> int | None:
    """The month that a folded word names."""
    return _MONTHS.get(word)


def dates(words: Sequence[str]) -> list[Found]:
    """Every date in folded tokens, day first where both readings exist.

    A two-digit year counts only where its century is plain (90 is 1990, 05 is 2005; 21 to 35 could be either).
    """
    found: list[Found] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.isdecimal() or word in SPOKEN or word in _MONTHS:
            hit = _numeric(words, at) or _worded(words, at)
            if hit is not None:
                found.append(hit)
                at = hit[1]
                continue
        at += 1
    return found


def parse(value: str) -> date | None:
    """The one date that a whole value is, in any of the notations (a time after an ISO date is ignored)."""
    head = value.strip().split("T")[0]
    words = folded_tokens(head)
    hits = dates(words)
    return hits[0][2] if len(hits) == 1 and hits[0][0] == 0 and hits[0][1] == len(words) else None


def _numeric(words: Sequence[str], at: int) -> Found | None:
    """5-1-1990, 05/01/90, 5.1.1990, 5 1 1990 and 1990-01-05."""
    first = words[at]
    if not first.isdecimal():
        return None
    parts, end = [first], at + 1
    while len(parts) < 3 and end < len(words):
        step = 1 if words[end] in _MARKS or words[end] in _BETWEEN else 0
        if end + step >= len(words) or not words[end + step].isdecimal():
            return None
        parts.append(words[end + step])
        end += step + 1
    if len(parts) < 3 or (end + 1 < len(words) and words[end] in "-/" and words[end + 1].isdecimal()):
        return None
    if len(parts[0]) == 4:
        return made(at, end, int(parts[0]), int(parts[1]), int(parts[2]))
    year = _year(parts[2])
    if year is None or len(parts[0]) > 2 or len(parts[1]) > 2:
        return None
    day, number = int(parts[0]), int(parts[1])
    if number > 12 >= day:
        day, number = number, day
    return made(at, end, year, number, day)


def _worded(words: Sequence[str], at: int) -> Found | None:
    """5 Januari 1990, January 5th, 1990, lima Januari seribu sembilan ratus sembilan puluh, 5-Jan-1990."""
    number = _MONTHS.get(words[at])
    if number is not None:
        day, end = _count(words, _skip(words, at + 1))
    else:
        day, end = _count(words, at)
        if day is None:
            return None
        end = _skip(words, end)
        number = _MONTHS.get(words[end]) if end < len(words) else None
        end += 1
    if day is None or number is None:
        return None
    start_of_year = _skip(words, end)
    if start_of_year >= len(words):
        return None
    if words[start_of_year].isdecimal():
        year, end = _year(words[start_of_year]), start_of_year + 1
    else:
        year, end = _count(words, start_of_year)
        if year is not None and year < 1000:
            year = _english_year(words, start_of_year)
    return made(at, end, year, number, day) if year is not None else None


def _english_year(words: Sequence[str], at: int) -> int | None:
    """`nineteen ninety five` is said as two numbers."""
    head = spoken(words[: at + 1], at)
    tail = spoken(words, at + 1)
    return head[0] * 100 + tail[0] if head and tail and head[0] in (19, 20) and 10 <= tail[0] < 100 else None


def _count(words: Sequence[str], at: int) -> tuple[int | None, int]:
    if at < len(words) and words[at].isdecimal():
        return (int(words[at]), at + 1) if len(words[at]) <= 2 else (None, at)
    said = spoken(words, at)
    return said if said is not None else (None, at)


def _skip(words: Sequence[str], at: int) -> int:
    while at < len(words) and (words[at] in _NOISE or words[at] in _MARKS):
        at += 1
    return at


def _year(digits: str) -> int | None:
    if len(digits) == 4:
        return int(digits)
    if len(digits) != 2:
        return None
    year = int(digits)
    return 2000 + year if year <= 20 else 1900 + year if year > 35 else None


def made(start: int, end: int, year: int, number: int, day: int) -> Found | None:
    """A date of the calendar in its place; None where there is no such day."""
    try:
        return start, end, date(year, number, day)
    except ValueError:
        return None
