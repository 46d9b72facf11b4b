"""Parses days at a distance from today: `in two days`, `a week from today`, `seminggu lagi`. Reads no other dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from agentd.apps.letters.evidence.normalisers.numbers import lengths
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_CLOCK = phrases().clock
_FROM_NOW = Phrasebook(_CLOCK["from_now"])
_FAR = 3660
"""The most days by which something is counted from today."""


def ahead(words: Sequence[str], today: date) -> Iterator[tuple[int, int, date]]:
    """(index of the first word, index after the last word, the date) of each such day in folded words."""
    for start, end, amount in lengths(words, "day"):
        after, before = len(_FROM_NOW.at(words, end)), start and words[start - 1] in _CLOCK["in"]
        if (after or before) and amount == int(amount) and amount < _FAR:
            yield start - bool(before and not after), end + after, today + timedelta(days=int(amount))
