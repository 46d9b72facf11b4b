"""Queries that a guard or a limit of a database must stop: Cypher that hides a call, SQL that never ends. A part of the
drill, in this process and the processes that SQL runs in; it starts no daemon.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from lab.drill.attacks import Attack
from servers.common.database import Database, DatabaseError
from servers.text2cypher.cypher.guard import NotReadOnlyError, ensure_read_only
from servers.text2cypher.cypher.tokens import CypherSyntaxError
from tests.servers.common.greedy import GREEDY, file_of
from tests.servers.text2cypher.test_read_only import HIDDEN

SQL_LIMIT_S = 0.3


def guards(folder: Path) -> list[Attack]:
    """Cypher that hides a call, SQL that never ends."""
    folder.mkdir()
    passed = sum(not _refused(query) for query in HIDDEN)
    lost, longest = asyncio.run(_greedy(file_of(folder / "greedy.db")))
    said = f"all ended; the longest took {longest:.1f} s (limit {SQL_LIMIT_S} s)"
    return [
        Attack("Cypher that hides a call or a load", len(HIDDEN), "refused", passed),
        Attack("greedy SQL on SQLite", len(GREEDY), said, lost),
    ]


def _refused(query: str) -> bool:
    try:
        ensure_read_only(query)
    except (NotReadOnlyError, CypherSyntaxError):
        return True
    return False


async def _greedy(file: Path) -> tuple[int, float]:
    database = Database(f"sqlite+aiosqlite:///{file}")
    lost, longest = 0, 0.0
    for statement in GREEDY:
        began = time.monotonic()
        try:
            await database.fetch(statement, timeout_seconds=SQL_LIMIT_S)
            lost += 1
        except DatabaseError:
            longest = max(longest, time.monotonic() - began)
    return lost, longest
