"""Stores sessions' working data as Graphiti episodes, strictly separated by session. It doesn't interpret the data.

A data set is one episode in a database that contains nothing else. It is read by its handle and must belong to the
session that asks. No search is used, since Graphiti's searches cover all groups when given none. When a session or the
whole store is full, the oldest data sets are dropped: this is working memory, not an archive.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from uuid import uuid4

from typing_extensions import TypedDict

from servers.common import clock
from servers.common.phrases import phrases

log = logging.getLogger(__name__)

SAID = phrases("servers.graphiti")
PREFIX = "agentd-session-"
MAX_ROWS = 10_000
MAX_BYTES = 4 * 2**20
_TYPES: dict[type, str] = {type(None): "null", bool: "boolean", int: "integer", float: "decimal", str: "string"}
_HANDLE = re.compile(r"ep-raw-[0-9a-f-]{36}")


class StoreError(ValueError):
    """The data set can't be stored; the text says why."""


class DataHandle(TypedDict):
    """The reference to a data set. `group_id` is the session's id, `created_at` UTC."""

    data_handle_id: str
    storage_location: str
    group_id: str
    data_description: str | None
    source_operation_id: str | None
    row_count: int
    column_schema: list[dict[str, Any]]
    created_at: str


@dataclass(frozen=True)
class StoreLimits:
    """How much is stored: data sets and bytes of JSON, per session and in total."""

    session_sets: int = 200
    session_bytes: int = 64 * 2**20
    total_sets: int = 20_000
    total_bytes: int = 2 * 2**30


class SessionStore:
    """Data sets by session in one graph database. Call `load` first."""

    def __init__(self, driver: Any, limits: StoreLimits | None = None) -> None:
        self._driver = driver
        self._limits = limits or StoreLimits()
        self._sizes: dict[str, tuple[str, int]] = {}
        """{data set: (its group, bytes)}, oldest first, only to apply the limits; the database decides what exists."""
        self._changing = asyncio.Lock()

    async def load(self) -> None:
        """Count what a previous process left."""
        records, _, _ = await self._driver.execute_query(
            "MATCH (e:Episodic) WHERE e.group_id STARTS WITH $prefix "
            "RETURN e.uuid AS uuid, e.group_id AS group_id, size(e.content) AS size ORDER BY e.created_at",
            prefix=PREFIX,
        )
        self._sizes = {record["uuid"]: (record["group_id"], int(record["size"])) for record in records}

    async def store(
        self, session_id: str, data: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any]
    ) -> DataHandle:
        """Store a data set and return its handle. Raises StoreError."""
        from graphiti_core.nodes import EpisodeType, EpisodicNode

        if len(data) > MAX_ROWS:
            raise StoreError(SAID["too_many_rows"].format(rows=len(data), most=MAX_ROWS))
        now = clock.now(UTC)
        handle: DataHandle = {
            "data_handle_id": f"ep-raw-{uuid4()}",
            "storage_location": "Graphiti",
            "group_id": session_id,
            "data_description": metadata.get("data_description"),
            "source_operation_id": metadata.get("source_operation_id"),
            "row_count": len(data),
            "column_schema": list(metadata.get("column_schema") or column_schema(data)),
            "created_at": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        content = json.dumps({"data_handle": handle, "data": list(data)})
        if len(content) > MAX_BYTES:
            raise StoreError(SAID["too_large"].format(most=MAX_BYTES // 2**20))
        group = group_of(session_id)
        episode = EpisodicNode(
            uuid=handle["data_handle_id"],
            name=handle["data_handle_id"],
            group_id=group,
            source=EpisodeType.json,
            source_description="session data",
            content=content,
            created_at=now,
            valid_at=now,
        )
        async with self._changing:
            await self._make_room(group, len(content))
            await episode.save(self._driver)
            self._sizes[episode.uuid] = group, len(content)
        return handle

    async def retrieve(self, session_id: str, handle_id: str) -> list[Any] | None:
        """Return the rows; None, without saying which, if there is no such data set or it is another session's."""
        from graphiti_core.errors import NodeNotFoundError
        from graphiti_core.nodes import EpisodicNode

        if not _HANDLE.fullmatch(handle_id):
            return None
        try:
            episode = await EpisodicNode.get_by_uuid(self._driver, handle_id)
        except NodeNotFoundError:
            return None
        document = json.loads(episode.content)
        if episode.group_id != group_of(session_id) or document["data_handle"]["group_id"] != session_id:
            return None
        rows: list[Any] = document["data"]
        return rows

    async def delete_session(self, session_id: str) -> int:
        """Delete all data sets of a session; return how many there were."""
        from graphiti_core.nodes import EpisodicNode

        group = group_of(session_id)
        async with self._changing:
            records, _, _ = await self._driver.execute_query(
                "MATCH (e:Episodic {group_id: $group_id}) RETURN count(e) AS number", group_id=group
            )
            await EpisodicNode.delete_by_group_id(self._driver, group)
            self._sizes = {uuid: each for uuid, each in self._sizes.items() if each[0] != group}
        return int(records[0]["number"])

    async def _make_room(self, group: str, size: int) -> None:
        """Drop the oldest data sets until one of `size` bytes fits."""
        from graphiti_core.nodes import EpisodicNode

        limits = self._limits
        own = {uuid: held for uuid, (of, held) in self._sizes.items() if of == group}
        dropped = _oldest(own, limits.session_sets, limits.session_bytes - size)
        others = {uuid: held for uuid, (_, held) in self._sizes.items() if uuid not in dropped}
        dropped += _oldest(others, limits.total_sets, limits.total_bytes - size)
        if not dropped:
            return
        log.warning("%d data sets dropped to make room: the oldest go first", len(dropped))
        await EpisodicNode.delete_by_uuids(self._driver, sorted(dropped))
        for uuid in dropped:
            del self._sizes[uuid]


def _oldest(sizes: Mapping[str, int], most: int, most_bytes: int) -> list[str]:
    """Return the data sets to drop so that fewer than `most` with at most `most_bytes` remain."""
    dropped: list[str] = []
    count, total = len(sizes), sum(sizes.values())
    for uuid, size in sizes.items():
        if count < most and total <= most_bytes:
            break
        dropped.append(uuid)
        count, total = count - 1, total - size
    return dropped


def group_of(session_id: str) -> str:
    """Return the session's group in the graph, whose group ids allow few characters; each session has its own."""
    return PREFIX + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()


def column_schema(data: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return names and types of the rows' columns, for callers that don't give them."""
    types: dict[str, str] = {}
    for row in data:
        for name, value in row.items():
            if types.get(name, "null") == "null":
                types[name] = _TYPES.get(type(value), "json")
    return [{"name": name, "type": kind} for name, kind in types.items()]
