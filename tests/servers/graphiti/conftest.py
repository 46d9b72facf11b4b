"""The server as a client sees it, and the shipped schema with its embeddings, created once for all tests here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from servers.graphiti.embedding import Embedder
from servers.graphiti.graph import GraphError
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import SHIPPED, FileSource
from tests.servers.process import served


class Connection:
    """A client that returns the structured content of a successful call."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content


@asynccontextmanager
async def connect(state: Path, **env: str) -> AsyncIterator[Connection]:
    async with served("graphiti", **{"AGENTD_STATE": str(state)} | env) as client:
        yield Connection(client)


@pytest.fixture(scope="package")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests, so that the tables' vectors are computed once."""
    return tmp_path_factory.mktemp("state")


async def no_graph() -> Any:
    raise GraphError("there is none in this test")


@pytest.fixture(scope="package")
def search() -> SchemaSearch:
    return SchemaSearch(FileSource(SHIPPED), Embedder(), no_graph)
