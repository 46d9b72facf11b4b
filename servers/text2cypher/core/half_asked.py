"""Doubts about half of what is asked: what a query shows, counts, tests or negates differently from the question.

Uses words and structure only; runs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import owner_and_property
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, STRING
from servers.text2cypher.linking.amounts import said_numbers
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.done import Done
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, root, roots, spaced
from servers.text2cypher.linking.said import (
    asks_for_things,
    counted_label,
    part_asked,
    part_of_each,
    says_every,
)
from servers.text2cypher.linking.values import folded

_CHOOSING = {"OR", "XOR", "IN", "UNION", "UNWIND", "ANY"}
_DENYING = {"not", "only", "universal", "distinct", "minimum"}


def half_asked(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts: a rank by an unmentioned count, one column for two things asked, a figure for things.

    Also a name for a question about time, and a condition on one of several things for a question about each.
    """
    if {"COUNT", "ORDER"} <= facts.words:
        said = linker.wording.compiled(r"\b‹count_said›\b").search(hints.question)
        if not (said or is_cued(hints.question, {"top"})) or counted_label(hints, linker) not in {
            None,
            *_counted(facts),
        }:
            yield Doubt("unasked", "count")
    if len(facts.columns) < 2 and (also := linker.wording.compiled(r"\b‹also_asked›\b").search(hints.masked)):
        yield Doubt("unused", also[0])
    if facts.aggregates and not facts.shown and Ask.YES_NO not in hints.asks and asks_for_things(hints, linker):
        yield Doubt("unused", hints.question.split()[0].lower())
    if (when := linker.wording.compiled(r"^\W*(‹asks_time›)\b").search(hints.masked)) and not _shows_time(
        facts, linker
    ):
        yield Doubt("unused", when[1].lower())
    if (
        Ask.YES_NO in hints.asks
        and (word := _of_each(hints, linker))
        and not Done(hints, facts, linker).does("universal")
    ):
        yield Doubt("unused", word)
    for doubts in (
        _uncounted,
        _denied,
        _unmeasured,
        _unchosen,
        _of_all,
        _untested,
        _only_shown,
        _unshown,
        _unplayed,
    ):
        yield from doubts(hints, facts, linker)


