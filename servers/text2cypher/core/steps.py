"""Doubts about the steps of a pattern: relationships that the question neither mentions nor needs. Runs nothing.

`Movies of 1999` doesn't mention a director: a pattern with one finds fewer movies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.records import NodePattern, RelationshipPattern
from servers.text2cypher.linking.asks import cue_in, is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import root, roots, roots_in
from servers.text2cypher.linking.said import named_properties
from servers.text2cypher.linking.values import folded


def steps(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt per unmentioned type without a mentioned property that isn't the only way between things asked for.

    Also one per type that occurs more often than mentioned and leads to an unused node.
    """
    said = dict.fromkeys(hints.related, 1) | hints.relations | _only_way(hints, linker)
    yield from (Doubt("unasked", kind) for kind in _doubted(hints, facts, linker, said))


def unspoken(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Such doubts about types implied only by a label's or property's word: `filings` are what is FILED.

    A reading with one may still be the best.
    """
    own = {root(word) for word in re.findall(r"\w+", hints.masked.lower()) if word not in linker.lexicon.labels}
    own -= roots(*facts.properties)
    said = {kind: 1 for kind in hints.related if own & roots(kind)}
    said |= relations_said(hints, linker) | _only_way(hints, linker)
    yield from (Doubt("unasked", kind) for kind in _doubted(hints, facts, linker, said))


def _only_way(hints: Hints, linker: Linker) -> dict[str, int]:
    """The one relationship of the label asked for, by which `the most common reactions` are counted."""
    ways = {kind for start, kind, end in linker.schema.paths if {*hints.labels[:1]} & {start, end}}
    often = linker.wording.compiled(r"\b‹frequent›\W+‹label›\b").search(hints.masked)
    return dict.fromkeys(ways, 1) if often and len(ways) == 1 else {}


def relations_said(hints: Hints, linker: Linker) -> dict[str, int]:
    """{relationship: number of mentions}, without those that share a word with a label, as `orders` may."""
    return {kind: n for kind, n in hints.relations.items() if not linker.label_roots & roots(kind)}


def _doubted(hints: Hints, facts: QueryFacts, linker: Linker, said: Mapping[str, int]) -> Iterable[str]:
    named = _named(hints, facts, linker)
    own = {name for label in hints.labels for name in linker.schema.nodes.get(label, ())}  # a node has it
    kinds = [(kind, held) for held in facts.structure.relationships for kind in held.types]
    times = Counter(kind for kind, _ in kinds)
    return dict.fromkeys(
        kind
        for kind, held in kinds
        if (times[kind] > 1 and _bare_ends(held, facts))
        or (
            kind not in said
            and not (_tested(held, facts) & named) - own
            and (_is_spare(held, facts) or not _joins(held, kind, hints, facts, linker, named))
        )
    )


def repeated(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """One doubt per label that is mentioned twice (`people who follow people`) but has only one node."""
    for label in hints.repeated:
        if label != hints.each and sum(label in facts.structure.labels_at(node) for node in facts.structure.nodes) == 1:
            yield Doubt("unused", label)


def parted(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """One doubt if the query joins different nodes where the question means the same: `movies they also acted in`.

    Two types between the same labels must then join the same two nodes, unless a condition identifies them. For things
    done together, two steps of one type share a node.
    """
    cue = cue_in(hints.question, {"same", "both"})
    once = is_cued(hints.question, {"together"})
    tested = {variable for variable, _, _ in facts.property_tests}
    for one, other in combinations(facts.structure.relationships, 2) if cue else ():
        pairs = [facts.structure.ends(held) for held in (one, other)]
        places = [{node.key for node in pair} for pair in pairs]
        apart = [node for pair in pairs for node in pair if node.key not in places[0] & places[1]]
        kinds = [{label for node in pair for label in facts.structure.labels_at(node)} for pair in pairs]
        stated = any(node.key in tested for node in apart)
        differ = bool(apart and not stated) if one.types != other.types else once and places[0].isdisjoint(places[1])
        if kinds[0] == kinds[1] and differ:
            yield Doubt("unused", cue)
            return


def _is_spare(held: RelationshipPattern, facts: QueryFacts) -> bool:
    """True if the step is unused and its end's label has another node."""
    return any(
        node is not end and facts.structure.labels_at(node) & facts.structure.labels_at(end)
        for end in _bare_ends(held, facts)
        for node in facts.structure.nodes
    )


def _bare_ends(held: RelationshipPattern, facts: QueryFacts) -> list[NodePattern]:
    """Its ends without condition or other use in the query, if the step itself is unused too; else empty."""
    if held.keys or facts.uses[held.variable or ""] > 1:
        return []
    return [
        node
        for node in facts.structure.ends(held)
        if not (node.keys or node.where or facts.uses[node.variable or ""] > 1 or _is_passed(node, facts))
    ]


def _joins(
    held: RelationshipPattern, kind: str, hints: Hints, facts: QueryFacts, linker: Linker, named: set[str]
) -> bool:
    """True if no other type joins its ends, and each end is mentioned or leads on.

    An alternative type may also join an end to an unused node: `users answered questions`, with the asker and any
    answer.
    """
    ends = facts.structure.ends(held)
    left, right = labels = [facts.structure.labels_at(node) for node in ends]
    spare = [
        facts.structure.labels_at(node)
        for other in facts.structure.relationships
        for node in _bare_ends(other, facts)
        if other.match >= 0  # not in an expression that tests for existence
    ]
    used = {name for other in facts.structure.relationships for name in other.types}
    others = {
        name
        for a, name, b in linker.schema.paths
        if (name != kind and ((a in left and b in right) or (a in right and b in left)))
        or (
            name not in used
            and any((a in own and b in left | right) or (b in own and a in left | right) for own in spare)
        )
    }
    spoken = {*hints.labels, *hints.related}
    return not others and all(
        own & spoken
        or (_tested(node, facts) & named and not _is_elsewhere(node, own, hints, facts, linker))
        or _is_passed(node, facts)
        for node, own in zip(ends, labels, strict=True)
    )


def _is_elsewhere(node: NodePattern, own: set[str], hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True if a mentioned label stores the tested value itself: `customers from Malta`.

    False if the value is the node's name.
    """
    said = roots_in(hints.question)
    tested = {name for name in _tested(node, facts) if not (said & roots(name) or linker.naming.names(name))}
    tested -= {*hints.properties}
    for held in hints.mentions:
        places = {(place.label, place.property) for place in held.places}
        labels = {label for label, _ in places}
        if labels & {*hints.labels} and any((label, name) in places for label in own for name in tested):
            return True
    return False


def _is_passed(node: NodePattern, facts: QueryFacts) -> bool:
    """True if two steps share the node."""
    ends = [end for held in facts.structure.relationships for end in facts.structure.ends(held)]
    return sum(end.key == node.key for end in ends) > 1


def _tested(held: NodePattern | RelationshipPattern, facts: QueryFacts) -> set[str]:
    """The properties of it that the query uses."""
    uses = {use.name for use in facts.structure.properties if use.variable == held.variable}
    return uses | {name for name, _ in held.keys}


def _named(hints: Hints, facts: QueryFacts, linker: Linker) -> set[str]:
    """Used properties that the question names by a value or a word that no label has (`regions`: shipRegion)."""
    words = roots_in(hints.question) - linker.label_roots
    known = {place.property for held in hints.mentions for place in held.places} | {*named_properties(hints, linker)}
    said = f" {folded(hints.question)} "
    known |= {name for _, name, held in facts.property_tests if held and f" {folded(held.value)} " in said}
    return {name for name in facts.properties if name in known or words & roots(name)}


def identified(hints: Hints, facts: QueryFacts, linker: Linker) -> set[str]:
    """Variables of the nodes that the question identifies by a value."""
    named = {
        (place.label, place.property, held.value)
        for held in hints.mentions
        for place in held.places
        if linker.values.identifies(place)
    }
    labels = facts.structure.labels_of
    tested = ((v, name, t) for v, name, t in facts.property_tests if t and t.start not in facts.denied)
    return {v for v, name, t in tested for label in labels(v) if (label, name, t.value) in named}
