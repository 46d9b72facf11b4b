"""The parsed parts of a query: node and relationship patterns, property uses, clauses. Data only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from servers.text2cypher.cypher.tokens import Token


@dataclass(frozen=True)
class NodePattern:
    """`(variable:labels {properties})`; `keys`: (property, literal token or None). Offsets refer to the query."""

    variable: str | None
    labels: tuple[str, ...]
    keys: tuple[tuple[str, Token | None], ...]
    start: int
    end: int
    where: tuple[int, int] | None = None  # an inline WHERE: offsets of the word and of its end

    @property
    def key(self) -> str:
        """Its variable; without one, a name of its own that no variable can have."""
        return self.variable or f" {self.start}"


@dataclass(frozen=True)
class RelationshipPattern:
    """`left` and `right` are indices into Structure.nodes; the direction is `->`, `<-` or `--`."""

    variable: str | None
    types: tuple[str, ...]
    left: int
    right: int
    direction: str
    length: tuple[int, int | None] | None  # None: exactly one hop
    keys: tuple[tuple[str, Token | None], ...]
    start: int
    end: int
    bracket: tuple[int, int] | None  # offsets inside [ ], None when there is none
    match: int  # the MATCH it belongs to; -1 for a pattern inside an expression


@dataclass(frozen=True)
class PropertyUse:
    """`variable.name`, with the literal that it is compared with, if any."""

    variable: str
    name: str
    start: int
    literal: Token | None = None


@dataclass
class Structure:
    """Everything that the rules need to know about one query."""

    tokens: list[Token]
    nodes: list[NodePattern] = field(default_factory=list)
    relationships: list[RelationshipPattern] = field(default_factory=list)
    properties: list[PropertyUse] = field(default_factory=list)
    clauses: list[tuple[str, int]] = field(default_factory=list)  # keyword, offset
    match_ends: list[tuple[int, int, bool]] = field(default_factory=list)  # pattern end, WHERE offset or -1, optional
    bound: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    label_tests: list[tuple[str, str, int, int]] = field(default_factory=list)  # WHERE n:L

    @property
    def labels(self) -> set[str]:
        """The labels of its node patterns."""
        return {label for node in self.nodes for label in node.labels}

    @property
    def types(self) -> list[str]:
        """The types of its relationship patterns, one as often as it is written."""
        return [kind for held in self.relationships for kind in held.types]

    @property
    def variables(self) -> set[str]:
        """The variables of its nodes and relationships."""
        return {held.variable for one in (self.nodes, self.relationships) for held in one if held.variable}

    def ends(self, held: RelationshipPattern) -> tuple[NodePattern, NodePattern]:
        """The left and right nodes of a relationship."""
        return self.nodes[held.left], self.nodes[held.right]

    def labels_at(self, node: NodePattern) -> set[str]:
        """The labels of a node, here or elsewhere in the query."""
        return set(node.labels) or self.labels_of(node.key)

    def labels_of(self, variable: str) -> set[str]:
        """The labels of a variable, or of a node by its key, anywhere in the query."""
        written = {label for node in self.nodes if node.key == variable for label in node.labels}
        return written | {label for name, label, _, _ in self.label_tests if name == variable}


def unknown_variables(structure: Structure) -> Iterator[PropertyUse]:
    """Property uses whose variable is bound nowhere in the query."""
    unwound = {name.value for word, name in pairwise(structure.tokens) if word.is_word("AS")}
    bound = structure.bound | structure.aliases | unwound
    yield from (use for use in structure.properties if use.variable not in bound)
