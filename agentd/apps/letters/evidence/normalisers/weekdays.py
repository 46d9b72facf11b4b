"""Parses days counted from another: `in two days`, `3 hari yang lalu`, `Friday`, `first Sunday of May`, `Sunday 31`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from agentd.agent.languages import words as all_words
from agentd.apps.letters.evidence.normalisers.clock import MONTHS, Day, at_clock, before_clock, count, made
from agentd.apps.letters.evidence.normalisers.numbers import lengths, unit, year
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

WEEKDAYS = {tuple(name.split()): at for at, names in enumerate(phrases().weekdays) for name in names}
_BOOK = Phrasebook(WEEKDAYS)
_ORDINALS = {**all_words().ordinals, **phrases().ordinals}
_OF = phrases().date_noise | {*phrases().clock["in"]}
_CLOCK = phrases().clock
_FAR = 3660
"""The most days by which something is counted."""
_LONG = 31  # days; from the first day of a month on, so many are in the next


def weekdays(words: Sequence[str]) -> frozenset[int]:
    """The weekdays that folded words name, with Monday as 0."""
    return frozenset(WEEKDAYS[phrase] for _, phrase in _BOOK.find(words))


def weekday(words: Sequence[str], at: int, today: date) -> Day | None:
    """The day of the weekday at an index; None if it is counted from something unknown (`the third Monday`)."""
    end = at + len(phrase := _BOOK.at(words, at))
    number = WEEKDAYS[phrase]
    if any(at_clock(words, at, key) > len(phrase) for key in ("next_week", "this_week", "last_week")):
        return None  # `minggu depan` isn't a Sunday
    if not _ORDINALS.keys().isdisjoint((words[max(at - 1, 0)], *words[end : end + 1])):
        return _nth_of_month(words, at, end, today)
    monday = today - timedelta(days=today.weekday())
    gone = (today.weekday() - number) % 7 or 7
    for key, day in (
        ("next_week", monday + timedelta(days=7 + number)),
        ("last_week", monday - timedelta(days=7 - number)),
        ("last", today - timedelta(days=gone)),
    ):
        before = before_clock(words, at, key)
        after = 0 if before else at_clock(words, end, key)
        if before or after:
            if key == "last" and before and not _OF.isdisjoint(words[end : end + 1]):
                return _nth_of_month(words, at, end, today)
            return at - before, end + after, day
    coming = today + timedelta(days=(number - today.weekday()) % 7 or 7)
    after = at_clock(words, end, "from_now") if at else 0
    if after and (many := count(words, at - 1)[0]):  # `two Sundays from now`
        return at - 1, end + after, coming + timedelta(days=7 * (many - 1))
    noise = end < len(words) and words[end] in _OF
    said, stop = count(words, end + noise)
    dated = words[stop - 1] in _ORDINALS if noise else stop == len(words) or words[stop] in (".", "!", ")")
    if said is not None and dated and (noise or words[end].isdecimal()):
        return next(_matching(at, stop, today, said, number), None)
    return at, end, coming


def _nth(words: Sequence[str], at: int) -> int:
    """Which one a word counts: 1 for `first`, -1 for `last`; 0 for any other word."""
    last = -1 if at >= 0 and at_clock(words, at, "last") == 1 else 0
    return _ORDINALS.get(words[at], last) if 0 <= at < len(words) else 0


def _nth_of_month(words: Sequence[str], at: int, end: int, today: date) -> Day | None:
    """The nth weekday of a month: `first Friday of May`, `last Sunday in March 2014`, `Jumat pertama bulan depan`."""
    start = at - (_nth(words, at - 1) != 0)
    nth, number = _nth(words, start) or _nth(words, end), WEEKDAYS[tuple(words[at:end])]
    month = _month(words, end + (start == at), today)
    for first, stop in month:
        since = first if nth > 0 else _next(first) - timedelta(days=7)
        day = since + timedelta(days=(number - since.weekday()) % 7 + 7 * max(nth - 1, 0))
        if day.month == first.month and (day >= today or first is month[-1][0]):
            return start, stop, day
    return None


def _month(words: Sequence[str], at: int, today: date) -> list[tuple[date, int]]:
    """The months, by their first days, that words behind a weekday may mean, each with the index after it."""
    for place in range(at, len(words)):
        for key, first in (("this_month", today.replace(day=1)), ("next_month", _next(today))):
            if size := at_clock(words, place, key):
                return [(first, place + size)]
        if number := MONTHS.get(words[place]):
            of, stop = year(words, place + 1) if len("".join(words[place + 1 : place + 2])) > 2 else (None, 0)
            known = [(of, stop)] if of else [(today.year, place + 1), (today.year + 1, place + 1)]
            return [(hit[2], end) for which, end in known if (hit := made(at, end, which, number, 1))]
        if words[place] not in _OF and unit(words[place : place + 1]) != "month":
            return []
    return []


def _next(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=_LONG)).replace(day=1)


def settled(hit: Day, other: Day | None, words: Sequence[str], *, whole: bool) -> Day | None:
    """The date beside a weekday, if the two are one day: `Saturday, 5 December`, `Rabu pagi tanggal 18 November`.

    A date without its year or month (not `whole`) may be the last such day (`Thursday the 21st`, on Monday the 25th).
    """
    number = WEEKDAYS.get(tuple(words[hit[0] : hit[1]]))
    if number is None or other is None or max(hit[0] - other[1], other[0] - hit[1]) > 2:  # words between them
        return None
    start, end, day = other
    named = not MONTHS.keys().isdisjoint(words[start:end])
    if not named and not any(word.isdecimal() or word in _ORDINALS for word in words[start:end]):
        return None
    if day.weekday() == number or whole:
        return other if day.weekday() == number else None
    before = day.replace(year=day.year - 1, day=1) if named else day.replace(day=1) - timedelta(days=1)
    last = made(start, end, before.year, before.month, day.day)
    return last if last and last[2].weekday() == number else None


def _matching(start: int, end: int, since: date, day: int, number: int) -> Iterator[Day]:
    """The dates with this day of the month on this weekday, from a month on and in the next two."""
    of = since.replace(day=1)
    for _ in range(3):
        hit = made(start, end, of.year, of.month, day)
        if hit is not None and hit[2].weekday() == number:
            yield hit
        of = _next(of)


def ahead(words: Sequence[str], today: date, day_at: Callable[[int], Day | None]) -> Iterator[Day]:
    """Each such day in folded words. `day_at` reads the date at an index.

    Only days and weeks are counted: `two years ago` is no date.
    """
    months = {end + by for _, end, _ in lengths(words, "month") for by in (0, 1)}
    for start, end, amount in lengths(words, "day"):
        if amount != int(amount) or amount >= _FAR or start in months:
            continue
        days = timedelta(days=int(amount))
        before = words[start - 1] if start else ""
        if size := at_clock(words, end, "from_now"):
            yield start, end + size, today + days
        elif size := at_clock(words, end, "ago"):
            yield start, end + size, today - days
        elif hit := _from(words, end, before, day_at):
            yield start, hit[1], hit[2] + (-days if at_clock(words, end, "earlier") else days)
        elif before in _CLOCK["in"]:
            yield start - 1, end, today + days


def _from(words: Sequence[str], end: int, before: str, day_at: Callable[[int], Day | None]) -> Day | None:
    """The date from which a length that ends at an index is counted, unless something lasts so long from then on."""
    size = at_clock(words, end, "later") or at_clock(words, end, "earlier")
    since = at_clock(words, end, "since") if before not in _CLOCK["lasting"] else 0
    hit = day_at(end + (size or since)) if size or since else None
    return hit if hit and (size or not any(map(str.isdecimal, words[hit[0] : hit[1]]))) else None
