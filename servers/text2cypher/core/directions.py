"""Doubts about the ends of relationships that run both ways: contrary to the wording, or with unknown wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.records import RelationshipPattern
from servers.text2cypher.linking.asks import TOGETHER, is_cued
from servers.text2cypher.linking.directions import End
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.values import folded


def directions(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt for each end that contradicts the wording."""
    said = {folded(value): end for value, end in hints.value_ends}
    shown, asked = _asked(facts), set[End]()
    met: Counter[tuple[str, str, End]] = Counter()
    for kind, ends in _both_ways(facts, linker):
        for variable, own, at in ends:
            yield from (Doubt("direction", kind) for value in own & set(said) if said[value] != at)
            if variable in shown and not own & set(said):
                asked.add(at)
            if variable:
                met[variable, kind, at] += 1
        if kind not in {*linker.lexicon.directions, *linker.lexicon.both_ways} and (facts.strings or asked):
            yield Doubt("direction", kind)
    yield from (Doubt("direction", kind) for kind in _undirected(hints, facts, linker))
    forks = [kind for (_, kind, _), times in met.items() if times > 1]
    if forks and not is_cued(hints.question, TOGETHER):  # both steps start or both end at the middle node
        yield Doubt("direction", forks[0])
    if hints.asked_end is not None and asked and hints.asked_end not in asked:
        yield Doubt("direction", next(iter(hints.relations), ""))


def _undirected(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[str]:
    """Types matched in both directions although the wording gives one, or may give one."""
    ended = bool(hints.value_ends) or hints.asked_end is not None
    undirected = (held for held in facts.structure.relationships if held.direction == "--")
    for kind in (_type_both_ways(held, facts, linker) for held in undirected):
        if kind and kind not in linker.lexicon.both_ways and (ended or kind not in linker.lexicon.directions):
            yield kind


def unsaid(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt if the question has none of the lexicon's words for a relationship's ends: either may be meant.

    Not for pairs, where both ends are shown.
    """
    said = {folded(value) for value, _ in hints.value_ends}
    held = [*_both_ways(facts, linker)]
    directed = [kind for kind, ends in held if not {variable for variable, *_ in ends} <= facts.shown]
    known = hints.asked_end is not None or any(own & said for _, ends in held for _, own, _ in ends)
    yield from (Doubt("direction", kind) for kind in directed[:1] if kind in linker.lexicon.directions and not known)


def _asked(facts: QueryFacts) -> set[str]:
    """The returned variables; without any, the counted ones, else all without a condition."""
    nodes = facts.structure.nodes
    counted = {token.value for token in facts.returned} & {node.variable for node in nodes if node.variable}
    return facts.shown or counted or {node.variable for node in nodes if node.variable and not node.keys}


def _type_both_ways(held: RelationshipPattern, facts: QueryFacts, linker: Linker) -> str | None:
    """The relationship's type if the graph has it in both directions between these labels."""
    left, right = (facts.structure.labels_at(end) or {*linker.schema.labels} for end in facts.structure.ends(held))
    for kind in held.types:
        ends = {(a, b) for a, b in linker.schema.ends(kind) if {a, b} <= left | right}
        if ends and all((b, a) in ends for a, b in ends):
            return kind
    return None


def _both_ways(facts: QueryFacts, linker: Linker) -> Iterator[tuple[str, list[tuple[str | None, set[str], End]]]]:
    """(type, [(variable, values, end) for both ends]) for each directed relationship that may run either way."""
    for held in facts.structure.relationships:
        if held.direction != "--" and (kind := _type_both_ways(held, facts, linker)) is not None:
            ends: tuple[End, End] = ("start", "end") if held.direction == "->" else ("end", "start")
            values = [(key, folded(token.value)) for key, _, token in facts.property_tests if token is not None]
            nodes = zip(facts.structure.ends(held), ends, strict=True)
            yield kind, [(node.variable, {v for key, v in values if key == node.key}, at) for node, at in nodes]
