"""Choices and their synonyms: finds which declared value of a field a phrase means (`belum nikah` is BELUM KAWIN).

If a schema lists its spellings (`x-agentd-spellings`), only these count, because its server accepts no others. Every
other schema uses the common spellings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentd.agent.text import FILLERS, fold, folded_tokens, normal, plain, tokens
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_DOUBLED = re.compile(r"\b(\w+) \1\b")
"""Two words which are one doubled word, usually written with a hyphen: `emah-emah`."""
_CONCEPTS: tuple[tuple[str, ...], ...] = tuple(
    (*spellings, *(_DOUBLED.sub(r"\1 - \1", one) for one in spellings))
    for known in (phrases().choices, phrases().occupations, phrases().education)
    for spellings in known.values()
)
_BY_PHRASE: dict[tuple[str, ...], frozenset[int]] = {}
for _number, _phrases in enumerate(_CONCEPTS):
    for _phrase in _phrases:
        _key = tuple(_phrase.split())
        _BY_PHRASE[_key] = _BY_PHRASE.get(_key, frozenset()) | {_number}
_BY_FIRST = {first: number for number, (first, *_) in enumerate(_CONCEPTS)}
_OCCUPATIONS = frozenset(_BY_FIRST[first] for first in phrases().occupations)
JOBS = phrases().jobs
"""Words that make any phrase an occupation."""


def meanings(phrase: Sequence[str]) -> frozenset[int]:
    """The concepts that a whole folded phrase stands for."""
    return _BY_PHRASE.get(tuple(phrase), frozenset())


def sex(words: Sequence[str]) -> str | None:
    """`p` or `l`, as encoded in a NIK; None for other words."""
    meant = meanings(words)
    return "p" if _BY_FIRST["perempuan"] in meant else "l" if _BY_FIRST["laki laki"] in meant else None


SPELLINGS = "x-agentd-spellings"
"""Schema key for a property's spellings of its choices: `{"Kawin": ["menikah", "married"]}`."""


@dataclass(frozen=True, slots=True)
class Enum:
    """A field's declared values; `spellings`: the other spellings of each, if the schema lists them."""

    values: tuple[str, ...] = ()
    spellings: tuple[tuple[str, ...], ...] | None = None


NO_ENUM = Enum()


@lru_cache(maxsize=512)
def options(enum: Enum) -> dict[tuple[str, ...], str | None]:
    """{phrase: the value that it means, or None if it means several or a different choice}.

    A value may list alternatives (`PELAJAR/MAHASISWA`); each of them means it.
    """
    phrases: dict[tuple[str, ...], str | None] = {}
    if enum.spellings is not None:
        for value, spellings in zip(enum.values, enum.spellings, strict=True):
            phrases |= {form(spelling): value for spelling in (*spellings, value) for form in (fold, folded_tokens)}
        return phrases
    for value in enum.values:
        own = {_signed(value, enum)}
        own |= {fold(part) for part in value.replace("_", " ").split("/")} if "/" in value else set()
        for concept in {number for phrase in own for number in meanings(phrase)}:
            own |= {tuple(phrase.split()) for phrase in _CONCEPTS[concept]}
        for phrase in own - {()}:
            phrases[phrase] = value if phrases.get(phrase, value) == value else None
    for value in enum.values:
        phrases[_signed(value, enum)] = value
    return phrases


def _signed(value: str, enum: Enum) -> tuple[str, ...]:
    """A value's words, with marks only if they alone distinguish it from another value."""
    return folded_tokens(value) if value in alike_but_for_marks(enum) else fold(value.replace("_", " "))


@lru_cache(maxsize=512)
def alike_but_for_marks(enum: Enum) -> frozenset[str]:
    """The declared values that differ from another only in their marks (`O+`, `O-`)."""
    spelled = [plain(value.replace("_", " ")) for value in enum.values]
    return frozenset(value for value, plainly in zip(enum.values, spelled, strict=True) if spelled.count(plainly) > 1)


@lru_cache(maxsize=512)
def book(enum: Enum) -> Phrasebook:
    """Finds the phrases that mean a choice of the field."""
    return Phrasebook(options(enum))


WISHES = phrases().wishes


def canonical(value: str, enum: Enum) -> str | None:
    """The declared value that an argument means, or None."""
    if enum.spellings is not None:
        return _spelled_out(enum).get(_exact(value))
    if value in enum.values:
        return value
    known = options(enum)
    return known.get(folded_tokens(value)) or known.get(fold(value.replace("_", " ")))


@lru_cache(maxsize=512)
def _spelled_out(enum: Enum) -> dict[tuple[str, ...], str]:
    """{spelling: value} for every spelling that the schema's server accepts."""
    pairs = zip(enum.values, enum.spellings or (), strict=True)
    return {_exact(spelling): value for value, spellings in pairs for spelling in (value, *spellings)}


def _exact(spelling: str) -> tuple[str, ...]:
    """The form that the server compares: without case and marks, with chat abbreviations unexpanded."""
    return tuple(token.casefold() for token in tokens(normal(spelling)) if token[0].isalnum())


def begun(words: Sequence[str], enum: Enum) -> tuple[str, ...]:
    """The values whose first word was said and nothing more: `cerai` may be Cerai Hidup or Cerai Mati."""
    said = [word for word in words if word[0].isalnum() and word not in FILLERS]
    found = tuple(value for value in enum.values if (split := fold(value)) and said == [split[0]] and len(split) > 1)
    return found if len(found) > 1 and tuple(said) not in options(enum) else ()


def is_occupation(words: Sequence[str]) -> bool:
    """Whether a phrase is an occupation."""
    return bool(JOBS.intersection(words) or meanings(words) & _OCCUPATIONS)


def is_choice(words: Iterable[str]) -> bool:
    """Whether a phrase is a known choice or an occupation, and so not a name."""
    kept = tuple(words)
    return bool(meanings(kept)) or any(word in JOBS for word in kept)
