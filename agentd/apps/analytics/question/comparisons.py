"""The words with which a question or narrative compares: superlatives, bounds, claims. Computes no comparison.

A claim of a narrative ("naik", "lebih besar", "most of") is reliable only if the host worded it from the rows ({COMPARE
…} and the like, statements.py). A superlative ("tertinggi", "first") needs a result that its query sorts so. The words
are in `vocabulary/`; every language's words apply to every question and answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from agentd.agent.languages import words
from agentd.apps.analytics import wording
from agentd.apps.analytics.vocabulary import alternatives, any_of, finder, numerals

SCALES = (1, 1000, 1_000_000, 1_000_000_000)
BOUNDS = {"above": "GT", "below": "LT", "at_least": "GTE", "at_most": "LTE"}
"""The vocabulary keys of words that bound the number after them, and the comparison they mean."""
_ENDS = {"most": "desc", "least": "asc"}
_KINDS = re.compile(r"\{\s*(TOP|RANK|LAST|BOTTOM|FIRST)\s")
_BY_STATEMENT = {"TOP": "desc", "RANK": "desc", "LAST": "desc", "BOTTOM": "asc", "FIRST": "asc"}
_PERIOD = {"period", "periode", "period_label"}
_NAMES = re.compile(r"\{\s*(?:[A-Z]+\s+)?([^\W\d][\w.-]*)")


def bounds_of(question: str) -> Iterator[tuple[str, str, set[float]]]:
    """(words, sqlglot's name of the comparison, the number's possible values) for each bound such as "at least 5"."""
    for found in _bounds().finditer(question):
        kind = next(kind for key, kind in BOUNDS.items() if found[key])
        yield found[0], kind, {number * scale for number in plain(found["number"]) for scale in SCALES}


@cache
def _bounds() -> re.Pattern[str]:
    """A pattern for bounds. The leftmost phrase wins: "no more than 5" doesn't match as "more than 5"."""
    before = "|".join(rf"(?P<{key}>{finder(key).pattern})" for key in BOUNDS)
    number = rf"\d+(?:[.,]\d+)*|{alternatives(numerals())}(?!\w)"
    return re.compile(rf"(?:{before})(?=\W{{0,3}}{any_of('currencies')}?\W{{0,2}}(?P<number>{number}))", re.IGNORECASE)


def plain(number: str) -> set[float]:
    """The possible values of a number: `1.500` is 1500 or 1.5; a number in words has one value."""
    if not number[0].isdecimal():
        return {float(numerals()[number.casefold()])}
    found = {float(re.sub(r"[.,]", "", number))} if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number) else set()
    return found | ({float(number.replace(",", "."))} if number.count(",") + number.count(".") < 2 else set())


def superlatives(question: str) -> list[re.Match[str]]:
    """The words that ask for a part of a list ("terbesar", "top", "first"), except those of a bound."""
    return list(finder("ranks", "tops", *_ENDS).finditer(_bounds().sub(lambda found: " " * len(found[0]), question)))


def ends_of(question: str) -> dict[str, frozenset[str]]:
    """{word: the sort orders that answer it} for each superlative of a question ("terbesar": desc; "terlama": either),
    or for "top 5". The question comes without time words. A superlative before a number counts as a bound."""
    ends: dict[str, frozenset[str]] = {}
    behind = 0
    for found in superlatives(question):
        directions = frozenset(way for key, way in _ENDS.items() if finder(key).fullmatch(found[0]))
        other_end = _to().fullmatch(question[behind : found.start()]) if behind else None
        number = re.match(r"\W*\d", question[found.end() :])
        if directions and not (number or other_end or part_of_a_name(question, found)):
            ends[found[0]] = directions
        behind = found.end()
    top = finder("tops").search(question)
    return ends or ({top[0]: frozenset({"desc"})} if top else {})


@cache
def _to() -> re.Pattern[str]:
    """What stands between the ends of an order: "from longest *to* shortest", "from the best *ratings to the* lowest",
    "dari tertinggi *ke yang* terendah"."""
    article = any_of("articles")
    return re.compile(rf"\W*(?:\w+\W+)?{finder('to', 'order_to').pattern}\W+(?:{article}\W+)?", re.IGNORECASE)


