"""Numbers in words and digits, and the ways to write a bound in a query. Reads no question."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import Lexicon

BOUNDS: dict[str, Callable[[float], set[tuple[str, float]]]] = {
    "greater": lambda n: {(">", n), (">=", n + 1)},
    "at_least": lambda n: {(">=", n), (">", n - 1)},
    "less": lambda n: {("<", n), ("<=", n - 1)},
    "at_most": lambda n: {("<=", n), ("<", n + 1)},
}
"""The equivalent comparisons for a bound on whole numbers."""
SIGNS = {"greater": ">", "at_least": ">=", "less": "<", "at_most": "<="}
BESIDE = 80  # max. characters beside a number that say how it compares
FIRST_YEAR, LAST_YEAR = 1000, 2200
_DECADE = re.compile(r"\d{3}0s")
NEGATIVE = r"(?<![\w.\-])-(?=\d)"
"""Matches the sign of `-1`, but no hyphen."""
WORD = rf"(?:{NEGATIVE})?\d+\.\d+|(?:{NEGATIVE})?\w+"
"""Matches a word, or a number with its sign and decimals."""


def is_decade(word: str) -> bool:
    """True for a decade such as `1960s`."""
    return bool(_DECADE.fullmatch(word))


def within(first: float, numbers: set[tuple[str, float]]) -> bool:
    """True if both ends of the decade are tested."""
    return bool(BOUNDS["at_least"](first) & numbers) and bool(BOUNDS["at_most"](first + 9) & numbers)


def in_year(sign: str, year: int, units: int) -> set[tuple[str, float]]:
    """The comparisons of a timestamp with a year; `units`: how many per second since 1970."""
    first, after = (int(datetime(one, 1, 1, tzinfo=UTC).timestamp()) * units for one in (year, year + 1))
    return {("<" if sign in ("<", "<=", "=") else ">=", after if sign in ("<=", ">", "=") else first)} | (
        {(">=", first)} if sign == "=" else set()
    )


def ends_of_years(first: float, last: float) -> tuple[set[str], set[str]]:
    """(begins, ends): the date texts that may bound these years."""
    begins = {f"{first:.0f}", f"{first:.0f}-01-01", f"{first - 1:.0f}-12-31"}
    return begins, {f"{last:.0f}-12-31", f"{last + 1:.0f}-01-01", f"{last + 1:.0f}"}


def said_numbers(text: str, lexicon: Lexicon) -> set[float]:
    """The numbers in a text."""
    words = (number_of(word, lexicon) for word in re.findall(WORD, text.lower()))
    return {number for number in words if number is not None}


def numbers_in(question: str, lexicon: Lexicon) -> set[float]:
    """The numbers that a query for the question may contain: those it says, one more or less, and its decades' ends."""
    said = said_numbers(question, lexicon)
    decades = (float(word[:-1]) for word in _DECADE.findall(question))
    near = {number + step for number in said for step in (-1, 0, 1)}
    years = [int(number) for number in said if FIRST_YEAR <= number <= LAST_YEAR and lexicon.moments]
    near |= {at for year in years for units in lexicon.moments.values() for _, at in in_year("=", year, units)}
    return near | {first + step for first in decades for step in (-1, 0, 9, 10)}


def number_of(word: str, lexicon: Lexicon) -> float | None:
    """The number that a word stands for, or None."""
    numbers = {**languages().numbers, **lexicon.numbers}
    return float(word) if re.fullmatch(r"-?\d+(?:\.\d+)?", word) else numbers.get(word)
