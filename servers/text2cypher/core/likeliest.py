"""Which readings of a question are the likeliest: those with the fewest doubts, then the shortest and best joined ones.
Runs nothing and doubts nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, product

from servers.text2cypher.core.confidence import doubts_of_query
from servers.text2cypher.core.steps import identified, relations_said, unspoken
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import Kind, named
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.said import named_properties

MOST_SCORED = 300  # max. queries that are compared with the question


def scored(readings: Sequence[Reading], hints: Hints, linker: Linker, most: int = MOST_SCORED) -> dict[str, int]:
    """{query: number of doubts before it is run} for the first queries of the readings, in order."""
    texts = dict.fromkeys(text for reading in readings for text in reading.queries)
    return {text: doubts_of_query(hints, text, linker) for text in islice(texts, most)}


def likeliest(doubts: Mapping[str, int], hints: Hints, linker: Linker) -> list[str]:
    """The queries with the fewest doubts; with none, they cover the question.

    Sorted in the readings' order, but after the others if they have fewer steps of a type than the question says (words
    that are also a label's, like `orders`, don't count) or steps that only a label's or property's word implies.
    """
    fewest = min(doubts.values(), default=0)
    found = [text for text, number in doubts.items() if number == fewest]
    return sorted(found, key=behind(hints, linker))


def behind(hints: Hints, linker: Linker) -> Callable[[str], tuple[int, ...]]:
    """How much less likely a query without doubts is than others: (0, …) is the likeliest."""
    said = relations_said(hints, linker)

    def of(text: str) -> tuple[int, ...]:
        missing = sum(max(times - text.count(f":{named(kind)}"), 0) for kind, times in said.items())
        facts = QueryFacts.of(text)
        spare = len(list(unspoken(hints, facts, linker)))
        return missing, spare, len(list(_astray(hints, facts, linker))), *_apart(hints, facts, linker)

    return of


def _apart(hints: Hints, facts: QueryFacts, linker: Linker) -> tuple[int, int]:
    """(labels not joined to any earlier one, or not by the relationship said between them; labels not joined to the
    last one).

    Only where the schema allows it: `courses that support an outcome, and their topics` are joined at the courses.
    """
    schema, structure = linker.schema, facts.structure
    steps = {
        (kind, frozenset(pair))
        for held in structure.relationships
        for kind in held.types
        for pair in product(*(structure.labels_at(node) for node in structure.ends(held)))
    }
    known = {(kind, frozenset((start, end))) for start, kind, end in schema.paths}
    before: list[str] = []
    said, astray = "", 0
    for name in hints.sequence:
        if name in schema.nodes and name not in before:
            joins = {step for label in before for step in known if step[1] == {label, name}}
            meant = {step for step in joins if step[0] == said} or joins
            astray += bool(meant) and not meant & steps
            before.append(name)
        said = name if name not in schema.nodes else ""
    joined, could = ({pair for _, pair in held} for held in (steps, known))
    return astray, sum(frozenset(pair) in could - joined for pair in pairwise(hints.labels))


def _astray(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[str]:
    """Misplaced variables: a named node between two others, and a condition on an unnamed node of the label that is
    shown, because further words of a question describe the shown node itself."""
    names = identified(hints, facts, linker)
    structure = facts.structure
    ends = Counter(node.variable for held in structure.relationships for node in structure.ends(held))
    shown = {token.value for token in facts.returned} & {node.variable for node in structure.nodes}
    yield from (v for v in names if ends[v] > 1)
    for v, name, value in facts.property_tests:  # `what did Tom Hanks direct before 2000`: not his birth
        number = value is not None and value.kind is Kind.NUMBER
        if v in names and number and name not in named_properties(hints, linker):
            yield v
    labels = {label for v in shown for label in facts.structure.labels_of(v)}
    tested = {v for v, _, _ in facts.property_tests} - names - shown
    yield from (v for v in tested if facts.structure.labels_of(v) & labels and len(ends) > 1)
