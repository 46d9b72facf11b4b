"""Doubts about the ends of relationships that run either way: against the wording, or of a wording nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.steps import labels_at
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.records import NodePattern, RelationshipPattern
from servers.text2cypher.linking.asks import TOGETHER, is_cued
from servers.text2cypher.linking.directions import End
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.values import folded


def directions(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt for each end that the wording puts elsewhere."""
    said = {folded(value): end for value, end in hints.value_ends}
    values = _values_of_variables(facts)
    returned = facts.shown
    asked: set[End] = set()
    met: Counter[tuple[str, str, End]] = Counter()
    for held in facts.structure.relationships:
        kind = _either_way(held, facts, linker)
        if kind is None:
            continue
        for node, at in _ends(held, facts):
            own = {folded(token.value) for _, token in node.keys if token is not None}
            own |= values.get(node.variable or "", set())
            yield from (Doubt("direction", kind) for value in own & set(said) if said[value] != at)
            if node.variable in returned and not own & set(said):
                asked.add(at)
            if node.variable:
                met[node.variable, kind, at] += 1
        if not set(held.types) <= linker.lexicon.told and (facts.strings or asked):
            yield Doubt("direction", kind)
    forks = [kind for (_, kind, _), times in met.items() if times > 1]
    if forks and not is_cued(hints.question, TOGETHER):  # both steps leave, or both reach, the node between
        yield Doubt("direction", forks[0])
    if hints.asked_end is not None and asked and hints.asked_end not in asked:
        yield Doubt("direction", next(iter(hints.relations), ""))


def _either_way(held: RelationshipPattern, facts: QueryFacts, linker: Linker) -> str | None:
    """The relationship's type, where the graph has it both ways between these labels, and the query says which way."""
    left, right = (
        labels_at(facts.structure.nodes[end], facts) or {*linker.schema.labels} for end in (held.left, held.right)
    )
    for kind in held.types if held.direction != "--" else ():
        ends = {(a, b) for a, b in linker.schema.ends(kind) if {a, b} <= left | right}
        if ends and all((b, a) in ends for a, b in ends):
            return kind
    return None


def _ends(held: RelationshipPattern, facts: QueryFacts) -> list[tuple[NodePattern, End]]:
    left, right = facts.structure.nodes[held.left], facts.structure.nodes[held.right]
    return [(left, "start"), (right, "end")] if held.direction == "->" else [(right, "start"), (left, "end")]


def _values_of_variables(facts: QueryFacts) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in facts.structure.nodes:
        for _, token in node.keys:
            if node.variable and token is not None:
                found.setdefault(node.variable, set()).add(folded(token.value))
    for use in facts.structure.properties:
        if use.literal is not None:
            found.setdefault(use.variable, set()).add(folded(use.literal.value))
    return found
