"""The words of questions, narratives and columns: one TOML file per language, loaded once and checked for completeness.

All languages are matched at once; docs/languages.md says how a pack is made.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, make_dataclass
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal, get_args

from agentd.agent.language import detect, own_language
from agentd.agent.languages import languages, merged, packs, words
from agentd.agent.text import name_words
from agentd.errors import Language

Key = Literal[
    "no_months", "ordinal_prefixes", "quarters", "halves", "years", "dates", "today", "yesterday", "tomorrow", "begins",
    "ends", "so_far", "year_began", "now", "this_before", "this_after", "last_before", "last_after", "next_before",
    "next_after", "preceding", "trailing_before", "trailing_after", "to", "since", "since_from", "before", "up_to",
    "beside", "joined", "of_a_year", "same", "whole", "last_year", "year_before", "compares", "by_today", "late",
    "deadlines", "claims", "most", "least", "ranks", "by_age", "spans", "before_bounds", "beyond", "scales", "amounts",
    "counted", "averages", "totals", "running", "gains", "restricts", "tops", "denies", "above", "below", "at_least",
    "at_most", "later", "earlier", "included", "whether", "emptied", "there_are", "several", "voided", "counting",
    "without", "by_month", "before_period", "names", "titles", "order_to", "name_parts", "own_units", "how_many", "who",
    "lists", "sorts", "each", "when", "unit_values", "quantities", "picks", "reads", "writes", "quotients", "shares",
    "neutral", "measures", "balances", "by_which", "own_currency", "telling_nothing", "narrating", "relates",
    "either", "currencies", "legal_forms", "heads", "no_column", "differences", "plural_ends", "articles",
    "oldest", "newest", "sets", "set_to", "any_choice",
]  # fmt: skip
"""A key of a pack that holds words; the files explain each."""
_IN_NAMES = frozenset("currencies legal_forms heads no_column differences plural_ends articles".split())
_ASIDE = frozenset(
    "alike telling_nothing figures own_currency balances claims before_bounds narrating relates "
    "sets set_to any_choice".split()
)
"""Keys that apply only to names of columns, examples and narratives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The tables of one language or of all together; a pack also has the words under each Key."""

    units: Mapping[str, str]
    months: Mapping[str, int]
    ordinals: Mapping[str, int]
    before_deductions: Mapping[str, str]
    after_deductions: Mapping[str, str]
    topics: Mapping[str, str]
    columns: Mapping[str, str]
    properties: Mapping[str, str]
    scaled: Mapping[str, str]
    alike: Mapping[str, str]
    figures: Mapping[str, str]
    readings: Mapping[str, tuple[str, ...]]


_Pack = make_dataclass("_Pack", [(key, frozenset[str]) for key in get_args(Key)], bases=(Vocabulary,), frozen=True)


@cache
def vocabulary() -> Vocabulary:
    """The words of all languages together. Raises IncompletePack."""
    return merged(_packs())


@cache
def numerals() -> Mapping[str, int]:
    """{word: its number} for every language."""
    return {**words().digits, **words().numbers}


@cache
def _packs() -> Mapping[str, Vocabulary]:
    return packs(Path(__file__).with_suffix(""), _Pack)


@cache
def listed(*keys: Key) -> frozenset[str]:
    """The words of all languages under these keys."""
    return frozenset[str]().union(*(getattr(vocabulary(), key) for key in keys))


def asked_in(question: str) -> Language:
    """The language in which the host answers: by common small words or, without any, by the books' vocabulary.

    "Penjualan Januari 2023 per customer?" is Indonesian, although most of its words are English as well.
    """
    words = re.findall(r"[^\W\d_]+", question.casefold())
    if not any(word in pack.detection for pack in languages().values() for word in words):
        months = {code: {name for names in pack.months for name in names} for code, pack in languages().items()}
        found = {
            code: sum(bool(own.fullmatch(word)) or word in months[code] for word in words)
            for code, own in _books_words().items()
        }
        most = max(found, key=lambda code: found[code])
        if list(found.values()).count(found[most]) == 1:
            return own_language(most)
    return own_language(detect(question))


@cache
def _books_words() -> Mapping[str, re.Pattern[str]]:
    kinds = ("units", "amounts", "counted", "compares", "ranks", "most", "least", "quarters")
    return {
        code: re.compile(alternatives(word for kind in kinds for word in getattr(pack, kind)))
        for code, pack in _packs().items()
    }


def in_full(question: str) -> str:
    """The question with chat abbreviations expanded (`sblm` → `sebelum`) if that yields words of the vocabulary.

    Others and capitalised ones stay: `lg`, `spt` and `sj` may be a name or code.
    """
    written = re.split(r"(?<![\w'’-])([a-z]+)(?![\w'’-])", _each_day().sub(r"\1 \4\2\3", question))
    spelt = [words().shorthands.get(each, each) for each in written]
    ends = list(accumulate(map(len, spelt)))
    spans = [found.span() for found in _telling().finditer("".join(spelt))]
    stops = [stop for _, stop in spans]
    return "".join(
        full if (at := bisect_right(stops, end - len(full))) < len(spans) and spans[at][0] < end else short
        for short, full, end in zip(written, spelt, ends, strict=True)
    )


@cache
def _each_day() -> re.Pattern[str]:
    """A day whose month is said after another day: `25 dan 26 April 2008`."""
    months = "|".join(re.escape(name) for name in {*vocabulary().months, *(n for of in words().months for n in of)})
    between = rf"(?:,\s*|\s+(?:{any_of('joined', 'beside')})\s+)"
    return re.compile(rf"(?<![\w.,])(\d\d?)({between})(\d\d?\s+((?:{months})(?:\s+\d{{4}})?))\b", re.IGNORECASE)


@cache
def _telling() -> re.Pattern[str]:
    return _all_but(_IN_NAMES | {"neutral", "picks"})


@cache
def asking() -> re.Pattern[str]:
    """A pattern for all words by which a question asks."""
    return _all_but(_IN_NAMES | _ASIDE)


def _all_but(keys: frozenset[str]) -> re.Pattern[str]:
    return finder(*(key.name for key in fields(vocabulary()) if key.name not in keys))


def alternatives(phrases: Iterable[str]) -> str:
    """A pattern for any of these phrases, longest first; in a phrase `*` matches any letters and `?` one letter."""
    spelled = (
        "".join({"*": r"\w*", "?": r"[^\W\d_]", " ": r"\s+"}.get(sign) or re.escape(sign) for sign in phrase)
        for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    )
    return f"(?:{'|'.join(spelled)})"


@cache
def phrase_finder(phrase: str) -> re.Pattern[str]:
    """A pattern for one phrase, as whole words in any case."""
    return _whole(alternatives([phrase]))


def column_phrases(text: str) -> list[str]:
    """The phrases for columns in a text, the longest first, without phrases inside longer ones."""
    found = []
    for phrase in _columns_by_length():
        if phrase_finder(phrase).search(text):
            text = phrase_finder(phrase).sub(" ", text)
            found.append(phrase)
    return found


@cache
def _columns_by_length() -> list[str]:
    return sorted(vocabulary().columns, key=len, reverse=True)


@cache
def finder(*keys: str) -> re.Pattern[str]:
    """A pattern for the words under these keys, as whole words in any case."""
    return _whole(any_of(*keys))


def any_of(*keys: str) -> str:
    """A pattern for the words under these keys."""
    return alternatives({word for key in keys for word in getattr(vocabulary(), key)})


def speaks(name: str, key: str) -> bool:
    """Whether a word of a column's name is in the vocabulary under that key."""
    return not getattr(vocabulary(), key).isdisjoint(words_of(name).split())


