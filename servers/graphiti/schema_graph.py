"""The schema as a knowledge graph: a node per table with its embedding, an edge per foreign key. Answers nothing."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import numpy as np

from servers.common.catalogue import Catalogue, Table
from servers.graphiti import glossary
from servers.graphiti.embedding import Embedder, Vector
from servers.graphiti.search import relations

PREFIX = "agentd-schema-"
FORM = 1
"""Increase it when `passage` changes, so that stored vectors are recomputed."""


def passage(table: Table) -> str:
    """Return the text to embed for a table."""
    columns = ", ".join(column.comment or " ".join(glossary.words(column.name)) for column in table.columns)
    return f"{' '.join(glossary.words(table.name))}. {table.comment or ''} {columns}"[:1000]


def group_of(schema: Catalogue) -> str:
    return f"{PREFIX}{FORM}-{schema.digest[:32]}"


async def stored_vectors(driver: Any, schema: Catalogue) -> dict[str, Vector] | None:
    """Return the stored vectors of this exact schema, or None if they are missing or incomplete."""
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity {group_id: $group_id}) RETURN n.name AS name, n.name_embedding AS vector",
        group_id=group_of(schema),
    )
    found = {record["name"]: np.asarray(record["vector"], dtype=np.float32) for record in records}
    return found if found.keys() == {table.name for table in schema.tables} else None


async def embed(schema: Catalogue, embedder: Embedder) -> dict[str, Vector]:
    vectors = await asyncio.to_thread(embedder.passages, [passage(table) for table in schema.tables])
    return {table.name: vector for table, vector in zip(schema.tables, vectors, strict=True)}


async def store(driver: Any, schema: Catalogue, vectors: dict[str, Vector]) -> None:
    """Store this schema, replacing any other."""
    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode
    from graphiti_core.utils.datetime_utils import utc_now

    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity) WHERE n.group_id STARTS WITH $prefix RETURN DISTINCT n.group_id AS group_id", prefix=PREFIX
    )
    for record in records:
        await EntityNode.delete_by_group_id(driver, record["group_id"])
    group = group_of(schema)
    for table in schema.tables:
        node = EntityNode(
            uuid=_id(group, table.name),
            name=table.name,
            group_id=group,
            labels=["Table"],
            summary=table.comment or "",
            name_embedding=vectors[table.name].tolist(),
            attributes={"columns": [column.name for column in table.columns]},
        )
        await node.save(driver)
    for relation in relations(schema.tables):
        fact = f"{relation.from_table}.{relation.from_column} = {relation.to_table}.{relation.to_column}"
        between = (vectors[relation.from_table] + vectors[relation.to_table]) / 2
        edge = EntityEdge(
            uuid=_id(group, fact),
            group_id=group,
            source_node_uuid=_id(group, relation.from_table),
            target_node_uuid=_id(group, relation.to_table),
            created_at=utc_now(),
            name="FOREIGN_KEY",
            fact=fact,
            fact_embedding=between.tolist(),
        )
        await edge.save(driver)


def _id(group: str, name: str) -> str:
    return hashlib.sha256(f"{group}/{name}".encode()).hexdigest()[:32]
