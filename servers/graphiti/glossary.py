"""The words of business in Indonesian and English, and the concepts they stand for. Knows no particular schema.

The words themselves are in glossary.json.

A concept is what a word of a question and a name in a schema have in common: `piutang`, `receivables` and `arbook` are
one. Its phrases are matched word by word, the longest first, so that `hutang pelanggan` is a receivable though `hutang`
alone is a payable.
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
    """`phrases` of people and comments, pieces of tables' and columns' `names`, a table's business `category`, and what
    stands for it (`otherwise`) in a schema that hasn't got it."""

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
"""How names of columns end that name a row."""
FLAGS = tuple(_DOCUMENT["flags"])
"""How names of columns begin that say yes or no."""
WHO, WE = frozenset(_DOCUMENT["who"]), frozenset(_DOCUMENT["we"])
DEEDS: list[dict[str, Any]] = _DOCUMENT["deeds"]
"""What people do, whose part that is, and what it is in the books: who buys is a customer, bought is what was sold."""
PEOPLE = frozenset(deed["by"] for deed in DEEDS) | {"employee"}

SHORT = 3
_CLITIC, _PLURAL = re.compile(_DOCUMENT["clitic"]), re.compile(_DOCUMENT["plural"])
"""Ends of words, where enough stands before them."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[a-z]+|\d+")


def words(text: str) -> list[str]:
    """Lower-case words; `monthly_data`, `CustomerCode` and `order-lines` are two each."""
    return [word.lower() for word in _WORD.findall(text)]


def concepts_in(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The concepts that a text names, with the words that named them; longest phrases first claim their words."""
    return list(_concepts_of(tuple(words(text))))


def deeds_in(text: str, named: Collection[str]) -> Iterator[dict[str, Any]]:
    """What those do whom a question asks for, by "who" or as the only people among its `named` concepts. What stands
    behind "we" is what we do; behind another word ("customer kita") it says whose that is."""
    spoken = words(text)
    pairs = enumerate(zip(["the", *spoken], spoken, strict=False))
    ours = next((place for place, (before, word) in pairs if word in WE and before in NEUTRAL), len(spoken))
    people = PEOPLE.intersection(named)
    for deed in DEEDS if people or WHO.intersection(spoken) else ():
        if people <= {deed["by"], *_otherwise(deed["by"])} and set(spoken[:ours]).intersection(deed["do"]):
            yield deed


def unclaimed(text: str) -> list[str]:
    """The words that are neither in a concept's phrase nor neutral nor numbers."""
    spoken = words(text)
    claimed = {word for _, phrase in _concepts_of(tuple(spoken)) for word in phrase}
    return [word for word in spoken if word not in claimed and word not in NEUTRAL and not word.isdigit()]


def name_concepts(name: str) -> frozenset[str]:
    """The concepts in a table's or column's name, also where its pieces stand together: `salesorderh`.

    A name without such pieces may be a phrase of people: `Faktur Januari`, `piutang`.
    """
    found: set[str] = set()
    rest = words(name)
    while rest:
        found |= _pieces_from("".join(rest), rest[0])
        rest = rest[1:]
    return frozenset(found or {concept for concept, _ in concepts_in(name)})


def _pieces_from(text: str, word: str) -> set[str]:
    """The concepts of the pieces that follow each other from the beginning of `text`, which begins with `word`."""
    found: set[str] = set()
    while True:
        for piece, concepts in _pieces().items():
            # `ar` and `top` are too short to be found within words.
            if text.startswith(piece) and (len(piece) > SHORT or piece == word):
                found |= concepts
                text = text[len(piece) :]
                break
        else:
            return found


def without_clitic(word: str) -> str:
    """`produknya` is said of a `produk`."""
    return _CLITIC.sub("", word)


def stem(word: str) -> str:
    """A word without its clitic and the ending of a plural, as far as letters show them."""
    return _PLURAL.sub("", without_clitic(word))


def stand_in(concept: str, there: Collection[str]) -> str | None:
    """What stands for a concept among those of a schema that hasn't got it: sales are its invoices, or its orders."""
    return next((each for each in _otherwise(concept) if each in there), None)


def _otherwise(concept: str) -> tuple[str, ...]:
    return next((each.otherwise for each in CONCEPTS if each.concept == concept), ())


def category(concepts: frozenset[str]) -> str | None:
    """The business category of a table with those concepts in its name."""
    if "master" in concepts:
        return "master_data"
    order = ("production", "inventory", "financial_transaction")
    named = {each.category for each in CONCEPTS if each.concept in concepts and each.category}
    return next((each for each in order if each in named), None)


@cache
def _phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Each phrase's concepts (`overdue` has two), by its words."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for concept in CONCEPTS:
        for phrase in (*concept.phrases, concept.concept):
            key = tuple(words(phrase))
            if concept.concept not in found.get(key, ()):
                found[key] = (*found.get(key, ()), concept.concept)
    return found


@cache
def _pieces() -> dict[str, frozenset[str]]:
    """Pieces of names with their concepts, the longest first."""
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
