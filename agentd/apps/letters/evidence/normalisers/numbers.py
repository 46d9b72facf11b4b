"""Parses numbers as people write and say them, in Indonesian and English. Doesn't know what they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from agentd.agent.languages import words as all_words
from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_WORDS = all_words()
DIGIT_WORDS = _WORDS.digits
_TEENS = {**_WORDS.numbers, **_WORDS.ordinals}
_SCALES = _WORDS.scales
_GLUE = _WORDS.number_joiners | {"-"}
LONGEST = 32
"""The most words of one number; the longest that people say have about twenty."""
SPOKEN = frozenset(DIGIT_WORDS) | frozenset(_TEENS) | frozenset(_SCALES) | {"belas"}


def spoken(words: Sequence[str], start: int) -> tuple[int, int] | None:
    """(value, end) of the number in words at `start` (`sembilan belas`, `dua ribu lima`, `twenty one`), or None."""
    total = current = 0
    at = start
    while at < min(start + LONGEST, len(words)):
        word = words[at]
        if word in DIGIT_WORDS:
            current += DIGIT_WORDS[word]
        elif word == "belas" and at > start:
            current += 10
        elif word in _TEENS:
            current += _TEENS[word]
        elif word in _SCALES and at > start:
            scale = _SCALES[word]
            if scale == 10:
                current += (current % 10) * 9
            elif scale == 100:
                current += (current % 10) * 99
            else:
                total, current = (total + current) * scale if total < scale else total + current * scale, 0
        elif not (word in _GLUE and at > start and at + 1 < len(words) and words[at + 1] in SPOKEN):
            break
        at += 1
    return (total + current, at) if at > start else None


def amounts(words: Sequence[str]) -> list[Decimal]:
    """Every amount in folded words: `2.500.000`, `2,5 juta`, `500 rb`, `dua juta lima ratus ribu`."""
    return [value for _, _, value in found(words)]


def found(words: Sequence[str]) -> list[tuple[int, int, Decimal]]:
    """(start, end, amount) of every amount in folded words."""
    hits: list[tuple[int, int, Decimal]] = []
    at = 0
    while at < len(words):
        start = at
        if words[at].isdecimal():
            value, at = _written(words, at)
            if at < len(words) and words[at] in _SCALES:
                value, at = value * _SCALES[words[at]], at + 1
            hits.append((start, at, value))
        elif (said := spoken(words, at)) is not None:
            at = said[1]
            hits.append((start, at, Decimal(said[0])))
        else:
            at += 1
    return hits


_UNITS = {"minute": (0, 1), "hour": (0, 60), "day": (0, 1440), "week": (0, 10080), "month": (1, 1), "year": (1, 12)}
"""{unit: (0 for minutes or 1 for months, how many of them)}."""
_LENGTHS = {tuple(each.split()): key.split() for key, known in phrases().lengths.items() for each in known}
_LENGTH_BOOK = Phrasebook(_LENGTHS)


def unit(words: Sequence[str]) -> str:
    """The first unit of time among folded words; empty if there is none."""
    named = (_LENGTHS[phrase] for _, phrase in _LENGTH_BOOK.find(words))
    return next((each[0] for each in named if len(each) == 1), "")


def lengths(words: Sequence[str], wanted: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, amount in the wanted unit) of every duration: `half an hour` is 30 minutes, `setahun` 12 months."""
    numbered = {end: (start, amount) for start, end, amount in found(words)}
    for at, phrase in _LENGTH_BOOK.find(words):
        *number, said = _LENGTHS[phrase]
        start, amount = (at, Decimal(number[0])) if number else numbered.get(at, (at, None))
        (kind, size), (other, into) = _UNITS[said], _UNITS[wanted]
        if amount is not None and kind == other:
            yield start, at + len(phrase), amount * size / into


def value(text: str) -> Decimal | None:
    """The amount if the text contains exactly one, or None."""
    try:
        return Decimal(text)
    except InvalidOperation:
        said = amounts(folded_tokens(text))
        return said[0] if len(said) == 1 else None


def _written(words: Sequence[str], at: int) -> tuple[Decimal, int]:
    whole = words[at]
    at += 1
    while at + 1 < len(words) and words[at] in ".," and len(words[at + 1]) == 3 and words[at + 1].isdecimal():
        whole += words[at + 1]
        at += 2
    if at + 1 < len(words) and words[at] in ".," and words[at + 1].isdecimal():
        return Decimal(f"{whole}.{words[at + 1]}"), at + 2
    return Decimal(whole), at