def part_of_a_name(question: str, found: re.Match[str]) -> bool:
    """Whether the word is a part of a person's name: "first name", "first and last names"."""
    part, names = finder("name_parts"), finder("names").pattern
    behind = rf"(?:\W+(?:{finder('joined').pattern}\W+)?{part.pattern})?\W+{names}"
    return bool(part.fullmatch(found[0]) and re.match(behind, question[found.end() :], re.IGNORECASE))


def unclaimed(text: str) -> str:
    """The text without the words that compare figures."""
    return finder("claims").sub(" ", text)


def uncovered(template: str, orders: Mapping[str, frozenset[str]], question: str) -> list[str]:
    """The words of comparison in the template that nothing computed supports, each once.

    `orders`: the directions (`desc`, `asc`) in which each placeholder's result is sorted or picked. Bounds of the
    question ("lebih besar dari 10 juta") may be repeated.
    """
    return list(
        dict.fromkeys(word for sentence in wording.sentences(template) for word in _faults(sentence, orders, question))
    )


def without(template: str, orders: Mapping[str, frozenset[str]], question: str) -> str:
    """The template without the sentences that compare in their own words; "" if no figure would be left."""
    return wording.without(template, lambda sentence: any(_faults(sentence, orders, question)))


def _faults(sentence: str, orders: Mapping[str, frozenset[str]], question: str) -> Iterator[str]:
    bare = wording.BRACED.sub(" ", sentence)
    here = {name.casefold() for name in _NAMES.findall(sentence)}
    known = {direction for name in here for direction in orders.get(name, ())}
    known |= {_BY_STATEMENT[kind] for kind in _KINDS.findall(sentence)}
    for found in finder("claims").finditer(bare):
        if not _bound(found, question):
            yield found[0].casefold()
    for found in finder(*_ENDS).finditer(bare):
        covered = any(way in known for key, way in _ENDS.items() if finder(key).fullmatch(found[0]))
        if not (covered or _of_time(found) or _bound(found, question)):
            yield found[0].casefold()
    yield from _of_its_own(bare, question, alone=len(here - _PERIOD) < 2) if here and question else ()


def _of_its_own(sentence: str, question: str, *, alone: bool) -> Iterator[str]:
    """Words by which a sentence says more of its figures than the question: a restriction, another month, or a mean of
    its only figure (`alone`). Words for a position ("di bawah") don't count."""
    for key in ("restricts", "averages")[: 1 + alone]:
        found = [] if finder(key).search(question) else finder(key).findall(sentence.casefold())
        yield from (word for word in found if len(word) > 2 and not finder("above", "below").fullmatch(word))
    stated, asked = months_in(sentence), months_in(question)
    others = set(stated.values()) - set(asked.values()) if asked and not finder("compares").search(question) else set()
    yield from (word for word, month in stated.items() if month in others)


def months_in(text: str) -> dict[str, int]:
    """{month name: month number} for the names in a text with more than three letters (not "may")."""
    return {word: _months()[word] for word in re.findall(r"[^\W\d_]+", text.casefold()) if word in _months()}


@cache
def _months() -> dict[str, int]:
    return {name: number for number, names in enumerate(words().months, 1) for name in names if len(name) > 3}


def _bound(found: re.Match[str], question: str) -> bool:
    """Whether the question also has this word before the same number, so that it is a bound and not a finding."""
    behind = found.string[found.end() :]
    number = re.match(rf"\W*(?:{finder('before_bounds').pattern}\W+)*(\d[\d.,]*)", behind, re.IGNORECASE)
    asked = question.casefold()
    return number is not None and found[0].casefold() in asked and number[1].rstrip(".,") in asked


def _of_time(found: re.Match[str]) -> bool:
    """Whether a time unit or a name stands beside the word, ignoring a number between them."""
    before = re.findall(r"\w+", found.string[: found.start()])[-1:]
    behind = [word for word in re.findall(r"\w+", found.string[found.end() :])[:2] if not word.isdigit()]
    return any(map(finder("units", "halves", "dates", "spans", "names").fullmatch, (*before, *behind)))
