"""What a graph may hold: labels, properties, relationships with their ends. Data only; reads nothing."""

from __future__ import annotations

from dataclasses import dataclass

INTEGER, FLOAT, STRING, BOOLEAN = "INTEGER", "FLOAT", "STRING", "BOOLEAN"
LISTS = {kind: f"{kind}[]" for kind in (INTEGER, FLOAT, STRING, BOOLEAN)}
"""The types of lists, by that of their items."""


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
        """Names of properties, of nodes and relationships, each once."""
        every = [*self.nodes.values(), *self.relationship_properties.values()]
        return list(dict.fromkeys(name for types in every for name in types))

    def ends(self, kind: str) -> list[tuple[str, str]]:
        """The (from, to) labels of one relationship type."""
        return [(start, end) for start, name, end in self.paths if name == kind]

    def as_dict(self) -> dict[str, object]:
        """For the wire: {labels: {label: {property: type}}, relationships: [{type, from, to}]}."""
        return {
            "labels": self.nodes,
            "relationships": [{"type": kind, "from": start, "to": end} for start, kind, end in self.paths],
        }
