"""Readings over a graph for which a person wrote words: chains that join what is named, and what may be returned.

What the words decide is fixed; the rest (the direction of a prerequisite, which node is meant, whether to count
distinct) stays open, most likely first. Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.paths import Chain, chains
from servers.text2cypher.grammar.shapes import Shape
from servers.text2cypher.grammar.shown import Shown
from servers.text2cypher.grammar.variables import numbered
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.directions import End
from servers.text2cypher.linking.filters import Filter
from servers.text2cypher.linking.hints import Hints, Linker

MOST_PATTERNS = 60


@dataclass(frozen=True)
class Reading:
    """`match`: the text before RETURN; `returns`: the texts that may follow, including WITH."""

    match: str
    returns: tuple[str, ...]

    @property
    def queries(self) -> list[str]:
        """The complete query texts."""
        return [self.match + text for text in self.returns]


@dataclass(eq=False)
class Node:
    """One node of a pattern; `fixed` if a condition identifies it, `ends`: its ends of self-relationships."""

    label: str
    variable: str
    keys: list[tuple[str, str]] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    fixed: bool = False
    values: set[str | int] = field(default_factory=set)
    ends: set[End] = field(default_factory=set)

    def text(self) -> str:
        """The node in Cypher."""
        keys = ", ".join(f"{name}: {value}" for name, value in self.keys)
        return f"({self.variable}:{named(self.label)}{f' {{{keys}}}' if keys else ''})"

    @property
    def stated(self) -> list[str]:
        """Its conditions as `variable.property = value`."""
        return [*(f"{self.variable}.{name} = {value}" for name, value in self.keys), *self.tests]


class Reader:
    """Makes readings for one graph's linker; `variables` as returned by grammar.variables."""

    def __init__(self, linker: Linker, variables: dict[str, str]) -> None:
        self.linker, self.schema, self.variables = linker, linker.schema, variables
        ends = {kind: self.schema.ends(kind) for kind in self.schema.relationships}
        self._loops = {kind for kind, held in ends.items() if all(a == b for a, b in held)}

    def readings(self, hints: Hints) -> list[Reading]:
        """At most MOST_PATTERNS patterns; empty if the hints name nothing in the graph, and for ranks."""
        found: dict[str, Reading] = {}
        if hints.asks & {Ask.MOST, Ask.FEWEST} and Ask.ORDER not in hints.asks:
            return []
        for match, nodes in self._patterns(hints):
            labels = {node.variable: node.label for node in nodes}
            held = {name for label in labels.values() for name in self.linker.schema.nodes[label]}
            if hints.properties and held.isdisjoint(hints.properties):
                continue
            tests = [test for node in nodes for test in node.stated]
            returns = Shown(self.linker, hints, labels, Shape(match, labels, {}), tests).texts()
            found.setdefault(match, Reading(match, tuple(dict.fromkeys(returns))))
            if len(found) >= MOST_PATTERNS:
                break
        return list(found.values())

    def _patterns(self, hints: Hints) -> Iterator[tuple[str, list[Node]]]:
        """(text before RETURN, its nodes) of every chain of the schema with its filters, most likely first."""
        negated = Ask.NOT in hints.asks and not any(f.operator in ("null", "<>") for f in hints.filters)
        if negated and hints.relations:
            return
        for chain in self._chains(hints):
            for nodes in self._filtered(chain, hints):
                if _agrees(nodes, hints):
                    yield self._text(hints, chain, nodes), nodes

    def _chains(self, hints: Hints) -> list[Chain]:
        """Chains with every named label and relationship; with intermediate labels only if necessary."""
        loops = self._loops
        announced = set(self.linker.lexicon.relationships.values()) - loops
        named = {kind for kind in self.linker.lexicon.relationships.values() if hints.relations.get(kind)}
        quiet = {k for k in self.schema.relationships if k not in loops and (k in named or not self._has_words(k))}
        some = quiet | (named & loops)
        everything = (set(self.schema.relationships) - loops) | announced | (named & loops)
        for kinds in (some, everything):
            for extra in (0, 1, 2):
                if fitting := self._fitting(hints, kinds & set(self.schema.relationships), named, extra):
                    return fitting
        return self._fitting(hints, everything & set(self.schema.relationships), set(), 2)

    def _has_words(self, kind: str) -> bool:
        """True if the lexicon has words for the relationship other than its own name."""
        own = kind.lower().replace("_", " ")
        return any(name == kind and phrase != own for phrase, name in self.linker.lexicon.relationships.items())

    def _fitting(self, hints: Hints, kinds: set[str], named: set[str], extra: int) -> list[Chain]:
        wanted = set(hints.labels)
        most = dict.fromkeys(self.schema.labels if extra else hints.labels, 1)
        for kind in named & self._loops:
            for label, _ in self.schema.ends(kind):
                hops = 1 if hints.indirect or Ask.NOT in hints.asks else min(hints.relations[kind], 2)
                most[label] = most.get(label, 1) + hops
        found = [
            chain
            for chain in chains(self.schema, kinds, most)
            if wanted <= set(chain.labels) and len(set(chain.labels) - wanted) <= extra
            if named & kinds <= {step.kind for step in chain.steps}
        ]
        shortest = min((len(set(chain.labels)) for chain in found), default=0)
        return [chain for chain in found if len(set(chain.labels)) == shortest]

    def _filtered(self, chain: Chain, hints: Hints) -> Iterator[list[Node]]:
        """The chain's nodes, with every filter on a node of its label."""
        names = numbered(chain.labels, self.variables)
        for choice in product(*[_placements(chain, held, Ask.YES_NO in hints.asks) for held in hints.filters]):
            nodes = [Node(label, name) for label, name in zip(chain.labels, names, strict=True)]
            _place_ends(chain, nodes)
            taken: set[tuple[int, str, str]] = set()
            clash = False
            for placement in choice:
                for place, held in placement:
                    clash |= (place, held.property, held.operator) in taken
                    taken.add((place, held.property, held.operator))
                    self._apply(nodes[place], held)
            if not clash:
                yield nodes

    def _apply(self, node: Node, held: Filter) -> None:
        name = f"{node.variable}.{named(held.property)}"
        values = [quote(value) if isinstance(value, str) else str(value) for value in held.values]
        node.values |= set(held.values)
        if held.operator == "null":
            node.tests.append(f"{name} IS NULL")
        elif held.operator == "not null":
            node.tests.append(f"{name} IS NOT NULL")
        elif held.operator == "=" and len(values) == 1:
            node.keys.append((named(held.property), values[0]))
            node.fixed |= held.property in self.linker.naming.display(node.label)
        elif held.operator == "=":
            node.tests.append(f"{name} IN [{', '.join(values)}]")
        else:
            node.tests += [f"{name} {held.operator} {value}" for value in values]

    def _text(self, hints: Hints, chain: Chain, nodes: list[Node]) -> str:
        text = nodes[0].text()
        for step, node in zip(chain.steps, nodes[1:], strict=True):
            far = "*2.." if Ask.ONLY_INDIRECT in hints.asks else "*1.."
            length = far if step.kind in self._loops and hints.indirect else ""
            text += step.arrow(length=length) + node.text()
        if is_cued(hints.question, {"both"}):
            text += _closing(chain, nodes) or _closing(chain.reversed(), nodes[::-1])
        tests = [test for node in nodes for test in node.tests]
        return f"MATCH {text}" + (f" WHERE {' AND '.join(tests)}" if tests else "")


