"""Random graphs generated from published schemas, for graphs that are published only as dumps. Asks nothing.

Labels, properties, ranges, relationships and some values come from the schema, other values from conditions of gold
queries. Connections are random; few nodes have many. So gold queries find something, and a query with another meaning
usually finds something else. Dates are texts; lists, points and durations are left out.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.loading.cursor import Node, Relation
from servers.text2cypher.loading.run import Loaded

SCHEMAS = "datasets/synthetic_gpt4turbo_demodbs/text2cypher_schemas.csv"
GRAPHS = (
    *("recommendations", "buzzoverflow", "bluesky", "companies", "gameofthrones", "neoflix", "network"),
    *("offshoreleaks", "twitch", "twitter"),
)
LEAST_NODES, MOST_NODES = 20, 60
MOST_JOINED = 4
_LEFT_OUT = {"LIST", "POINT", "DURATION"}
_APART = {"id", "uuid", "name", "title"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]\d+)?")


def drawn(structured: str, queries: Sequence[str], folder: Path) -> Loaded:
    """A graph with this schema (a Python literal) and values that `queries` find; deterministic."""
    schema = ast.literal_eval(structured)
    chance = random.Random(structured)
    tested = _tested(queries)
    graph = Loaded(folder)
    for label, held in schema["node_props"].items():
        told = _properties(label, held, tested)
        for place in range(min(max([LEAST_NODES, *(one.distinct for one in told)]), MOST_NODES)):
            properties = {one.name: one.value(chance, place) for one in told}
            graph.nodes.append(Node(len(graph.nodes), (label,), properties))
    for held in schema["relationships"]:
        told = _properties(held["type"], schema["rel_props"].get(held["type"], []), tested)
        starts, ends = ([node for node in graph.nodes if node.labels == (held[at],)] for at in ("start", "end"))
        order = chance.sample(ends, len(ends))
        often = [1 / (place + 1) for place in range(len(order))]
        for start in starts:
            found = chance.choices(order, often, k=chance.randint(0, MOST_JOINED)) if order else []
            for end in {one.number: one for one in found if one is not start}.values():
                properties = {one.name: one.value(chance, 0) for one in told}
                graph.relations.append(Relation(held["type"], start, end, properties))
    return graph


@dataclass(frozen=True)
class _Property:
    """A property in a schema; `texts` are its published values and those that queries test for."""

    name: str
    kind: str
    distinct: int
    texts: tuple[str, ...]
    least: str
    most: str

    def value(self, chance: random.Random, place: int) -> Any:
        """A value for the node at `place`: each text once, then random ones, or generated ones where many differ."""
        if self.kind == "BOOLEAN":
            return chance.random() < 0.5
        if self.kind in ("INTEGER", "FLOAT"):
            return (int if self.kind == "INTEGER" else float)(self._number(chance))
        if self.least[:4].isdigit() and self.kind != "STRING":
            year = chance.randint(int(self.least[:4]), int(self.most[:4]))
            return f"{year}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}{self.least[10:]}"
        if place < len(self.texts):
            return self.texts[place]
        text = chance.choice(self.texts or (self.name,))
        return f"{text} {place}" if self.distinct > len(self.texts) or self.name in _APART else text

    def _number(self, chance: random.Random) -> float:
        low, high = (float(end) if _NUMBER.fullmatch(end) else None for end in (self.least, self.most))
        held = [float(text) for text in self.texts if _NUMBER.fullmatch(text)]
        if low is None or high is None:
            return chance.choice(held or [0.0])
        near = [number for number in held if low <= number <= high]
        return chance.choice(near) if near and chance.random() < 0.5 else low + (high - low) * chance.random() ** 3


def _properties(
    owner: str, held: Sequence[dict[str, Any]], tested: Mapping[tuple[str, str], Sequence[str]]
) -> list[_Property]:
    return [
        _Property(
            one["property"],
            one["type"],
            one.get("distinct_count", 0),
            tuple(dict.fromkeys([*map(str, one.get("values", ())), *tested.get((owner, one["property"]), ())])),
            str(one.get("min", "")),
            str(one.get("max", "")),
        )
        for one in held
        if one["type"] not in _LEFT_OUT
    ]


def _tested(queries: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """(label or type, property) → values that queries compare it with; a part becomes a text with it at both ends."""
    found: dict[tuple[str, str], list[str]] = {}
    for query in queries:
        try:
            facts = QueryFacts.of(query)
        except ValueError:
            continue
        before = {token.start: held for held, token in pairwise(facts.tokens)}
        kinds = {held.variable: held.types for held in facts.structure.relationships}
        for variable, name, token in facts.property_tests:
            if token is None or variable is None:
                continue
            part = before[token.start].is_word("CONTAINS", "WITH")
            for owner in facts.structure.labels_of(variable) or kinds.get(variable, ()):
                text = f"{token.value} {name} {token.value}" if part else token.value
                found.setdefault((owner, name), []).append(text)
    return found
