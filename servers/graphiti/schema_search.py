"""Runs the schema search: loads a schema with its embeddings, reloads it when it changes, searches.

The embeddings are stored in a knowledge graph: a node per table, an edge per foreign key.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from servers.common.catalogue import Catalogue, Table
from servers.graphiti import glossary
from servers.graphiti.embedding import Embedder, Vector
from servers.graphiti.graph import GraphError, graph_errors
from servers.graphiti.schema_source import SchemaError, Source, Stamp
from servers.graphiti.search import Found, Index, ask, relations

log = logging.getLogger(__name__)
MAX_ENTITIES = 50
MAX_TEXT = 300
PREFIX = "agentd-schema-"
FORM = 1
"""Increase it when `passage` changes, so that stored vectors are recomputed."""
CERTAIN = 0.055
"""By how much a name must be nearer to a word than to words that name nothing: some names are near to every word."""
APART = 0.02
"""By how much it must be nearer than any other name."""
SAME = 4
"""Names with so many first letters in common are one: `actor` and `actors`."""
LETTERS = 4
"""Shorter words are near to too much."""
MAX_WORDS = 8
MAX_NAMES = 400
"""With more names, only those of tables are compared; with more of these, none."""
NAMELESS = sorted(word for word in glossary.NEUTRAL if len(word) >= LETTERS)[::8]


@dataclass(frozen=True)
class _Loaded:
    stamp: Stamp
    """Shows a change of the source."""
    digest: str
    index: Index
    names: list[str]
    matrix: NDArray[np.float32]
    other_words: OtherWords | None
    """For an office's own schema, which may be in another language than its questions."""


class SchemaSearch:
    """Searches a schema; `find` loads it at first use, and again when its content has changed.

    `open_graph` returns the graph that stores the tables' vectors between starts; without it they are computed.
    """

    def __init__(self, source: Source, embedder: Embedder, open_graph: Callable[[], Awaitable[Any]]) -> None:
        self._source = source
        self._embedder = embedder
        self._open_graph = open_graph
        self._loaded: _Loaded | None = None
        self._loading = asyncio.Lock()

    async def find(self, intent: str, entities: Sequence[str]) -> Found | None:
        """Return the tables for a question, or None. Raises SchemaError if there is no schema to search."""
        loaded = await self.load()
        intent, asked = intent[:MAX_TEXT], [entity[:MAX_TEXT] for entity in entities[:MAX_ENTITIES]]
        vector = await asyncio.to_thread(self._embedder.query, "; ".join(asked) or intent)
        nearest = [loaded.names[place] for place in np.argsort(-(loaded.matrix @ vector))]
        meant = await self._meant(loaded, intent, asked)
        found = loaded.index.search(intent, [*asked, f"{'; '.join(meant)};"] if meant else asked, nearest)
        return found and replace(found, said=meant)

    async def _meant(self, loaded: _Loaded, intent: str, asked: list[str]) -> Mapping[str, list[str]]:
        if loaded.other_words is None:
            return {}
        question = ask(intent, asked)
        unknown = [word for word, weight in question.words.items() if weight == 1 and word not in loaded.index.rarity]
        return await asyncio.to_thread(loaded.other_words.meant, unknown)

    async def load(self) -> _Loaded:
        """Return the current schema; if the source becomes unreadable, the previous one stays in use."""
        async with self._loading:
            try:
                stamp = self._source.stamp()
                if self._loaded is None or stamp != self._loaded.stamp:
                    self._loaded = await self._read(stamp)
            except SchemaError as error:
                if self._loaded is None:
                    raise
                log.warning("the schema stays as it was: %s", error)
            return self._loaded

    async def _read(self, stamp: Stamp) -> _Loaded:
        schema = await self._source.read()
        if self._loaded is not None and schema.digest == self._loaded.digest:
            return replace(self._loaded, stamp=stamp)
        vectors = await self._vectors(schema)
        names = [table.name for table in schema.tables]
        others = await asyncio.to_thread(OtherWords, schema, self._embedder) if schema.profiled else None
        matrix = np.stack([vectors[name] for name in names])
        return _Loaded(stamp, schema.digest, Index(schema), names, matrix, others)

    async def _vectors(self, schema: Catalogue) -> dict[str, Vector]:
        try:
            with graph_errors():
                graph = await self._open_graph()
                vectors = await stored_vectors(graph, schema)
                if vectors is None:
                    vectors = await embed(schema, self._embedder)
                    await store(graph, schema, vectors)
                return vectors
        except GraphError as error:
            log.warning("the schema is searched without its graph: %s", error)
            return await embed(schema, self._embedder)


class OtherWords:
    """A schema's names, to compare other languages' words with by embeddings: `pasien` is Patient.

    Computes for seconds when made, for milliseconds a word: on a thread.
    """

    def __init__(self, schema: Catalogue, embedder: Embedder) -> None:
        tables = {glossary.as_words(table.name) for table in schema.tables}
        columns = {glossary.as_words(column.name) for table in schema.tables for column in table.columns}
        every = tables | columns if len(tables | columns) <= MAX_NAMES else tables
        single = sorted(name for name in every if name and " " not in name)  # `sales by store` is near to any purchase
        self._embedder = embedder
        self._names = single if len(single) <= MAX_NAMES else []
        if self._names:
            self._matrix: NDArray[np.float32] = np.stack(embedder.passages(self._names))
            self._usual = (self._matrix @ np.stack([embedder.query(word) for word in NAMELESS]).T).mean(axis=1)

    def meant(self, words: Iterable[str]) -> Mapping[str, list[str]]:
        """`{name, as words: the question's words for it}`."""
        found: dict[str, list[str]] = {}
        for word in [each for each in words if len(each) >= LETTERS][:MAX_WORDS] if self._names else ():
            if name := self._nearest(self._embedder.query(word)):
                found.setdefault(name, []).append(word)
        return found

    def _nearest(self, word: Vector) -> str:
        nearer = self._matrix @ word - self._usual
        first, *others = np.argsort(-nearer)
        name = self._names[first]
        second = next((nearer[place] for place in others if self._names[place][:SAME] != name[:SAME]), -1.0)
        return name if nearer[first] >= max(CERTAIN, second + APART) else ""


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