@lru_cache(maxsize=1024)
def words_of(name: str) -> str:
    """A column's name as words: `UnitPrice` and `unit_price` are "unit price"."""
    return " ".join(name_words(name))


@lru_cache(maxsize=1024)
def topics_of(text: str) -> frozenset[str]:
    """The topics of a text, with synonyms unified: `belum lunas` is owed, not paid. Cached: checks read names again."""
    finds, said = _topics()
    return frozenset(topic for found in finds.finditer(text) for topic in said[found.lastindex or 0].split())


def without_topics(text: str) -> str:
    """The text without the phrases that name topics."""
    return _topics()[0].sub(" ", text)


@cache
def _topics() -> tuple[re.Pattern[str], list[str]]:
    """(a pattern with one group per topic phrase, longest first; the topics of each group).

    Only the phrases that may begin with a word's first letter are tried at it.
    """
    phrases = sorted(vocabulary().topics.items(), key=lambda each: (-len(each[0]), each[0]))
    letters = sorted({phrase[0] for phrase, _ in phrases} - {"*", "?"})
    tried = [(f"(?={letter})", [each for each in phrases if each[0][0] in (letter, "*", "?")]) for letter in letters]
    tried.append((f"(?![{''.join(letters)}])", [each for each in phrases if each[0][0] in "*?"]))
    branches = (f"{begun}(?:{'|'.join(f'({alternatives([each])})' for each, _ in held)})" for begun, held in tried)
    return _whole(f"(?:{'|'.join(branches)})"), ["", *(said for _, held in tried for _, said in held)]


def _whole(pattern: str) -> re.Pattern[str]:
    """The pattern restricted to whole words, in any case."""
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
