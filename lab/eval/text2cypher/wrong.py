"""Derives wrong queries from right ones by the mistakes that a model makes: one part changed, added or left out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise

from lab.eval.text2cypher.sets import Question
from servers.text2cypher.cypher.brackets import outside
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.graph.schema import GraphSchema

MOST = 2  # queries of one kind made of one gold query
_FIGURES = {"count": "max", "sum": "avg", "avg": "sum", "max": "min", "min": "max"}
_REVERSED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "<>", "<>": "="}
_BOUNDARY = {">": ">=", "<": "<=", ">=": ">", "<=": "<"}
_END = ("ORDER", "SKIP", "LIMIT", "UNION")


def wrong_queries(
    question: Question, others: Sequence[Question], schema: GraphSchema, seed: int
) -> Iterator[tuple[str, str]]:
    """(what is wrong, query) pairs; the caller must check which are valid and return a different result."""
    chance = random.Random(f"{seed} {question.id}")
    yield "another question's", chance.choice(others).cypher
    gold = _Gold(question.cypher, schema, [_facts(other.cypher) for other in others])
    for what, made in _KINDS.items():
        texts = [text for text in dict.fromkeys(made(gold)) if text != gold.query]
        yield from ((what, text) for text in chance.sample(texts, min(len(texts), MOST)))


_facts = cache(QueryFacts.of)


class _Gold:
    """A gold query to change; `others` provide other literals."""

    def __init__(self, query: str, schema: GraphSchema, others: Sequence[QueryFacts]) -> None:
        self.query, self.schema, self.others, self.facts = query, schema, others, _facts(query)
        self.structure, self.tokens = self.facts.structure, self.facts.tokens
        starts = [*(start for _, start in self.structure.clauses), len(query)]
        self.clauses = [(word, *span) for (word, _), span in zip(self.structure.clauses, pairwise(starts), strict=True)]
        self.shown_from = self.facts.returned[0].start
        self.shown_to = next((t.start for _, t in outside(self.facts.returned) if t.is_word(*_END)), len(query))

    def put(self, start: int, end: int, text: str = "") -> str:
        return self.query[:start] + text + self.query[end:]

    def swapped(self, other: dict[str, str]) -> Iterator[tuple[Token, str]]:
        """(token, the query with its counterpart) for the tokens of a table; no arrows."""
        for before, token, after in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if token.text.lower() in other and "-" not in (before.text, after.text) and token.kind is not Kind.STRING:
                yield token, self.put(token.start, token.end, other[token.text.lower()])

    def properties(self) -> Iterator[tuple[int, int, str, str]]:
        """(start, end, variable or node's key, property) of every property in use."""
        for use in self.structure.properties:
            end = use.start + len(f"{use.variable}.{use.name}")
            yield end - len(use.name), end, use.variable, use.name
        for node in self.structure.nodes:
            at = {name: self.query.find(name, node.start, node.end) for name, _ in node.keys}
            yield from ((start, start + len(name), node.key, name) for name, start in at.items())

    def alike(self, variable: str, name: str) -> list[str]:
        """The other properties of its label that have the property's type."""
        kinds = [self.schema.nodes.get(label, {}) for label in self.structure.labels_of(variable)]
        return [other for held in kinds for other, kind in held.items() if other != name and kind == held.get(name)]


def _filter_dropped(gold: _Gold) -> Iterator[str]:
    for node in gold.structure.nodes:
        if len(node.keys) == 1:
            yield gold.put(gold.query.index("{", node.start), gold.query.index("}", node.start) + 1)
    for word, start, end in gold.clauses:
        if word == "WHERE":
            ands = [t for _, t in outside([t for t in gold.tokens if start < t.start < end]) if t.is_word("AND")]
            marks = [(start, start + 5), *((token.start, token.end) for token in ands), (end, end)]
            for number, ((begin, inside), (after, _)) in enumerate(pairwise(marks)):
                more = not number and len(marks) > 2  # WHERE stays
                yield gold.put(inside if more else begin, marks[1][1] if more else after, " ")


def _turned(gold: _Gold, *, ignored: bool) -> Iterator[str]:
    for held in gold.structure.relationships:
        bare = gold.query[held.start : held.end].strip("<>")
        if held.direction != "--":
            other = f"{bare}>" if held.direction == "<-" else f"<{bare}"
            yield gold.put(held.start, held.end, bare if ignored else other)


def _order(gold: _Gold) -> Iterator[str]:
    for word, start, end in gold.clauses:
        text = gold.query[start:end].rstrip()
        if word in ("ORDER", "LIMIT"):
            yield gold.put(start, end)
        if word == "ORDER":
            yield gold.put(start, end, f"{text[:-5] if text.upper().endswith(' DESC') else f'{text} DESC'} ")


def _figure(gold: _Gold) -> Iterator[str]:
    yield from (text for token, text in gold.swapped(_FIGURES) if gold.query[token.end : token.end + 1] == "(")


def _distinct(gold: _Gold) -> Iterator[str]:
    for token, after in pairwise(gold.tokens):
        if token.is_word("DISTINCT"):
            yield gold.put(token.start, after.start)
        elif after.text == "(" and token.is_word("COUNT", "SUM", "AVG", "COLLECT"):
            yield gold.put(after.end, after.end, "DISTINCT ")


def _step_added(gold: _Gold) -> Iterator[str]:
    for node in gold.structure.nodes:
        first = all(held.right != gold.structure.nodes.index(node) for held in gold.structure.relationships)
        for start, kind, end in gold.schema.paths if first else ():
            steps = {end: f"(:{start})-[:{kind}]->", start: f"(:{end})<-[:{kind}]-"}
            yield from (gold.put(node.start, node.start, steps[label]) for label in node.labels if label in steps)


def _step_left_out(gold: _Gold) -> Iterator[str]:
    for held in gold.structure.relationships:
        left, right = gold.structure.ends(held)
        yield gold.put(left.start, held.end)
        yield gold.put(held.start, right.end)


def _other_type(gold: _Gold) -> Iterator[str]:
    for held in gold.structure.relationships:
        ends = {label for node in gold.structure.ends(held) for label in gold.structure.labels_at(node)}
        for start, kind, end in gold.schema.paths:
            if {start, end} <= ends and held.bracket and held.types and kind not in held.types:
                begin = gold.query.index(held.types[0], held.bracket[0])
                yield gold.put(begin, begin + len(held.types[0]), kind)


def _other_label(gold: _Gold) -> Iterator[str]:
    for node in gold.structure.nodes:
        for label in gold.schema.nodes if node.labels else ():
            begin = gold.query.index(node.labels[0], node.start)
            yield gold.put(begin, begin + len(node.labels[0]), label)


def _other_property(gold: _Gold, *, place: str) -> Iterator[str]:
    for start, end, variable, name in gold.properties():
        at = "tested" if start < gold.shown_from else "shown" if start < gold.shown_to else "ordered"
        yield from (gold.put(start, end, other) for other in gold.alike(variable, name) if at == place)


def _other_node(gold: _Gold) -> Iterator[str]:
    nodes = {node.variable for node in gold.structure.nodes if node.variable}
    for token in (token for token in gold.facts.returned if token.is_name and token.value in nodes):
        yield from (gold.put(token.start, token.end, other) for other in sorted(nodes - {token.value}))


def _column(gold: _Gold) -> Iterator[str]:
    for node in gold.structure.nodes:
        free = node.variable and not node.keys  # an identified one adds what the question says
        for name in (name for label in node.labels if free for name in gold.schema.nodes[label]):
            yield gold.put(gold.shown_to, gold.shown_to, f", {node.variable}.{name} ")
    for _, token in outside(gold.facts.returned):
        if token.text == "," and token.start < gold.shown_to:
            yield gold.put(token.start, gold.shown_to, " ")


def _literal(gold: _Gold) -> Iterator[str]:
    for token in gold.tokens:
        if token.kind is Kind.NUMBER and "." not in token.text:
            yield gold.put(token.start, token.end, str(int(token.text) + 1))
    held = {(name, token.text) for facts in gold.others for _, name, token in facts.property_tests if token}
    for _, name, value in gold.facts.property_tests:
        same = sorted(text for other, text in held if other == name and value and text != value.text)
        yield from (gold.put(value.start, value.end, text) for text in same if value is not None)


def _optional(gold: _Gold) -> Iterator[str]:
    for number, (word, start, _) in enumerate(gold.clauses):
        if word == "OPTIONAL":
            yield gold.put(start, start + len("OPTIONAL "))
        elif word == "MATCH" and number:
            yield gold.put(start, start, "OPTIONAL ")


_KINDS: dict[str, Callable[[_Gold], Iterator[str]]] = {
    "filter dropped": _filter_dropped,
    "direction flipped": partial(_turned, ignored=False),
    "direction ignored": partial(_turned, ignored=True),
    "order dropped or reversed": _order,
    "wrong aggregate": _figure,
    "comparison changed": lambda gold: (text for _, text in gold.swapped(_REVERSED)),
    "boundary changed": lambda gold: (text for _, text in gold.swapped(_BOUNDARY)),
    "and, or swapped": lambda gold: (text for _, text in gold.swapped({"and": "OR", "or": "AND"})),
    "not dropped": lambda gold: (text for _, text in gold.swapped({"not": ""})),
    "distinct added or dropped": _distinct,
    "step added": _step_added,
    "step left out": _step_left_out,
    "other relationship": _other_type,
    "other label": _other_label,
    **{f"other property {at}": partial(_other_property, place=at) for at in ("tested", "shown", "ordered")},
    "other node shown": _other_node,
    "column added or dropped": _column,
    "literal changed": _literal,
    "optional added or dropped": _optional,
}
