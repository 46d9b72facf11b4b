"""The live schema as text, in the study's three formats."""

from __future__ import annotations

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.language import message


def full_schema(schema: GraphSchema) -> str:
    """Labels with typed properties, relationships with theirs, and every path."""
    nodes = [f"({named(label)} {{{_typed(types)}}})" for label, types in schema.nodes.items()]
    edges = []
    for kind in schema.relationships:
        held = schema.relationship_properties.get(kind, {})
        edges.append(f"[:{kind} {{{_typed(held)}}}]" if held else f"[:{kind}]")
    return "\n".join([message("schema_properties"), *nodes, message("schema_types"), *edges, only_paths(schema)])


def nodes_paths(schema: GraphSchema) -> str:
    """Labels with property names, and every path."""
    nodes = [f"({named(label)} {{{', '.join(map(named, types))}}})" for label, types in schema.nodes.items()]
    return "\n".join([message("schema_nodes"), *nodes, only_paths(schema)])


def only_paths(schema: GraphSchema) -> str:
    """Every path."""
    paths = (f"(:{named(start)})-[:{named(kind)}]->(:{named(end)})" for start, kind, end in schema.paths)
    return "\n".join([message("schema_paths"), *paths])


def _typed(types: dict[str, str]) -> str:
    return ", ".join(f"{named(name)}: {kind}" for name, kind in types.items())
