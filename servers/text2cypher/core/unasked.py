"""Doubts about values, numbers, tests and figures in a query that the question doesn't mention. Runs nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.ranks import is_said
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import joined_by
from servers.text2cypher.cypher.records import RelationshipPattern
from servers.text2cypher.cypher.tokens import Kind
from servers.text2cypher.graph.schema import FLOAT, INTEGER, STRING
from servers.text2cypher.linking.amounts import FIRST_YEAR, LAST_YEAR, ends_of_years, numbers_in
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.bounds import ordinals_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, root, roots_in
from servers.text2cypher.linking.said import named_properties
from servers.text2cypher.linking.values import folded

_CODE = 2  # max. letters of a stored code
_YEAR = re.compile(r"\d{4}(?= |$)")
"""The year of a tested date: a question may mention only that."""
_FEW = {"minimum", "maximum", "top", "limit"}
_BACKWARDS = {"descending", "maximum", "top"}
_SIGNED = {("<", 0), (">=", 0)}  # few stored numbers are negative
_AGGREGATES = {"SUM": "sum_said", "AVG": "average_said", "MIN": "min_said", "MAX": "max_said"}


def unasked(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Values, numbers and aggregates in the query that the question doesn't mention."""
    known = numbers_in(hints.question, linker.lexicon)
    yield from (Doubt("unasked", text) for text in _texts(hints, facts, known))
    yield from (Doubt("unasked", name) for name in _tested_unsaid(hints, facts))
    yield from (Doubt("unasked", name) for name in _factors(hints, facts, linker))
    yield from (Doubt("unasked", name) for name in _instead(hints, facts, linker))
    yield from (Doubt("unasked", number) for number in _numbers(hints, facts, linker, known))
    if any(_is_far(held, known) for held in facts.structure.relationships) and not (
        hints.indirect or "SHORTESTPATH" in facts.words
    ):
        yield Doubt("unasked", "*")
    for function, words in _AGGREGATES.items():
        if function in facts.words and not linker.wording.compiled(rf"\b‹{words}›\b").search(hints.question):
            yield Doubt("unasked", function.lower())
    if Ask.ORDER in hints.asks and facts.words & {"DESC", "DESCENDING"} and not _asks_backwards(hints, linker):
        yield Doubt("unasked", "DESC")


def _texts(hints: Hints, facts: QueryFacts, known: Collection[float]) -> Iterator[str]:
    said = folded(hints.question)
    words = [word for word in said.split() if word not in languages().function]
    linked = {folded(held.value) for held in hints.mentions}
    dates = _ends_of_years(facts, known)
    for text in dict.fromkeys(facts.strings):
        value = folded(text)
        year = _YEAR.match(value)
        # a code is no letter within a word: F for `female`, but not M
        own = value in said if len(value) > _CODE else any(word.startswith(value) for word in words)
        if not (own or value in linked or (year and year[0] in said) or text[:10] in dates):
            yield text


def _numbers(hints: Hints, facts: QueryFacts, linker: Linker, known: Collection[float]) -> Iterator[str]:
    """Unmentioned numbers, except implied ones: `size(…) = 2` for `both`, and the SKIP for `the second`."""
    if ("LIMIT", 1.0) in facts.numbers and not is_cued(hints.question, _FEW):
        yield "LIMIT 1"
    also = facts.listed if is_cued(hints.question, {"both"}) else frozenset()
    skipped = {held.number - 1 for held in ordinals_in(hints.question, linker)}
    for sign, number in facts.numbers:
        skips = sign == "SKIP" and number not in skipped
        signed = (sign, number) in _SIGNED and 0 not in known and not is_cued(hints.question, {"negative"})
        if signed or skips or (sign != "*" and abs(number) > 1 and number not in {*known, *also}):
            yield f"{'' if sign == '=' else sign} {number:g}".strip()


def _ends_of_years(facts: QueryFacts, known: Collection[float]) -> set[str]:
    """The date texts with which the query bounds a year of the question."""
    held = facts.bounding_days
    found: set[str] = set()
    for year in (number for number in known if FIRST_YEAR <= number <= LAST_YEAR):
        begins, ends = ends_of_years(year, year)
        if held[">"] & begins and held["<"] & ends:
            found |= begins | ends
    return found


def _is_far(held: RelationshipPattern, known: Collection[float]) -> bool:
    """True for a path whose length isn't in the question."""
    return held.length is not None and bool(held.types) and not {*held.length} & {*known}


def _tested_unsaid(hints: Hints, facts: QueryFacts) -> Iterator[str]:
    """Properties that are only compared with 0 or 1 and of which the question has no word."""
    said = roots_in(hints.question) | {*hints.properties, *hints.related}
    times = Counter(use.name for use in facts.structure.properties)
    for use in facts.structure.properties:
        tested = use.literal is not None and use.literal.text in ("0", "1") and times[use.name] == 1
        if tested and not said & {use.name, root(use.name), *map(root, parts(use.name))}:
            yield use.name


def _factors(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[str]:
    """Unmentioned numbers that are multiplied with or added to a mentioned one: price × quantity, for `total price`."""
    said = {*named_properties(hints, linker)}
    for (_, one), (_, other) in joined_by(facts.tokens, "*", "+"):
        unsaid = {one, other} - said
        yield from unsaid if len(unsaid) == 1 and unsaid <= linker.schema.of_types(INTEGER, FLOAT) else ()


def _instead(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[str]:
    """An unmentioned property that is compared or sorted by where the question names another one of the same thing:
    the id for `more than 100 favourites`, a title for `a tagline that starts with 'The'`."""
    tests, stored = facts.property_tests, {folded(held.value) for held in hints.mentions}
    texts = {
        (v, n) for v, n, token in tests if token and token.kind is Kind.STRING and folded(token.value) not in stored
    }
    texts |= {(call.variable, call.name) for call in facts.calls if call.function == "SIZE" and call.name}
    tested = {(v, name) for v, name, token in tests if not token or token.kind is Kind.NUMBER}
    named = {*named_properties(hints, linker)}
    for used, kinds in ((tested | {*facts.sort_keys}, (INTEGER, FLOAT)), (texts, (STRING,))):
        told = {name for _, name in used} | ({*facts.properties} if facts.words & {*_AGGREGATES, "WITH"} else set())
        told -= {held.property for held in hints.filters} - {name for _, name in tested | texts}
        for variable, name in sorted(used - {(v, n) for v, n in used if is_said(n, hints, linker)}, key=str):
            types = [linker.schema.nodes[label] for label in facts.structure.labels_of(variable)]
            if any(kind in kinds and other in named - told for held in types for other, kind in held.items()):
                yield name


def _asks_backwards(hints: Hints, linker: Linker) -> bool:
    """True if the question wants the largest or latest first."""
    said = is_cued(hints.question, _BACKWARDS)
    asked = {Ask.DESCENDING, Ask.MOST, Ask.MAXIMUM} & hints.asks
    return said or bool(asked) or bool(linker.wording.compiled(r"\b‹late›\b").search(hints.question))
