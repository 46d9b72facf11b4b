"""Doubts about what a query shows although the question doesn't call for it. Uses words and structure only.

A thing is called for by its name, by all of it, or by a property that the question asks for; a thing that the question
itself names is no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.steps import identified
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import calls
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import parts, roots, roots_in
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import asked_properties, asks_for_things, counted_label, named_properties


def shown(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """The doubts."""
    yield from _uncalled(hints, facts, linker)
    yield from _named_already(hints, facts, linker)
    yield from _gathered(hints, facts, linker)
    yield from _splitting(hints, facts, linker)


def _uncalled(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts about properties that are neither asked for nor show a thing, about things shown without their name, and
    about what is shown twice.

    `Which customers` aren't countries, nor numbers; a property that is asked for may stand alone.
    """
    owned, known = facts.shown_apart, identified(hints, facts, linker)
    yield from (Doubt("unasked", name or variable) for (variable, name), times in Counter(owned).items() if times > 1)
    named, asked = {*named_properties(hints, linker)}, asked_properties(hints, linker)
    alone = asked - {name for name in asked if facts.tests(name)}
    ordered = {name for _, name in facts.sort_keys}
    columns = facts.column_tokens
    around = zip(columns, columns[1:], columns[2:], strict=False)
    inside = [(one.value, name.value) for one, point, name in around if point.text == "."]
    for variable, name in dict.fromkeys(inside):
        shows = _is_name(variable, name, facts, linker) or _is_own_key(variable, name, facts, linker)
        if (variable, name) not in owned and name not in named and not shows:
            yield Doubt("unasked", name)
    for owner in dict.fromkeys(owner for owner, _ in owned if facts.structure.labels_of(owner)):
        names = [name for each, name in owned if each == owner]
        others = [name for name in names if name and not _is_name(owner, name, facts, linker)]
        spare = [n for n in others if n not in named | ordered and not _is_own_key(owner, n, facts, linker)]
        # else its properties are what it is counted by
        listed = sum(token.value == owner for token in columns) == len(names)
        thing = listed and owner not in known and hints.first in facts.structure.labels_of(owner)
        unnamed = len(others) == len(names) and (thing or not {*others} & alone)
        if others and (unnamed or spare):
            yield Doubt("unasked", [*spare, *others][0])


def _gathered(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts about what is collected or counted once although it is one thing in each row: one that the question
    itself names, or the one that the row shows."""
    keys, named = {*facts.shown_apart}, identified(hints, facts, linker)
    for call in calls(facts.returned):
        gathers = call.function == "COLLECT" or (call.function == "COUNT" and call.distinct)
        if gathers and (call.variable in named or (call.variable, call.name) in keys):
            labels = sorted(facts.structure.labels_of(call.variable))
            yield Doubt("unasked", call.name or next(iter(labels), call.variable))


def _named_already(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if only things that the question itself names are shown, although it asks for others."""
    owned = facts.shown_apart
    owners = {owner for owner, _ in owned}
    said = {*named_properties(hints, linker)} & {name for _, name in owned}
    called = {variable for variable, name, _ in facts.property_tests if linker.naming.names(name)}
    named = called & identified(hints, facts, linker)
    if not owners or said or not facts.structure.relationships or not owners <= named:
        return
    other = {*hints.labels[:1]} & facts.names - {
        label for owner in owners for label in facts.structure.labels_of(owner)
    }
    if other or asks_for_things(hints, linker):
        yield Doubt("unused", next(iter(other), hints.question.split()[0].lower()))


def _splitting(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt per unmentioned property beside a figure, unless its node is distinguished anyway.

    Also one if figures per label are asked for and shown for another label.
    """
    shown = facts.shown_apart
    figures = [call for call in calls(facts.returned) if call.function != "SIZE"]
    if not figures:
        return
    things = {variable for variable, _ in shown}
    owners = {label for variable in things for label in facts.structure.labels_of(variable)}
    if hints.each in linker.schema.nodes and owners and hints.each not in owners:
        yield Doubt("unused", hints.each)
    known = asked_properties(hints, linker)
    counted = {call.variable for call in figures if call.function == "COUNT"}
    measured = {(call.variable, call.name) for call in figures if call.function in ("SUM", "AVG", "MIN", "MAX")}
    often = ("ORDER" in facts.words or Ask.GROUP in hints.asks) and "DISTINCT" not in facts.words
    split = set() if often and len(things) == 1 else counted  # `tags by how often used`
    if "COUNT" in facts.words and len(things) > 1:
        of_count = counted_label(hints, linker)
        split |= {variable for variable in things if of_count in facts.structure.labels_of(variable)}
    by = {variable for variable, name in shown if name == hints.each}  # `for each year`: a title would part its rows
    one = not (Ask.GROUP in hints.asks or hints.each or "ORDER" in facts.words or asks_for_things(hints, linker))
    said = roots_in(hints.question)
    for variable, name in shown:
        telling = bool(name) and (is_key(name) or linker.naming.names(name))
        unsaid = name and name not in known and not said & roots(name)
        if (telling and variable in split) or (unsaid and (one or (variable in by and name != hints.each))):
            yield Doubt("unasked", name)
        elif one and variable in dict(measured) and (telling or not name or (variable, name) in measured):
            yield Doubt("unasked", name or variable)  # one figure of all, not each thing's own


def _is_name(variable: str, name: str, facts: QueryFacts, linker: Linker) -> bool:
    """True for a property that shows a node: its name, a fuller one than a bare word, or one called like its label."""
    labels = facts.structure.labels_of(variable)
    best = {held for label in labels for held in linker.naming.display(label)[:1]}
    nameless = not any(map(linker.naming.tells, labels))
    fuller = linker.naming.names(name) and len(parts(name)) > 1 and any(len(parts(one)) == 1 for one in best)
    called = any(roots(name) == roots(label) for label in labels)
    return not labels or called or name in best or fuller or (nameless and _is_own_key(variable, name, facts, linker))


def _is_own_key(variable: str, name: str, facts: QueryFacts, linker: Linker) -> bool:
    """True for `productID` or `id` of a Product, and for another key that identifies it."""
    labels = facts.structure.labels_of(variable)
    own = any(parts(name)[:-1] in ([], parts(label)) for label in labels)
    return is_key(name) and (own or not any(name in linker.naming.others_of(label) for label in labels))