def _uncounted(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if the query neither counts the label nor uses a number named so: `customers with the most orders`."""
    most = linker.wording.compiled(r"\b(?:‹most›|‹fewest›)\W+‹label›\b").search(hints.masked)
    counts = most or "SUM" in facts.words or (hints.having and hints.having != (">=", 1))
    label = counted_label(hints, linker) if counts else None
    if label is not None and not facts.words & {"COUNT", "SIZE", "COLLECT"}:
        numbers = facts.properties & linker.schema.of_types(INTEGER, FLOAT)
        of_many = most is not None and is_cued(most[0], {"many"})  # `the year with the most movies` is no year
        known = set() if of_many else {*hints.properties, *hints.related}
        if not any(name in known or roots(label) <= roots(name) for name in numbers):
            yield Doubt("unused", label)


def counted_otherwise(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if the query counts something other than the bounded label: `actors in more than 3 movies`. Not used to
    choose readings, because the words after a bound may be what is asked for."""
    label = counted_label(hints, linker) if hints.having and hints.having != (">=", 1) else None
    counted = {*_counted(facts)}
    if label is not None and counted and label not in counted:
        yield Doubt("unused", label)


def _denied(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts about negations in only one of query and question. `whose products are all …` counts as a negation."""
    masked = hints.masked
    lacks = linker.wording.compiled(r"\b(?:‹lacks›|‹is_missing›)\b").search(masked)
    out = linker.wording.compiled(r"\b‹runs_out›\W+(?P<what>\w+)").search(masked)
    gone = out is not None and root(out["what"]) in roots(*facts.properties)
    none = gone or lacks or 0 in said_numbers(masked, linker.lexicon)
    denying = _DENYING - {"minimum"} if facts.misses else _DENYING
    if (facts.denies or (facts.excludes and not lacks) or (facts.empties and not none)) and not (
        says_every(hints, linker) or Ask.NOT in hints.asks or is_cued(masked, denying)
    ):
        yield Doubt("unasked", "NOT" if facts.denies else "<>" if facts.excludes else "= 0")
    never = linker.wording.compiled(r"\b‹never›\b").search(masked)
    if never and facts.negates and not (facts.denies or facts.empties or facts.misses):
        yield Doubt("unused", never[0])  # `<> 'Malta'`: one that sailed elsewhere, too
    if out is not None and gone and not facts.negates:
        yield Doubt("unused", out[0])
    no_such = linker.wording.compiled(r"\b‹lacks›\W+(?:¤+|‹property›)\W+‹label›\b").search(masked)
    if no_such and not (facts.words & {"NOT", "NONE"} or facts.empties):  # `no discontinued products`: not even one
        yield Doubt("unused", no_such[0])


def _unmeasured(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if the query uses no property for a measuring word (`the most expensive`) although the graph has one."""
    said = f" {folded(hints.masked)} "
    words = [word for word, _ in linker.measured if f" {word} " in said]
    for word in words[:1]:
        if not facts.properties & {name for held, name in linker.measured if held == word}:
            yield Doubt("unused", word)


def _of_all(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if something must hold for all of another label's things: `who acted in all movies directed by …`."""
    every = Done(hints, facts, linker).does("universal")
    if facts.negates and says_every(hints, linker) and Ask.NOT not in hints.asks and not every:
        yield Doubt("unasked", "NOT")  # `whose products are all …`: none that isn't
    all_of = linker.wording.compiled(r"\b(?P<all>‹universal›)\W+(?:‹of›\W+)?(?P<held>‹label›)\b").search(hints.masked)
    if all_of is None or facts.aggregates or Ask.GROUP in hints.asks or not says_every(hints, linker):
        return
    label = linker.lexicon.labels[all_of["held"].lower()]
    if label not in hints.labels[:1] and not every:
        yield Doubt("unused", all_of["all"])


def _unchosen(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if the question has an `or` of its own and the query no alternative: `tagged with neo4j or cypher`."""
    if facts.words & _CHOOSING or any(token.text == "|" for token in facts.tokens) or Ask.NOT in hints.asks:
        return
    said, rest = linker.wording.compiled(r"\b‹or›\b"), hints.masked.lower()
    if said.search(rest) is None:
        return
    for phrase in sorted(filter(said.search, languages().cues), key=len, reverse=True):
        # `3 or more` is no `or` of its own, unlike `or more than 3`
        rest = linker.wording.compiled(rf"\b{phrase}\b(?!\W+‹compared_to›\b)").sub(" ", rest)
    if (found := said.search(rest)) is not None:
        yield Doubt("unused", found[0])


def _untested(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts about mentioned booleans that the query doesn't test: `which products are discontinued`."""
    said = {*hints.properties, *hints.related}
    for name in sorted(said & facts.properties & linker.schema.of_types(BOOLEAN)):
        if Ask.YES_NO not in hints.asks and not facts.tests(name):
            yield Doubt("unused", name)


def _only_shown(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts about a property that is only shown, or only tested one by one, but is a condition of the question.

    `That have a fax`, `still in stock` (unitsInStock), `a total quantity above 50` tested before it is added up, and
    `an average rating above 80` of those that are.
    """
    columns = Counter(owner_and_property(column)[1] for column in facts.columns)
    bare = {name for name in facts.properties if 0 < facts.uses[name] == columns[name]}
    text = folded(hints.masked)
    has = linker.wording.compiled(r"\b‹has_some›\W+(?P<held>‹property›)\b").finditer(text)
    had = {linker.lexicon.properties.get(found["held"]) for found in has}
    for name in sorted(bare):
        words = parts(name)
        ends = [" ".join(words[n:]) for n in range(1, len(words) - 1) if words[n] in languages().function]
        within = f" {' '.join(words)} " not in f" {text} " and any(f" {end} " in f" {text} " for end in ends)
        if name in had or (within and Ask.COUNT not in hints.asks):
            yield Doubt("unused", spaced(name))
    tested = {name for _, name, _ in facts.property_tests}
    bounds = r"(?:‹greater›|‹less›|‹at_least›|‹at_most›)"
    for figure, said in (("SUM", "sum_said"), ("AVG", "average_said")):
        bounded = linker.wording.compiled(rf"\b‹{said}›(?:\W+\w+)?\W+‹property›\W+(?:‹of›\W+)?{bounds}\b").search(
            hints.masked
        )
        if bounded and tested & {call.name for call in facts.calls if call.function == figure}:
            yield Doubt("unused", bounded[0])


def _unshown(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt about an asked property that isn't shown: `the highest score` isn't a title."""
    opened = linker.wording.compiled(
        r"^\W*(?:‹opens›)\b(?:\W+(?!(?:‹label›|‹count_said›)\b)\w+){0,4}?\W+(?P<held>(?!‹label›\b)‹property›)\b"
    ).match(hints.masked)
    name = linker.lexicon.properties.get(opened["held"].lower(), "") if opened else ""
    asked = name in hints.properties and name not in linker.schema.of_types(BOOLEAN)
    asked = asked and not (Ask.COUNT in hints.asks and facts.tests(name))  # `how many reviews have a rating above 80`
    if asked and not (linker.naming.names(name) or facts.names & {*hints.within} or name in facts.told):
        yield Doubt("unused", name)


def _unplayed(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubt if who plays the named part is not shown: `the originators in filings` aren't the filings."""
    word, playing = players(hints, facts, linker)
    known = facts.shown <= {node.variable for node in facts.structure.nodes}
    if playing and facts.shown and known and not playing & facts.shown:
        yield Doubt("unused", word)


def players(hints: Hints, facts: QueryFacts, linker: Linker) -> tuple[str, set[str | None]]:
    """The question's word for the part that it asks for, and the variables of those who play it; ("", …) for none."""
    structure = facts.structure
    part = part_of_each(hints, linker, structure.types) or part_asked(hints, linker.schema, structure.types)
    if part is None:
        return "", set()
    joined = [held for held in structure.relationships if part.kind in held.types and held.direction != "--"]
    return part.word, {structure.ends(held)[part.at_end == (held.direction == "->")].variable for held in joined}


def _shows_time(facts: QueryFacts, linker: Linker) -> bool:
    """True if a returned property isn't plain text or a boolean, or is a text with dates."""
    plain = linker.schema.of_types(STRING, BOOLEAN) - linker.lexicon.timed
    return bool({token.value for token in facts.returned} & facts.properties - plain)


def _of_each(hints: Hints, linker: Linker) -> str | None:
    """The word that makes a condition apply to each of several things: `all`, or an `and` between names."""
    if (said := linker.wording.compiled(r"\b‹universal›\b").search(hints.masked)) is not None:
        return said[0]
    ends = [(one.end, other.start) for one, other in pairwise(hints.mentions) if {*one.places} & {*other.places}]
    between = (hints.question[end:start].strip(" ,").lower() for end, start in ends)
    return next(
        (
            text
            for text in between
            if linker.wording.compiled(r"‹joins›").fullmatch(text)
            and not linker.wording.compiled(r"‹or›").fullmatch(text)
        ),
        None,
    )


def _counted(facts: QueryFacts) -> Iterator[str]:
    """The labels that are counted; for a relationship or `*`, those of all nodes."""
    for call in facts.calls:
        if call.function == "COUNT":
            yield from facts.structure.labels_of(call.variable) or facts.structure.labels
