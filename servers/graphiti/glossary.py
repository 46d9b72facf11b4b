"""The business vocabulary in Indonesian and English, and the concepts it denotes. Knows no particular schema.

The words themselves are in glossary.json.

A concept connects a word of a question with a name in a schema: `piutang`, `receivables` and `arbook` are one. Its
phrases are matched by words, the longest first, so that `hutang pelanggan` is a receivable though `hutang` alone is a
payable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Concept:
    """`phrases` of people and comments, parts of table and column `names`, a table's business `category`, and concepts
    to use instead (`otherwise`) in a schema without it."""

    concept: str
    phrases: tuple[str, ...]
    names: tuple[str, ...]
    category: str = ""
    otherwise: tuple[str, ...] = ()


_DOCUMENT = json.loads(Path(__file__).with_name("glossary.json").read_text(encoding="utf-8"))
CONCEPTS = tuple(
    Concept(
        each["concept"],
        tuple(each["phrases"]),
        tuple(each["names"]),
        each.get("category", ""),
        tuple(each.get("else", ())),
    )
    for each in _DOCUMENT["concepts"]
)
NEUTRAL = frozenset(_DOCUMENT["neutral"])
"""Words that say when, how much or which, but not what about."""
IDENTIFIERS = tuple(_DOCUMENT["identifiers"])
"""Endings of column names that identify a row."""
FLAGS = tuple(_DOCUMENT["flags"])
"""Beginnings of column names with yes/no values."""
MONEY, MEASURES = frozenset(_DOCUMENT["money"]), frozenset(_DOCUMENT["measures"])
"""Words in names of columns with amounts of money, and with numbers of anything else."""
WHO, WE = frozenset(_DOCUMENT["who"]), frozenset(_DOCUMENT["we"])
DEEDS: list[dict[str, Any]] = _DOCUMENT["deeds"]
"""Actions, who does them, and what they are in the books: who buys is a customer, what was bought is sales."""
PEOPLE = frozenset(deed["by"] for deed in DEEDS) | {"employee"}

SHORT = 3
_CLITIC, _PLURAL = re.compile(_DOCUMENT["clitic"]), re.compile(_DOCUMENT["plural"])
"""Word endings, matched only after enough letters."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[a-z]+|\d+")


def words(text: str) -> list[str]:
    """Return lower-case words; `monthly_data`, `CustomerCode` and `order-lines` are two each."""
    return [word.lower() for word in _WORD.findall(text)]


def as_words(name: str) -> str:
    return " ".join(words(name))


def concepts_in(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the concepts in a text, each with the words that named it; longer phrases claim their words first."""
    return list(_concepts_of(tuple(words(text))))


def deeds_in(text: str, named: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the actions of the people a question asks for, by "who" or as the only people among its `named` concepts.
    After "we" an action is ours; after another word ("customer kita") that shows only possession."""
    spoken = words(text)
    pairs = enumerate(zip(["the", *spoken], spoken, strict=False))
    ours = next((place for place, (before, word) in pairs if word in WE and before in NEUTRAL), len(spoken))
    people = PEOPLE.intersection(named)
    for deed in DEEDS if people or WHO.intersection(spoken) else ():
        if people <= {deed["by"], *_otherwise(deed["by"])} and set(spoken[:ours]).intersection(deed["do"]):
            yield deed


def unclaimed(text: str) -> list[str]:
    """Return the words that are in no concept's phrase, not neutral and not numbers."""
    spoken = words(text)
    claimed = {word for _, phrase in _concepts_of(tuple(spoken)) for word in phrase}
    return [word for word in spoken if word not in claimed and word not in NEUTRAL and not word.isdigit()]


def name_concepts(name: str) -> frozenset[str]:
    """Return the concepts in a table's or column's name, even if its parts are joined: `salesorderh`.

    A name without such parts may be a phrase of people: `Faktur Januari`, `piutang`.
    """
    found: set[str] = set()
    rest = words(name)
    while rest:
        found |= _pieces_from("".join(rest), rest[0])
        rest = rest[1:]
    return frozenset(found or {concept for concept, _ in concepts_in(name)})


def _pieces_from(text: str, word: str) -> set[str]:
    """Return the concepts of consecutive parts at the beginning of `text`, which begins with `word`."""
    found: set[str] = set()
    while True:
        for piece, concepts in _pieces().items():
            # `ar` and `top` are too short to match within words.
            if text.startswith(piece) and (len(piece) > SHORT or piece == word):
                found |= concepts
                text = text[len(piece) :]
                break
        else:
            return found


def without_clitic(word: str) -> str:
    """Remove a clitic: `produknya` becomes `produk`."""
    return _CLITIC.sub("", word)


def stem(word: str) -> str:
    """Remove a clitic and a plural ending, as far as the spelling shows them."""
    return _PLURAL.sub("", without_clitic(word))


def stand_in(concept: str, there: Collection[str]) -> str | None:
    """Return what replaces a concept that a schema lacks: for sales its invoices, or its orders."""
    return next((each for each in _otherwise(concept) if each in there), None)


def _otherwise(concept: str) -> tuple[str, ...]:
    return next((each.otherwise for each in CONCEPTS if each.concept == concept), ())


def category(concepts: frozenset[str]) -> str | None:
    """Return the business category of a table with these concepts in its name."""
    if "master" in concepts:
        return "master_data"
    order = ("production", "inventory", "financial_transaction")
    named = {each.category for each in CONCEPTS if each.concept in concepts and each.category}
    return next((each for each in order if each in named), None)


@cache
def _phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the concepts of each phrase (`overdue` has two), by its words."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for concept in CONCEPTS:
        for phrase in (*concept.phrases, concept.concept):
            key = tuple(words(phrase))
            if concept.concept not in found.get(key, ()):
                found[key] = (*found.get(key, ()), concept.concept)
    return found


@cache
def _pieces() -> dict[str, frozenset[str]]:
    """Return the parts of names with their concepts, longest first."""
    found: dict[str, set[str]] = {}
    for concept in CONCEPTS:
        for piece in concept.names:
            found.setdefault(piece, set()).add(concept.concept)
    return {piece: frozenset(found[piece]) for piece in sorted(found, key=lambda piece: (-len(piece), piece))}


@cache
def _longest() -> int:
    return max(map(len, _phrases()))


def _concepts_of(spoken: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    free = [True] * len(spoken)
    for size in range(min(_longest(), len(spoken)), 0, -1):
        for start in range(len(spoken) - size + 1):
            phrase = spoken[start : start + size]
            keys = _phrases().get(phrase) or _phrases().get((*phrase[:-1], without_clitic(phrase[-1])))
            if keys and all(free[start : start + size]):
                free[start : start + size] = [False] * size
                for key in keys:
                    yield key, phrase
