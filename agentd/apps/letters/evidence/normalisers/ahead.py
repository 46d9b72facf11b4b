"""Parses days at a distance: `in two days`, `a week from today`, `3 hari yang lalu`, `two days before Friday`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from agentd.apps.letters.evidence.normalisers.clock import Day, at_clock
from agentd.apps.letters.evidence.normalisers.numbers import lengths
from agentd.apps.letters.languages import phrases

_CLOCK = phrases().clock
_FAR = 3660
"""The most days by which something is counted."""


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
