"""Doubts about the steps of a pattern: relationships that the question neither speaks of nor needs. Runs nothing.

`Movies of 1999` says nothing of who directed them: a pattern with a director finds fewer.
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
    """One doubt for each type that isn't said, has no property that is, and isn't the only way between things asked.

    And one for a type that stands there once more than it is said, to a node of which the query uses nothing.
    """
    said = dict.fromkeys(hints.related, 1) | hints.relations
    yield from (Doubt("unasked", kind) for kind in _doubted(hints, facts, linker, said))


def unspoken(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Such doubts of types that only the word of a label or of a property in use says: `filings` are what is FILED.

    A reading with one is still the best there may be.
    """
    own = {root(word) for word in re.findall(r"\w+", hints.masked.lower()) if word not in linker.lexicon.labels}
    own -= roots(*facts.properties)
    said = {kind: 1 for kind in hints.related if own & roots(kind)}
    said |= relations_said(hints, linker)
    yield from (Doubt("unasked", kind) for kind in _doubted(hints, facts, linker, said))


def relations_said(hints: Hints, linker: Linker) -> dict[str, int]:
    """How often the question says each relationship, but those that share a word with a label, as `orders` may."""
    return {kind: n for kind, n in hints.relations.items() if not linker.label_roots & roots(kind)}


def _doubted(hints: Hints, facts: QueryFacts, linker: Linker, said: Mapping[str, int]) -> Iterable[str]:
    named = _named(hints, facts, linker)
    own = {name for label in hints.labels for name in linker.schema.nodes.get(label, ())}  # said of a node already
    kinds = [(kind, held) for held in facts.structure.relationships for kind in held.types]
    times = Counter(kind for kind, _ in kinds)
    return dict.fromkeys(
        kind
        for kind, held in kinds
        if (times[kind] > max(said.get(kind, 0), 1) and _bare_ends(held, facts))
        or (
            kind not in said
            and not (_tested(held, facts) & named) - own
            and (_is_spare(held, facts) or not _joins(held, kind, hints, facts, linker, named))
        )
    )


def repeated(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """One doubt for each label that is said more than once, `people who follow people`, of which there is one node."""
    for label in hints.repeated:
        if label != hints.each and sum(label in facts.structure.labels_at(node) for node in facts.structure.nodes) == 1:
            yield Doubt("unused", label)


def parted(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """One doubt where `movies they also acted in` are acted in by others, or others are acted in.

    Two types that join the same labels join the same two nodes then, unless a condition says which these are. And what
    is done together to two things is done once: two steps of one type share a node.
    """
    cue = cue_in(hints.question, {"same", "both"})
    once = is_cued(hints.question, {"together"})
    tested = {variable for variable, _, _ in facts.property_tests}
    for one, other in combinations(facts.structure.relationships, 2) if cue else ():
        pairs = [facts.structure.ends(held) for held in (one, other)]
        places = [{*map(_place, pair)} for pair in pairs]
        apart = [node for pair in pairs for node in pair if _place(node) not in places[0] & places[1]]
        kinds = [{label for node in pair for label in facts.structure.labels_at(node)} for pair in pairs]
        stated = any(node.keys or node.variable in tested for node in apart)
        differ = bool(apart and not stated) if one.types != other.types else once and places[0].isdisjoint(places[1])
        if kinds[0] == kinds[1] and differ:
            yield Doubt("unused", cue)
            return


def _place(node: NodePattern) -> str:
    return node.variable or f" {node.start}"


def _is_spare(held: RelationshipPattern, facts: QueryFacts) -> bool:
    """True where it is unused, and there is another node of the label to which it leads."""
    return any(
        node is not end and facts.structure.labels_at(node) & facts.structure.labels_at(end)
        for end in _bare_ends(held, facts)
        for node in facts.structure.nodes
    )


def _bare_ends(held: RelationshipPattern, facts: QueryFacts) -> list[NodePattern]:
    """Its ends that have no condition and are met nowhere else in the query, as is the step itself; else none."""
    uses = Counter(token.value for token in facts.tokens if token.is_name)
    if held.keys or uses[held.variable or ""] > 1:
        return []
    return [
        node
        for node in facts.structure.ends(held)
        if not (node.keys or node.where or uses[node.variable or ""] > 1 or _is_passed(node, facts))
    ]


def _joins(
    held: RelationshipPattern, kind: str, hints: Hints, facts: QueryFacts, linker: Linker, named: set[str]
) -> bool:
    """True where no other type joins its ends, and each is spoken of or a step to something else.

    Nor joins another type an end to a node of which the query uses nothing: `users answered questions` with whom asks
    and any answer.
    """
    ends = facts.structure.ends(held)
    left, right = labels = [facts.structure.labels_at(node) for node in ends]
    spare = [
        facts.structure.labels_at(node)
        for other in facts.structure.relationships
        for node in _bare_ends(other, facts)
        if other.match >= 0  # else an expression asks whether there is one
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
    """True where a label that the question says holds the value of this node's test itself: `customers from Malta`.

    Not where the value is the node's name.
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
    """A node that two steps share."""
    ends = [end for held in facts.structure.relationships for end in facts.structure.ends(held)]
    same = [end is node or (end.variable is not None and end.variable == node.variable) for end in ends]
    return sum(same) > 1


def _tested(held: NodePattern | RelationshipPattern, facts: QueryFacts) -> set[str]:
    """Its properties in use."""
    uses = {use.name for use in facts.structure.properties if use.variable == held.variable}
    return uses | {name for name, _ in held.keys}


def _named(hints: Hints, facts: QueryFacts, linker: Linker) -> set[str]:
    """Properties in use that the question names by a value or a word that no label holds (`regions`: shipRegion)."""
    words = roots_in(hints.question) - linker.label_roots
    known = {place.property for held in hints.mentions for place in held.places} | {*named_properties(hints, linker)}
    said = f" {folded(hints.question)} "
    known |= {name for _, name, held in facts.property_tests if held and f" {folded(held.value)} " in said}
    return {name for name in facts.properties if name in known or words & roots(name)}


def identified(hints: Hints, facts: QueryFacts, linker: Linker) -> set[str]:
    """Variables of the nodes that the question names by what tells each apart."""
    named = {
        (place.label, place.property, held.value)
        for held in hints.mentions
        for place in held.places
        if linker.values.identifies(place)
    }
    labels = facts.structure.labels_of
    tested = ((v, name, t) for v, name, t in facts.property_tests if v and t)
    return {v for v, name, t in tested for label in labels(v) if (label, name, t.value) in named}
