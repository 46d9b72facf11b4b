"""The server `graphiti_server`: its five tools, with graphs opened in the background. Decides nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, NotRequired

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from servers.common.credentials import credential
from servers.common.phrases import phrases
from servers.common.server import Server
from servers.graphiti.answers import SchemaAnswer, SchemaInfo, schema_answer, schema_info
from servers.graphiti.embedding import Embedder
from servers.graphiti.graph import GraphError, close_graph, graph_errors, open_graph
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import SchemaError, source_of
from servers.graphiti.session_store import DataHandle, SessionStore, StoreError

SAID = phrases("servers.graphiti")
INSTRUCTIONS = (
    "Knows the ERP database's schema and keeps a session's working data. Before planning a query, ask "
    "get_relevant_schema (for operation plans) or get_relevant_schema_info (for SQL) with the entities of the "
    "question, Indonesian or English. Put query results away with store_session_data and take them back with "
    "retrieve_session_data by their data_handle_id; a session sees its own data only."
)

Intent = Annotated[str, Field(description="The question's intent, for example 'sales_analysis'.")]
Entities = Annotated[
    list[str], Field(description="What the question is about, for example ['sales', 'Januari 2023', 'total_amount'].")
]
SessionId = Annotated[str, Field(min_length=1, max_length=500, description="The session the data belong to.")]
HandleId = Annotated[str, Field(max_length=100, description="As store_session_data gave it.")]
FOR_THE_HOST = {"agentd/for": "host"}
"""Tools for workflows and the end of a session; models don't choose them."""
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


class Metadata(BaseModel):
    """What the data are; all of it comes back in the handle."""

    model_config = ConfigDict(frozen=True)

    data_description: str | None = Field(default=None, max_length=2000)
    source_operation_id: str | None = Field(default=None, max_length=200)
    column_schema: list[dict[str, Any]] | None = Field(default=None, max_length=1000)


class Stored(TypedDict):
    """As `store_session_data` answers; `error` when `success` is false."""

    success: bool
    data_handle: NotRequired[DataHandle]
    error: NotRequired[str]


class Retrieved(TypedDict):
    """As `retrieve_session_data` answers; `error` when `success` is false."""

    success: bool
    retrieved_data: NotRequired[list[Any]]
    error: NotRequired[str]


class Deleted(TypedDict):
    success: bool
    deleted: NotRequired[int]
    error: NotRequired[str]


class Graphs:
    """The graphs, each opened once, at first use."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._url = (environ.get("GRAPH_URL") or credential("graph_url", environ) or "").strip()
        self._folder = Path(environ.get("AGENTD_STATE") or "state") / "graph"
        self._opened: dict[str, Any] = {}
        self._store: SessionStore | None = None
        self._opening = asyncio.Lock()

    async def schema(self) -> Any:
        """Return the schema's graph. Raises GraphError."""
        async with self._opening:
            return await self._open("schema.lbug")

    async def sessions(self) -> SessionStore:
        """Return the session store. Raises GraphError."""
        async with self._opening:
            if self._store is None:
                store = SessionStore(await self._open("sessions.lbug"))
                await store.load()
                self._store = store
            return self._store

    async def close(self) -> None:
        async with self._opening:
            for driver in self._opened.values():
                await close_graph(driver)
            self._opened.clear()
            self._store = None

    async def _open(self, file: str) -> Any:
        # In Neo4j one database contains both, distinguished by group.
        key = "neo4j" if self._url else file
        if key not in self._opened:
            self._opened[key] = await open_graph(self._url, self._folder / file)
        return self._opened[key]


def create_server(environ: Mapping[str, str] = os.environ) -> MCPServer:
    """Create the server. Loading starts with the first client, whose calls wait for it."""
    graphs = Graphs(environ)
    search = SchemaSearch(source_of(environ), Embedder(), graphs.schema)

    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warm(graphs, search), name="graphiti-warm")
        try:
            yield
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            await graphs.close()

    server: MCPServer = Server("graphiti_server", version="1.0.0", instructions=INSTRUCTIONS, lifespan=lifespan)
    _add_schema_tools(server, search)
    _add_session_tools(server, graphs)
    return server


async def _warm(graphs: Graphs, search: SchemaSearch) -> None:
    """Load in advance. An error here occurs again, and is reported, in the call that needs it."""
    for load in (search.load, graphs.sessions):
        try:
            with graph_errors():
                await load()
        except (SchemaError, GraphError):
            continue


def _add_schema_tools(server: MCPServer, search: SchemaSearch) -> None:
    @server.tool(title=SAID["search_sql"], annotations=READS)
    async def get_relevant_schema_info(intent: Intent, entities: Entities) -> SchemaInfo:
        """The tables, columns and joins that a question needs, for writing SQL; empty lists when none fits."""
        try:
            return schema_info(await search.find(intent, entities))
        except SchemaError as error:
            raise ToolError(str(error)) from error

    @server.tool(title=SAID["search_operations"], annotations=READS)
    async def get_relevant_schema(intent: Intent, entities: Entities) -> SchemaAnswer:
        """The tables, columns and joins that a question needs, for planning database operations."""
        try:
            found = await search.find(intent, entities)
        except SchemaError as error:
            return {"success": False, "error": str(error)}
        return schema_answer(found, [entity for entity in entities if entity.strip()] or [intent])


def _add_session_tools(server: MCPServer, graphs: Graphs) -> None:
    @server.tool(
        title=SAID["store"],
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
        meta=FOR_THE_HOST,
    )
    async def store_session_data(
        session_id: SessionId, data_to_store: list[dict[str, Any]], metadata: Metadata | None = None
    ) -> Stored:
        """Store a set of rows for this session; answers the handle that fetches it."""
        try:
            with graph_errors():
                store = await graphs.sessions()
                handle = await store.store(session_id, data_to_store, (metadata or Metadata()).model_dump())
        except (GraphError, StoreError) as error:
            return {"success": False, "error": str(error)}
        return {"success": True, "data_handle": handle}

    @server.tool(title=SAID["retrieve"], annotations=READS)
    async def retrieve_session_data(session_id: SessionId, data_handle_id: HandleId) -> Retrieved:
        """The rows behind a handle of this session."""
        try:
            with graph_errors():
                rows = await (await graphs.sessions()).retrieve(session_id, data_handle_id)
        except GraphError as error:
            return {"success": False, "error": str(error)}
        if rows is None:
            return {"success": False, "error": SAID["no_data"].format(handle=data_handle_id)}
        return {"success": True, "retrieved_data": rows}

    @server.tool(
        title=SAID["delete"],
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        ),
        meta=FOR_THE_HOST,
    )
    async def delete_session_data(session_id: SessionId) -> Deleted:
        """Forget everything stored for this session."""
        try:
            with graph_errors():
                deleted = await (await graphs.sessions()).delete_session(session_id)
        except GraphError as error:
            return {"success": False, "error": str(error)}
        return {"success": True, "deleted": deleted}
