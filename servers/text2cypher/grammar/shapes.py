"""The patterns that the relationships a question names can make, short ones, whatever the graph. Knows no condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.hints import Hints

_LETTERS = "abc"


@dataclass(frozen=True)
class Shape:
    """`text` after MATCH; `nodes` and `edges` variable → label or type, in the order of the pattern."""

    text: str
    nodes: dict[str, str]
    edges: dict[str, str]

    @property
    def kinds(self) -> frozenset[str]:
        """Its relationship types."""
        return frozenset(self.edges.values())


def shapes(hints: Hints, schema: GraphSchema, kinds: list[str]) -> list[Shape]:
    """One node, one step of a named type, or two of them; between two labels also a step nobody names."""
    paths = [path for path in schema.paths if path[1] in kinds]
    if not kinds:
        named_labels = set(hints.labels)
        between = [path for path in schema.paths if {path[0], path[2]} == named_labels]
        labels = hints.labels or schema.labels
        return [*(_node(label) for label in labels), *(_step(path) for path in between)]
    if len(kinds) == 1:
        return [_step(path) for path in paths]
    pairs = [(one, other) for one, other in combinations(paths, 2) if one[1] != other[1]]
    return [shape for one, other in pairs for shape in _two(one, other)]


def _node(label: str) -> Shape:
    return Shape(f"(a:{named(label)})", {"a": label}, {})


def _step(path: tuple[str, str, str]) -> Shape:
    start, kind, end = path
    return Shape(f"(a:{named(start)})-[r:{named(kind)}]->(b:{named(end)})", {"a": start, "b": end}, {"r": kind})


def _two(one: tuple[str, str, str], other: tuple[str, str, str]) -> Iterator[Shape]:
    """Two steps that share a node: joined at either end, or between the same two."""
    first = _step(one)
    start, kind, end = other
    arrow = f"-[s:{named(kind)}]->"
    edges = first.edges | {"s": kind}
    if (start, end) == (one[0], one[2]):
        yield Shape(f"{first.text}<-[s:{named(kind)}]-(a)", first.nodes, edges)
    if end == one[2]:
        yield Shape(f"{first.text}<-[s:{named(kind)}]-(c:{named(start)})", first.nodes | {"c": start}, edges)
    if start == one[0] and end != one[2]:
        text = f"(b:{named(one[2])})<-[r:{named(one[1])}]-(a:{named(start)}){arrow}(c:{named(end)})"
        yield Shape(text, first.nodes | {"c": end}, edges)
    if start == one[2]:
        yield Shape(f"{first.text}{arrow}(c:{named(end)})", first.nodes | {"c": end}, edges)
    if end == one[0] and start != one[2]:
        yield Shape(f"(c:{named(start)}){arrow}{first.text}", first.nodes | {"c": start}, edges)
