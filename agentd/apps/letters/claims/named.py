"""Numbers, codes, dates, people and places that the citizen said or a tool found, in whatever mood.

A look-up about somebody whom nobody named, or an answer with a number that nobody gave, comes from a model's examples.
What a result only echoes from its own input was not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from agentd.agent.text import fold, normal, tokens
from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.evidence.claims.results import parsed
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.normalisers.days import dates, parse
from agentd.apps.letters.evidence.normalisers.numbers import amounts
from agentd.apps.letters.evidence.normalisers.weekdays import weekdays
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

_DIGITS = frozenset({"nik", "kk", "phone", "rt", "rw", "rtrw"})
_NUMBERS = frozenset({"number", "money", "year"})
_TIME = re.compile(r"\d{1,2}[:.]\d{2}(?::\d{2})?")
_PERIOD = re.compile(r"(?:19|20)\d\d(?:[-/]\d{1,2})?")
_ONE_WORD = re.compile(r"\S*\d\S*")
FEWEST = 3
"""Least digits of a word that may be a code in a field of another kind: names of files or time zones have fewer."""
_LONG = re.compile(r"\d(?:[ .-]?\d){8,}")
"""A number in free text that identifies somebody or something, and is no amount or year."""
_PLAIN = re.compile(r"[\W_]+")
_ALIKE = 0.85
"""Least likeness of a misspelt place (`Makasar`: 0.93); two cities may have 0.82 (`Jakarta`, `Jogjakarta`)."""
DAYS_NEAR = 366
"""The most days between a date that is named without its year and the day it was named on."""
SHORTEST = 5
"""Least characters of a code that may be found inside a longer run; shorter codes must stand alone."""


class _Statement:
    """What one message or result names. Each view of its words is computed on first use, since a result may be long."""

    def __init__(self, one: Said) -> None:
        self.texts = [normal(text) for text in _texts_of(one)]
        """What the citizen said or the tool found, one text each."""

    @cached_property
    def run(self) -> str:
        """All texts without their spacing, a line each."""
        return "\n".join(map(squashed, self.texts))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(squashed(word) for text in self.texts for word in text.split())

    @cached_property
    def _folded(self) -> list[list[str]]:
        return [[word.strip().casefold() for word in tokens(text) if word.strip()] for text in self.texts]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(word for text in self.texts for word in fold(text))

    @cached_property
    def amounts(self) -> frozenset[Decimal]:
        return frozenset(amount for words in self._folded for amount in amounts(words))

    @cached_property
    def dates(self) -> frozenset[date]:
        return frozenset(found for words in self._folded for _, _, found in dates(words))


_read = by_object(_Statement)


class Named:
    """What was named so far. Built per call or answer; each statement is read once."""

    def __init__(self, said: Sequence[Said]) -> None:
        self._said = said
        self._read = [_read(one) for one in said if one.by != "agent"]

    @property
    def texts(self) -> list[str]:
        """What the citizen said and tools found, one text each."""
        return [text for one in self._read for text in one.texts]

    @property
    def amounts(self) -> frozenset[Decimal]:
        """Every number, however it was written."""
        return frozenset[Decimal]().union(*(one.amounts for one in self._read))

    def code(self, text: str) -> bool:
        """Whether this number or code was named, whatever its spacing."""
        plain = squashed(text)
        if any(plain in one.words for one in self._read):
            return True
        return len(plain) >= SHORTEST and any(plain in one.run for one in self._read)

    def person(self, name: str) -> bool:
        """Whether every word of a name was said."""
        return all(any(word in one.vocabulary for one in self._read) for word in fold(name))

    @cached_property
    def _spoken(self) -> frozenset[str]:
        """The citizen's words."""
        return frozenset(word for one in self._said if one.by == "citizen" for word in fold(one.text))

    def place(self, name: str) -> bool:
        """Whether each word of a place was named, or the citizen misspelt it or said the initials (`KL`)."""
        words = fold(name)
        initials = "".join(word[0] for word in words)
        return (len(words) > 1 and initials in self._spoken) or all(
            self.person(word) or get_close_matches(word, self._spoken, 1, _ALIKE) for word in words
        )

    def day(self, day: date) -> bool:
        """Whether this date was named: in full, or by the citizen as a number (the 5 of `tanggal 5`), by its weekday or
        as `besok`; one that is far from the day it was said on only if its year was said, too."""
        if any(day in one.dates for one in self._read):
            return True
        spoken, year = self._spoken, str(day.year)
        said_on = (date.fromisoformat(one.day) for one in self._said if one.by == "citizen" and one.day)
        if not {year, year[2:]} & spoken and min((abs((day - one).days) for one in said_on), default=0) > DAYS_NEAR:
            return False
        by_day = str(day.day) in spoken or f"{day.day:02}" in spoken
        by_name = day.weekday() in weekdays(sorted(spoken))
        return by_day or by_name or any(spoken.issuperset(words.split()) for words in phrases().days)

    def has(self, field: Field) -> bool:
        """Whether what an argument names was named; True if it names nobody and nothing."""
        value = field.value
        if field.free or isinstance(value, bool) or field.enum.values:
            return True
        if isinstance(value, int | float):
            quantity = abs(value) < 10 ** (SHORTEST - 1)  # a count, a limit or a coordinate
            return quantity or value in self.amounts or self.code(str(value))
        return not isinstance(value, str) or all(self._knows(text, field.kind) for text in parts(value, field.kind))

    def _knows(self, text: str, kind: str) -> bool:
        if kind == "place":
            return self.place(text)
        day = parse(text)
        if day is not None and kind not in _DIGITS and kind != "code":
            return self.day(day)
        return self.person(text) if kind == "name" else self.code(text)


def parts(value: str, kind: str) -> Iterator[str]:
    """The parts of a text that name somebody or something, given its field's kind."""
    text = value.strip()
    if kind in ("name", "place", "code", *_DIGITS):
        yield from [text] if text else []
    elif kind in ("date", *_NUMBERS):
        yield from [text] if any(letter.isdecimal() for letter in text) else []
    elif _ONE_WORD.fullmatch(text) and not _TIME.fullmatch(text) and not _PERIOD.fullmatch(text):
        yield from [text] if sum(letter.isdecimal() for letter in text) >= FEWEST else []
    else:
        yield from (found.group() for found in _LONG.finditer(text))


def squashed(text: str) -> str:
    """Only the letters and digits, lower-cased."""
    return _PLAIN.sub("", text).casefold()


def _texts_of(one: Said) -> Iterator[str]:
    """A citizen's message, or the strings of a tool's output without those that repeat its input."""
    if one.by == "citizen":
        yield one.text
        return
    echoed = frozenset(_leaves(parsed(one.text)))
    yield from (leaf for leaf in _leaves(one.value) if leaf not in echoed)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None:
        yield str(value)
