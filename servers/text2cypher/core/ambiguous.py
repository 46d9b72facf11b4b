"""Doubts about words that match several names of the schema, of which the query uses one. Chooses none.

`How many are in London?` may mean customers, suppliers or orders, and an `accepted answer` may be one with is_accepted
or one referenced by accepted_answer_id.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import product

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.twice import Rows, Run, differs
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import Kind, named
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, root, roots, roots_in, spaced
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.values import Mention, Place, folded

_OF_TIME = frozenset(root(word) for word in (*languages().of_dates, *languages().of_years))


def ambiguous(
    hints: Hints, facts: QueryFacts, linker: Linker, said: Collection[str], rows: Rows, run: Run
) -> Iterator[Doubt]:
    """At most one doubt; `said`: the names of the graph that the question's words were taken for."""
    fitting = (
        _owners(hints, facts, linker, said)
        or _called_so(hints, facts, linker, rows, run)
        or _properties(hints, facts, linker)
        or _dates(hints, facts, linker)
        or _part_of_others(facts, linker, run)
    )
    if fitting:
        yield Doubt("either", ", ".join(fitting))


def _owners(hints: Hints, facts: QueryFacts, linker: Linker, said: Collection[str]) -> list[str]:
    """The label of a one-node query, and others with the same properties, if the question names no label."""
    types = linker.schema.nodes
    own = facts.structure.labels
    if len(facts.structure.nodes) != 1 or not own or {*said} & {*types}:
        return []
    stored = [
        held.places
        for held in hints.mentions
        if any(p.label in own and p.property in facts.properties for p in held.places)
    ]
    tested = {place.property for places in stored for place in places}
    holding = [{place.label for place in places} for places in stored] or [{*types}]
    others = [label for label in set.intersection(*holding) - own if facts.properties - tested <= {*types[label]}]
    return [*sorted(own), *sorted(others)] if others and facts.properties else []


def _called_so(hints: Hints, facts: QueryFacts, linker: Linker, rows: Rows, run: Run) -> list[str]:
    """The label of a node that is tested by its name, and another label that has the name: `neo4j`, a tag and a user.

    A label beside the name says which is meant. So does the relationship that the question names, unless both have it.
    """
    called = {
        (label, name)
        for label, types in linker.schema.nodes.items()
        for name in types
        if name in linker.naming.display(label)[:1] or (linker.naming.is_short(label) and linker.naming.names(name))
    }
    for variable, name, token in facts.property_tests:
        own = facts.structure.labels_of(variable)
        held = next((m for m in hints.mentions if token and folded(m.value) == folded(token.value)), None)
        if held is None or len(own) != 1 or _has_label_beside(held, hints, linker):
            continue
        (label,) = own
        if (label, name) not in called:
            continue
        steps = [(step, facts.structure.ends(step)) for step in facts.structure.relationships]
        kinds = {kind for step, ends in steps for kind in step.types if variable in (end.key for end in ends)}
        for place in held.places:
            if place.label != label and (place.label, place.property) in called:
                found = run(_relabelled(facts, variable, label, place))
                if differs(found or [], rows) and (found or not kinds & {*hints.relations, *hints.related}):
                    return [label, place.label]
    return []


def _has_label_beside(held: Mention, hints: Hints, linker: Linker) -> bool:
    """True for `the tag neo4j`, but not for `tweets by neo4j`, of which none is called so."""
    before = linker.wording.compiled(r"(‹label›)\W+(?:‹small›\W+)*$").search(hints.masked[: held.start])
    after = linker.wording.compiled(r"\W+(‹label›)\b").match(hints.masked[held.end :])
    said = {linker.lexicon.labels.get(found[1].lower()) for found in (before, after) if found}
    return bool(said & {place.label for place in held.places})


def _relabelled(facts: QueryFacts, variable: str, label: str, place: Place) -> str:
    """The query with another label for a variable's node, and the property that has its name there."""
    query = facts.query
    for node in reversed(facts.structure.nodes):
        if node.key == variable:
            text = query[node.start : node.end].replace(f":{named(label)}", f":{named(place.label)}")
            query = f"{query[: node.start]}{text}{query[node.end :]}"
    return re.sub(rf"\b{variable}\.\w+(?= = )", f"{variable}.{named(place.property)}", query)


def _properties(hints: Hints, facts: QueryFacts, linker: Linker) -> list[str]:
    """A used property, and another of the same things whose words are also all in the question, not only as part of it.

    A tested text determines its property, and a thing's key isn't another name for it.
    """
    words = roots_in(hints.masked)
    labels = {*hints.labels} | facts.structure.labels
    others = {name for label in labels for name in linker.schema.nodes.get(label, ())} - facts.properties
    tested = {name for _, name, token in facts.property_tests if token is not None and token.kind is Kind.STRING}
    said = [root(part) for word in re.findall(r"\w+", hints.question) for part in parts(word)]
    for used, other in product(sorted(facts.properties - tested), sorted(others)):
        own, rest = _telling(used) & words, _telling(other)
        key = is_key(other) and (rest <= own or rest <= linker.label_roots)
        if _is_whole(used, said) and not _is_whole(other, said):
            continue
        if rest & own - linker.label_roots and rest <= words and not rest < own and not key:
            return [spaced(used), spaced(other)]
    return []


def _is_whole(name: str, said: Sequence[str]) -> bool:
    """True if the words of a multi-word name stand side by side: `unit price`, of which `ordered` is no part."""
    held = [root(part) for part in parts(name)]
    return len(held) > 1 and any([*said[n : n + len(held)]] == held for n in range(len(said)))


def _dates(hints: Hints, facts: QueryFacts, linker: Linker) -> list[str]:
    """A used date whose own words aren't in the question, and the other dates of its label.

    The label's own date (`orderDate` of an Order) is meant if no other is mentioned.
    """
    timed, labels = linker.lexicon.timed, linker.label_roots
    words = roots_in(hints.masked) - labels
    for label in facts.structure.labels:
        dates = [name for name in linker.schema.nodes.get(label, ()) if name in timed]
        own = {name: _telling(name) - labels - _OF_TIME for name in dates}
        for used in facts.properties & own.keys():
            others = [name for name in dates if name not in facts.properties]
            said = any(own[name] & words for name in others)
            if others and not own[used] & words and (own[used] or said):
                return [spaced(used), *map(spaced, others)]
    return []


def _part_of_others(facts: QueryFacts, linker: Linker, run: Run) -> list[str]:
    """A tested text, and a longer one that has it as a part: born in `USA`, and in `Omaha, Nebraska, USA`."""
    for variable, name, token in facts.property_tests if "CONTAINS" not in facts.words else ():
        if token is None or token.kind is not Kind.STRING or token.start in facts.denied or linker.naming.names(name):
            continue
        held, text = f"n.{named(name)}", token.text
        for label in facts.structure.labels_of(variable):
            longer = f"{held} STARTS WITH ({text} + ', ') OR {held} ENDS WITH (', ' + {text})"
            if found := run(f"MATCH (n:{named(label)}) WHERE {longer} RETURN {held} LIMIT 1"):
                return [token.value, str(found[0][0])]
    return []


def _telling(name: str) -> set[str]:
    """The roots of a property's distinctive words, without function and key words."""
    return roots(*(part for part in parts(name) if part not in languages().function and part not in languages().keys))
