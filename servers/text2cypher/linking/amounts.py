"""Numbers in words and figures, and how a bound on one may be written in a query. Reads no question."""

from __future__ import annotations

import re
from collections.abc import Callable

from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import Lexicon

BOUNDS: dict[str, Callable[[float], set[tuple[str, float]]]] = {
    "greater": lambda n: {(">", n), (">=", n + 1)},
    "at_least": lambda n: {(">=", n), (">", n - 1)},
    "less": lambda n: {("<", n), ("<=", n - 1)},
    "at_most": lambda n: {("<=", n), ("<", n + 1)},
}
"""How a bound may be written for whole numbers."""


_DECADE = re.compile(r"\d{3}0s")


def is_decade(word: str) -> bool:
    """`1960s`."""
    return bool(_DECADE.fullmatch(word))


def within(first: float, numbers: set[tuple[str, float]]) -> bool:
    """True when both ends of the ten years are tested."""
    return bool(BOUNDS["at_least"](first) & numbers) and bool(BOUNDS["at_most"](first + 9) & numbers)


def numbers_in(question: str, lexicon: Lexicon) -> set[float]:
    """The numbers that a query may hold of a question: those it says, one more or less, both ends of its decades."""
    said = (number_of(word, lexicon) for word in re.findall(r"\w+", question.lower()))
    decades = (float(word[:-1]) for word in _DECADE.findall(question))
    near = {number + step for number in said if number is not None for step in (-1, 0, 1)}
    return near | {first + step for first in decades for step in (-1, 0, 9, 10)}


def number_of(word: str, lexicon: Lexicon) -> float | None:
    """The number that a word is."""
    numbers = {**languages().numbers, **lexicon.numbers}
    return float(word) if re.fullmatch(r"\d+(?:\.\d+)?", word) else numbers.get(word)
