"""Opens a graph database through Graphiti: an embedded Ladybug file, or Neo4j. Stores nothing itself."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from servers.graphiti.embedding import DIMENSIONS

log = logging.getLogger(__name__)

LOCKED_SECONDS = 5.0
"""How long to wait for a file that another process has open, such as a previous server that is ending."""
POOL_BYTES = 256 * 2**20
FILE_BYTES = 2**36
_PARAMETER = re.compile(r"\$(\w+)")


class GraphError(Exception):
    """The graph can't be used; the text contains no address or password."""


async def open_graph(url: str, path: Path) -> Any:
    """Return a Graphiti driver: Neo4j if `url` (neo4j://USER:PASSWORD@HOST/DATABASE) is set, else the file `path`.

    Raises GraphError. Graphiti's import takes seconds, so it runs on a thread.
    """
    await asyncio.to_thread(import_graphiti)
    return await _open_neo4j(url) if url else await _open_file(path)


@contextmanager
def graph_errors() -> Iterator[None]:
    """Convert any error of the graph database to a GraphError, without its text, which quotes data."""
    try:
        yield
    except (RuntimeError, OSError) as error:  # Ladybug raises only RuntimeError; OSError for the file
        raise GraphError(f"The graph database failed ({type(error).__name__}); try again.") from error
    except Exception as error:
        if not type(error).__module__.startswith("neo4j"):
            raise
        raise GraphError(f"The graph database failed ({type(error).__name__}); try again.") from error


async def close_graph(driver: Any) -> None:
    """Close the file or the connection."""
    if hasattr(driver, "db"):
        driver.client.close()
        driver.db.close()
    else:
        await driver.close()


def import_graphiti() -> None:
    """Import Graphiti, which takes seconds once per process."""
    # Read at import. Otherwise Graphiti sends telemetry to its makers, and loads any .env file.
    os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    os.environ["EMBEDDING_DIM"] = str(DIMENSIONS)
    import graphiti_core  # noqa: F401

    # Graphiti logs the parameters of failed queries, which are personal data.
    logging.getLogger("graphiti_core").setLevel(logging.CRITICAL)


async def _open_file(path: Path) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    for former in path.parent.glob("*.kuzu*"):  # of the previous engine: unreadable, with personal data
        former.unlink(missing_ok=True)
    deadline = asyncio.get_running_loop().time() + LOCKED_SECONDS
    while True:
        try:
            return await asyncio.to_thread(_ladybug, path)
        except RuntimeError as error:
            if "lock" not in str(error).lower():
                raise GraphError(f"The graph file {path.name} can't be opened; move it away to start again.") from error
            if asyncio.get_running_loop().time() > deadline:
                raise GraphError(
                    f"The graph file {path.name} is in use by another process; end it, or give this one its own "
                    "AGENTD_STATE."
                ) from error
        await asyncio.sleep(0.2)  # another process's lock sends no event


def _ladybug(path: Path) -> Any:
    import ladybug

    # Graphiti's driver imports Kuzu, which is no longer maintained. Ladybug is its successor, with the same interface.
    sys.modules["kuzu"] = ladybug
    from graphiti_core.driver.kuzu_driver import KuzuDriver

    # Graphiti's driver has no size options; the engine's defaults are most of the memory and 8 TiB of addresses.
    database = ladybug.Database(str(path), buffer_pool_size=POOL_BYTES, max_num_threads=2, max_db_size=FILE_BYTES)

    class Driver(KuzuDriver):
        def setup_schema(self) -> None:
            """Replace the database; the constructor calls this before it connects."""
            self.db.close()
            self.db = database
            super().setup_schema()  # type: ignore[no-untyped-call]

        async def execute_query(self, cypher_query_: str, **kwargs: Any) -> tuple[list[dict[str, Any]], None, None]:
            """Add null parameters: Ladybug needs a value for each one in the query, and Graphiti omits null ones."""
            values = dict.fromkeys(_PARAMETER.findall(cypher_query_)) | kwargs
            result: Any = await self.client.execute(cypher_query_, parameters=values)
            return list(result.rows_as_dict()), None, None

    return Driver(":memory:", max_concurrent_queries=1)


async def _open_neo4j(url: str) -> Any:
    from graphiti_core.driver.neo4j_driver import Neo4jDriver

    parts = urlsplit(url)
    if not parts.scheme.startswith(("neo4j", "bolt")) or not parts.hostname:
        raise GraphError("GRAPH_URL isn't a Neo4j address; write neo4j://USER:PASSWORD@HOST:7687/DATABASE.")
    address = f"{parts.scheme}://{parts.hostname}:{parts.port or 7687}"
    try:
        driver = Neo4jDriver(
            address, unquote(parts.username or ""), unquote(parts.password or ""), parts.path.strip("/") or "neo4j"
        )
        await driver.client.verify_connectivity()  # Graphiti's own health check prints to stdout
    except Exception as error:
        # The driver raises errors of many types, which may quote the address.
        raise GraphError(f"The graph database at GRAPH_URL can't be reached ({type(error).__name__}).") from error
    return driver
