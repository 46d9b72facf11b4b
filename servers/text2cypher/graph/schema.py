"""A graph's schema: labels, properties, relationships with their ends. Data only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

INTEGER, FLOAT, STRING, BOOLEAN = "INTEGER", "FLOAT", "STRING", "BOOLEAN"
LISTS = {kind: f"{kind}[]" for kind in (INTEGER, FLOAT, STRING, BOOLEAN)}
"""The list types by their item type."""


@dataclass(frozen=True)
class GraphSchema:
    """`nodes`: label → property → type (INTEGER, FLOAT, STRING, BOOLEAN or one of LISTS); `paths`: (from label, type,
    to label).
    """

    nodes: dict[str, dict[str, str]]
    paths: tuple[tuple[str, str, str], ...]
    relationship_properties: dict[str, dict[str, str]]

    @property
    def labels(self) -> list[str]:
        """Node labels in the schema's order."""
        return list(self.nodes)

    @property
    def relationships(self) -> list[str]:
        """Relationship types, each once, in the schema's order."""
        return list(dict.fromkeys(kind for _, kind, _ in self.paths))

    @property
    def properties(self) -> list[str]:
        """Property names of nodes and relationships, each once."""
        return list(dict.fromkeys(name for name, _ in self._typed()))

    def of_types(self, *types: str) -> set[str]:
        """Property names of nodes and relationships that have one of these types anywhere."""
        return {name for name, kind in self._typed() if kind in types}

    def _typed(self) -> Iterator[tuple[str, str]]:
        for types in (*self.nodes.values(), *self.relationship_properties.values()):
            yield from types.items()

    def ends(self, kind: str) -> list[tuple[str, str]]:
        """The (from, to) labels of one relationship type."""
        return [(start, end) for start, name, end in self.paths if name == kind]

    def as_dict(self) -> dict[str, object]:
        """The wire form: {labels: {label: {property: type}}, relationships: [{type, from, to}]}."""
        return {
            "labels": self.nodes,
            "relationships": [{"type": kind, "from": start, "to": end} for start, kind, end in self.paths],
        }
