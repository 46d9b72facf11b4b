"""Several daemons that start at once on a PostgreSQL without tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from agentd.runs.run_database import RunDatabase, postgresql_engine
from tests.postgresql import postgresql


async def test_nodes_that_start_at_once_share_the_making_of_the_tables() -> None:
    """Found by docs/nodes.md: of two new nodes one ended with an IntegrityError of `CREATE TABLE`."""
    nodes = 6
    with postgresql() as url, ThreadPoolExecutor(nodes) as starts:
        for database in starts.map(lambda _: RunDatabase(postgresql_engine(url)), range(nodes)):
            assert await database.writable()
            database.close()
