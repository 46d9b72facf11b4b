"""Days and hours as people say them: `besok`, `tanggal 5`, `Thursday next week`, `jam 7 malam`, `quarter past five`.

It completes from a given day what a speaker leaves out; whose day it is, others decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from agentd.agent.languages import words as all_words
from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.dates import dates, made, month
from agentd.apps.letters.evidence.numbers import SPOKEN, spoken
from agentd.apps.letters.evidence.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_CLOCK = {key: Phrasebook(known) for key, known in phrases().clock.items()}
_DAYS = {tuple(phrase.split()): days for phrase, days in phrases().days.items()}
_WEEKDAYS = {tuple(name.split()): at for at, names in enumerate(phrases().weekdays) for name in names}
_DAY_BOOK = Phrasebook((*_DAYS, *_WEEKDAYS))
_TIME_OF_DAY = re.compile(r"(?<=\d)T\d.*")
_FIRST = SPOKEN | {
    *(phrase.split()[0] for known in phrases().clock.values() for phrase in known),
    *(phrase[0] for known in (_DAYS, _WEEKDAYS) for phrase in known),
    *(name for names in all_words().months for name in names),
}
"""The words that a day or an hour may begin with, numbers aside."""
_FAR = 3
"""Words between an hour and its part of the day (`3:45 in the afternoon`)."""
_NEAR = 2
"""Words between a date and its weekday."""
_NOISE = phrases().date_noise

Day = tuple[int, int, date]
Hour = tuple[int, int, int]
"""(first word, word after the last, minutes since midnight)."""


def day(value: str, today: date) -> date | None:
    """The one day that a value is, in any of the notations."""
    hits = days(folded_tokens(_TIME_OF_DAY.sub("", value)), today)
    return hits[0][2] if len(hits) == 1 else None


def hour(value: str) -> int | None:
    """The one time of day that a value is: `19:00`, `19.00`, `jam 7 malam`."""
    words = folded_tokens(value)
    hits = hours(words)
    if not hits and len(words) in (5, 6) and words[1] == words[3] == ":":
        hits = hours(words[:3])
    return hits[0][2] if len(hits) == 1 else None


def days(words: Sequence[str], today: date, *, past: bool = False) -> list[Day]:
    """Every day in folded words; one without a year or a month is the next that comes, or `past` the last that was."""
    found: list[Day] = list(dates(words))
    taken = {at for start, end, _ in found for at in range(start, end)}
    at = 0
    while at < len(words):
        hit = None if at in taken or not _begins(words[at]) else _partial(words, at, today)
        hit = _gone(hit, words, today) if past and hit is not None else hit
        if hit is not None and taken.isdisjoint(range(hit[0], hit[1])):
            found.append(hit)
            at = hit[1]
        else:
            at += 1
    found.sort()
    beside = zip(found, [None, *found], [*found[1:], None], strict=False)
    return [hit for hit, *near in beside if not any(other and _weekday_of(hit, other, words) for other in near)]


def _weekday_of(hit: Day, other: Day, words: Sequence[str]) -> bool:
    """`Saturday, 5 December`, `Rabu pagi tanggal 18 November`, `18/11/2026 (Rabu)`: a weekday beside its own date."""
    if _WEEKDAYS.get(tuple(words[hit[0] : hit[1]])) != other[2].weekday():
        return False
    dated = any(word.isdecimal() or month(word) for word in words[other[0] : other[1]])
    return dated and max(hit[0] - other[1], other[0] - hit[1]) <= _NEAR


def _begins(word: str) -> bool:
    return word in _FIRST or word.isdecimal()


def _partial(words: Sequence[str], at: int, today: date) -> Day | None:
    said = _DAY_BOOK.at(words, at)
    end = at + len(said)
    if said in _DAYS:
        return at, end, today + timedelta(days=_DAYS[said])
    return _weekday(words, at, end, _WEEKDAYS[said], today) if said else _of_month(words, at, today)


def _gone(hit: Day, words: Sequence[str], today: date) -> Day:
    """The last `Friday`, `8 May` before today instead of the next."""
    start, end, day = hit
    said = words[start:end]
    if day > today and any(map(month, said)):
        return made(start, end, day.year - 1, day.month, day.day) or hit
    return (start, end, day - timedelta(days=7)) if day > today and tuple(said) in _WEEKDAYS else hit


def _weekday(words: Sequence[str], at: int, end: int, number: int, today: date) -> Day | None:
    if weeks := _at(words, end, "next_week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7)
        return at, end + weeks, monday + timedelta(days=number)
    before = next((size for size in (2, 1) if at >= size and _at(words, at - size, "last_week") == size), 0)
    after = _at(words, end, "last_week")
    if before or after:
        return at - before, end + after, today - timedelta(days=(today.weekday() - number) % 7 or 7)
    return at, end, today + timedelta(days=(number - today.weekday()) % 7 or 7)


def _of_month(words: Sequence[str], at: int, today: date) -> Day | None:
    """`3 Maret`, `March 4th`, `tanggal 10`, `the 7th of this month`."""
    named = month(words[at])
    start = at
    if named is not None:
        number, end = _count(words, _skip(words, at + 1))
        if number is None:
            return None
        end += 1 if end < len(words) and words[end] in _NOISE else 0
        return _next(start, end, number, named, today)
    marked = _at(words, at, "date_before")
    number, end = _count(words, at + marked)
    if number is None:
        return None
    after = _at(words, end, "date_after")
    rest = _skip(words, end)
    named = month(words[rest]) if rest < len(words) else None
    if named is not None:
        return _next(start, rest + 1, number, named, today)
    for place in (end, rest):
        if size := _at(words, place, "this_month"):
            return made(start, place + size, today.year, today.month, number)
        if size := _at(words, place, "next_month"):
            later = today.replace(day=1) + timedelta(days=32)
            return made(start, place + size, later.year, later.month, number)
    if not (marked or after):
        return None
    later = today if number >= today.day else today.replace(day=1) + timedelta(days=32)
    return made(start, end + after, later.year, later.month, number)


def _next(start: int, end: int, number: int, named: int, today: date) -> Day | None:
    year = today.year if (named, number) >= (today.month, today.day) else today.year + 1
    return made(start, end, year, named, number)


def hours(words: Sequence[str]) -> list[Hour]:
    """Every time of day in folded words. A bare number is none: it needs minutes, a clock word or a part of the day."""
    found: list[Hour] = []
    at = 0
    while at < len(words):
        hit = _hour(words, at) if _begins(words[at]) else None
        if hit is None:
            at += 1
        else:
            found.append(hit)
            at = hit[1]
    return found


def _hour(words: Sequence[str], at: int) -> Hour | None:
    start = at
    part = _part(words, at)
    before = part[0] if part else ""
    at += part[1] if part else 0
    clock = _at(words, at, "at")
    at += clock
    shift, begun = _begun(words, at)
    at += begun
    number, at = _count(words, at)
    if number is None or number > 24:
        return None
    minutes, size = _minutes(words, at)
    at += size
    after = next((hit for far in range(_FAR) if (hit := _part(words, at + far, far))), None)
    if not (clock or begun or size or after or before):
        return None
    if after is not None and not before:
        at += after[1]
    total = _of_day(number, after[0] if after else before) * 60 + minutes + shift
    return (start, at, total % 1440) if minutes < 60 else None


def _begun(words: Sequence[str], at: int) -> tuple[int, int]:
    """(minutes, words) of `quarter past`, `half past`, `setengah` before an hour."""
    for key, minutes in (("quarter", 15), ("half", 30)):
        if size := _at(words, at, key):
            if past := _at(words, at + size, "past"):
                return minutes, size + past
            if to := _at(words, at + size, "to"):
                return -minutes, size + to
    size = _at(words, at, "half_to")
    return (-30, size) if size else (0, 0)


def _minutes(words: Sequence[str], at: int) -> tuple[int, int]:
    """(minutes, words) after an hour: `:45`, `.15`, `lewat 10`, `kurang 5`, `seperempat`."""
    if at + 1 < len(words) and words[at] in (":", ".") and words[at + 1].isdecimal() and len(words[at + 1]) == 2:
        return int(words[at + 1]), 2
    for key, sign in (("past", 1), ("to", -1)):
        size = _at(words, at, key)
        if size:
            if quarter := _at(words, at + size, "quarter"):
                return sign * 15, size + quarter
            number, end = _count(words, at + size)
            if number is not None and number < 60:
                return sign * number, end - at
    size = _at(words, at, "quarter")
    return (15, size) if size else (0, 0)


def _part(words: Sequence[str], at: int, far: int = 0) -> tuple[str, int] | None:
    """(part of the day, words up to its end) at a place."""
    for key in ("morning", "noon", "evening"):
        if size := _at(words, at, key):
            return key, far + size
    return None


def _of_day(number: int, part: str) -> int:
    if part == "morning":
        return number % 12
    if part == "noon":
        return number + 12 if number <= 6 else number
    return number + 12 if part == "evening" and number < 12 else number


def _at(words: Sequence[str], at: int, key: str) -> int:
    """How many words of a kind stand at a place."""
    return len(_CLOCK[key].at(words, at))


def _count(words: Sequence[str], at: int) -> tuple[int | None, int]:
    if at < len(words) and words[at].isdecimal():
        return (int(words[at]), at + 1) if len(words[at]) <= 2 else (None, at)
    said = spoken(words[at : at + 2], 0)
    return (said[0], at + said[1]) if said is not None and said[0] < 60 else (None, at)


def _skip(words: Sequence[str], at: int) -> int:
    """Past what may stand inside a date."""
    while at < len(words) and words[at] in _NOISE and words[at] != ",":
        at += 1
    return at
