"""The part of a large schema that is relevant to a question, for models with a small context. Links nothing itself."""

from __future__ import annotations

from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.hints import Hints

MOST_LABELS = 30


def nearby(schema: GraphSchema, hints: Hints | None) -> GraphSchema:
    """The schema of the labels in `hints` and their neighbours by one relationship, at most MOST_LABELS.

    The whole schema if it is smaller or nothing is linked.
    """
    if hints is None or len(schema.labels) <= MOST_LABELS:
        return schema
    kinds = {*hints.relations, *hints.related}
    named = [*hints.labels, *hints.related, *(place.label for held in hints.mentions for place in held.places)]
    named += [label for start, kind, end in schema.paths if kind in kinds for label in (start, end)]
    named += [label for label, types in schema.nodes.items() if set(hints.properties) & set(types)]
    linked = set(named)
    named += [label for start, _, end in schema.paths if {start, end} & linked for label in (start, end)]
    kept = dict.fromkeys([label for label in dict.fromkeys(named) if label in schema.nodes][:MOST_LABELS])
    if not kept:
        return schema
    paths = tuple(path for path in schema.paths if path[0] in kept and path[2] in kept)
    edges = {kind: schema.relationship_properties.get(kind, {}) for _, kind, _ in paths}
    return GraphSchema({label: schema.nodes[label] for label in kept}, paths, edges)
