"""Readings over a graph for which a person wrote words: chains that join what is named, and what may be returned.

What the words decide is fixed; the rest (the direction of a prerequisite, which node is meant, whether to count
distinct) stays open, most likely first. Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from servers.text2cypher.grammar.patterns import Patterns
from servers.text2cypher.grammar.shapes import Shape
from servers.text2cypher.grammar.shown import Shown
from servers.text2cypher.linking.asks import Ask
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


class Reader:
    """Makes readings for one graph's linker; `variables` as returned by grammar.variables."""

    def __init__(self, linker: Linker, variables: dict[str, str]) -> None:
        self.linker = linker
        self._patterns = Patterns(linker, variables)

    def readings(self, hints: Hints) -> list[Reading]:
        """At most MOST_PATTERNS patterns; empty if the hints name nothing in the graph, and for ranks."""
        found: dict[str, Reading] = {}
        if hints.asks & {Ask.MOST, Ask.FEWEST} and Ask.ORDER not in hints.asks:
            return []
        for match, nodes in self._patterns.of(hints):
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