def _closing(chain: Chain, nodes: list[Node]) -> str:
    """For `pairs that both support X`: the same step from X to the second node of the pair."""
    if len(chain.steps) != 2 or not nodes[0].fixed or chain.labels[1] != chain.labels[2]:
        return ""
    return f", ({nodes[0].variable}){chain.steps[0].arrow()}({nodes[2].variable})"


def _placements(chain: Chain, held: Filter, apart: bool) -> list[list[tuple[int, Filter]]]:
    """Where a filter can be placed: on one node of its label, or its values individually on as many nodes."""
    places = [place for place, label in enumerate(chain.labels) if label == held.label]
    options = [[(place, held)] for place in places]
    if held.operator == "=" and 1 < len(held.values) <= len(places):
        single = [Filter(held.label, held.property, "=", (value,), held.start) for value in held.values]
        spread = [list(zip(order, single, strict=True)) for order in permutations(places, len(single))]
        options = spread if apart else spread + options
    return options


def _place_ends(chain: Chain, nodes: list[Node]) -> None:
    for place, step in enumerate(chain.steps):
        if chain.labels[place] == chain.labels[place + 1]:
            nodes[place].ends.add("start" if step.forward else "end")
            nodes[place + 1].ends.add("end" if step.forward else "start")


def _agrees(nodes: list[Node], hints: Hints) -> bool:
    """False if a value is at another end than the wording says."""
    said = dict(hints.value_ends)
    return all(
        said[v] in node.ends for node in nodes if node.ends for v in node.values if isinstance(v, str) and v in said
    )
