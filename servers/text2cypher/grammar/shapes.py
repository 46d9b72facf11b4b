"""The short patterns that the named relationships can form, for any graph. Knows no conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.grammar.paths import Chain, Step, chains
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.asks import TOGETHER, is_cued
from servers.text2cypher.linking.hints import Hints
from servers.text2cypher.linking.names import root, roots
from servers.text2cypher.linking.said import part_asked

Path = tuple[str, str, str]
_LONGEST = 3  # the most steps


@dataclass(frozen=True)
class Shape:
    """`text`: the pattern after MATCH; `nodes` and `edges`: variable → label or type, in pattern order."""

    text: str
    nodes: dict[str, str] = field(hash=False)
    edges: dict[str, str] = field(hash=False)

    @property
    def steps(self) -> int:
        """The number of its relationships."""
        return len(re.findall(r"-\[", self.text))


def shapes(hints: Hints, schema: GraphSchema, kinds: list[str]) -> list[Shape]:
    """Patterns of one node, one or two steps, with every named type and, if two steps suffice, the named labels.

    For `both directed and produced by the same person`, two steps between the same two nodes, if the schema has them.
    """
    labels = set(hints.labels)
    paths = [path for path in schema.paths if path[1] in kinds]
    if len(kinds) > 1:
        pairs = [(one, other) for one, other in combinations(paths, 2) if one[1] != other[1]]
        found = [shape for one, other in pairs for shape in _two(one, other)]
        closed = [shape for shape in found if len(shape.nodes) < len(shape.edges) + 1]
        if closed and is_cued(hints.question, TOGETHER):
            return closed
        whole = [held for held in found if _holds(held, kinds, labels)]
        return whole or [*_longer(schema, labels, kinds, hints), *found]
    single = paths or [path for path in schema.paths if len(labels) > 1 and {path[0], path[2]} == labels]
    found = [Shape(f"(a:{named(one)})", {"a": one}, {}) for one in (() if kinds else hints.labels or schema.labels)]
    found += [_step(path) for path in single]
    starts = paths or [path for path in schema.paths if labels & {path[0], path[2]}]
    if len(labels) > 1 and not any(labels <= {path[0], path[2]} for path in single):
        reached = [
            (one, other) for one in starts for other in schema.paths if one != other and _reach(one, other, labels)
        ]
        found += [shape for one, other in reached for shape in _two(one, other)]
        found += [] if reached else _longer(schema, labels, kinds, hints)
    return list(dict.fromkeys(found))


def _holds(shape: Shape, kinds: list[str], labels: set[str]) -> bool:
    return {*kinds} <= {*shape.edges.values()} and labels <= {*shape.nodes.values()}


def _longer(schema: GraphSchema, labels: set[str], kinds: list[str], hints: Hints) -> Iterator[Shape]:
    """Three steps that join all labels, first those in the question's order.

    One of the labels, or the outer end of a named relationship, is at each end.
    """
    order = [*map(root, re.findall(r"\w+", hints.masked))]
    at = {kind: min([order.index(held) for held in roots(kind) if held in order], default=len(order)) for kind in kinds}
    twice = 2 if len(kinds) > 1 else 1
    found = []
    for chain in chains(schema, set(schema.relationships), dict.fromkeys(schema.labels, twice), _LONGEST):
        held = [step.kind for step in chain.steps]
        if len(held) != len({*held}) or not ({*kinds} <= {*held} and labels <= {*chain.labels}) or not held:
            continue
        ends = zip((chain.labels[0], chain.labels[-1]), (held[0], held[-1]), strict=True)
        if all(label in labels or (kind in kinds and twice > 1) for label, kind in ends):
            places = [at.get(kind, len(order)) for kind in held]
            found.append((places not in (sorted(places), sorted(places, reverse=True)), chain))
    yield from (_chained(chain) for _, chain in sorted(found, key=lambda one: one[0]))
    if not found:
        yield from _stars(schema, labels, kinds)


def _chained(chain: Chain) -> Shape:
    nodes = dict(zip("abcd", chain.labels, strict=False))
    edges = dict(zip("rst", (step.kind for step in chain.steps), strict=False))
    text = f"(a:{named(chain.labels[0])})"
    for edge, step, node in zip(edges, chain.steps, list(nodes)[1:], strict=True):
        text += f"{step.arrow(edge)}({node}:{named(nodes[node])})"
    return Shape(text, nodes, edges)


def _stars(schema: GraphSchema, labels: set[str], kinds: list[str]) -> Iterator[Shape]:
    """Three steps from one node, each named or to a named label."""
    for middle in schema.labels:
        ways = [path for path in schema.paths if path[0] != path[2] and middle in (path[0], path[2])]
        arms = [(Step(kind, start == middle), end if start == middle else start) for start, kind, end in ways]
        for three in combinations([arm for arm in arms if arm[0].kind in kinds or arm[1] in labels], _LONGEST):
            held, ends = {step.kind for step, _ in three}, [end for _, end in three]
            if len(held) == len({*ends}) == _LONGEST and {*kinds} <= held and labels <= {middle, *ends}:
                (one, first), (other, second), (third, last) = three
                chain = Chain((first, middle, second), (Step(one.kind, not one.forward), other))
                begun = _chained(chain)
                text = f"{begun.text}, (b){third.arrow('t')}(d:{named(last)})"
                yield Shape(text, begun.nodes | {"d": last}, begun.edges | {"t": third.kind})


def _reach(one: Path, other: Path, labels: set[str]) -> bool:
    return labels <= {one[0], one[2], other[0], other[2]} and bool({one[0], one[2]} & {other[0], other[2]})


def _step(path: Path) -> Shape:
    start, kind, end = path
    return Shape(f"(a:{named(start)})-[r:{named(kind)}]->(b:{named(end)})", {"a": start, "b": end}, {"r": kind})


def _two(one: tuple[str, str, str], other: Path) -> Iterator[Shape]:
    """Two steps that share a node: joined at one end, or between the same two nodes."""
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


def without_last_step(shape: Shape) -> Iterator[tuple[str, str, str]]:
    """A chain without the step at each of its ends: (the rest, that step, the variable at its end). Nothing for other
    shapes."""
    nodes, arrows = re.findall(r"\((\w+):([^)]+)\)", shape.text), re.findall(r"\)(<?-\[\w+:[^]]+]->?)", shape.text)
    if not len(nodes) == len(shape.nodes) == len(arrows) + 1 > 1:
        return
    for chain, steps in ((nodes, arrows), (nodes[::-1], [_turned(arrow) for arrow in arrows[::-1]])):
        left = f"({chain[0][0]}:{chain[0][1]})"
        left += "".join(f"{arrow}({v}:{label})" for arrow, (v, label) in zip(steps[:-1], chain[1:-1], strict=True))
        bare = re.sub(r"\[\w+:", "[:", steps[-1])
        yield left, f"({chain[-2][0]}){bare}(:{chain[-1][1]})", chain[-1][0]


def _turned(arrow: str) -> str:
    return f"{arrow[1:]}>" if arrow.startswith("<") else f"<{arrow[:-1]}"


def doer_of(hints: Hints, shape: Shape, schema: GraphSchema) -> str:
    """The node that plays the part that the question names before any label; else ""."""
    part = part_asked(hints, schema, shape.edges.values())
    if part is None:
        return ""
    edge = next(edge for edge, kind in shape.edges.items() if kind == part.kind)
    ahead = re.search(rf"\((\w+)[^()]*\)-\[{edge}:[^]]*]->\((\w+)", shape.text)
    back = re.search(rf"\((\w+)[^()]*\)<-\[{edge}:[^]]*]-\((\w+)", shape.text)
    ends = ahead.groups() if ahead else back.groups()[::-1] if back else ("", "")
    return ends[part.at_end]
