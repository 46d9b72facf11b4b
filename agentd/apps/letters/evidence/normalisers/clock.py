"""What readers of dates and hours share: the packs' words about time, months, small numbers. Reads no dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agentd.agent.languages import words as all_words
from agentd.apps.letters.evidence.normalisers.numbers import spoken
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_CLOCK = {key: Phrasebook(known) for key, known in phrases().clock.items()}
MONTHS = {name: number for number, names in enumerate(all_words().months, 1) for name in names}
_YEARS = range(date.min.year + 11, date.max.year - 10)
"""Years from which every distance that is read stays in the calendar."""
UNTIL = {"-", *phrases().clock["until"]}

Day = tuple[int, int, date]  # index of the first word, index after the last word, the date


def at_clock(words: Sequence[str], at: int, key: str) -> int:
    """How many words at an index match a kind of phrase in the packs' `clock`."""
    return len(_CLOCK[key].at(words, at))


def first_clock(words: Sequence[str], at: int, *keys: str) -> tuple[str, int]:
    """(the first of these kinds that matches at an index, how many words); no words if none does."""
    return next(((key, size) for key in keys if (size := at_clock(words, at, key))), ("", 0))


def begins_clock(word: str, key: str) -> bool:
    """Whether a phrase of a kind in the packs' `clock` may begin with the word."""
    return _CLOCK[key].begins(word)


def before_clock(words: Sequence[str], at: int, key: str) -> int:
    """How many words directly before an index match a kind of phrase in the packs' `clock`."""
    return next((size for size in (3, 2, 1) if at >= size and at_clock(words, at - size, key) == size), 0)


def count(words: Sequence[str], at: int) -> tuple[int | None, int]:
    """(number, index after it); a number in digits has at most two of them."""
    if at < len(words) and words[at].isdecimal():
        return (int(words[at]), at + 1) if len(words[at]) <= 2 else (None, at)
    return spoken(words, at) or (None, at)


def made(start: int, end: int, year: int, number: int, day: int) -> Day | None:
    """The date with its position; None if the calendar has no such day, or ends about then."""
    try:
        return (start, end, date(year, number, day)) if year in _YEARS else None
    except (ValueError, OverflowError):
        return None
