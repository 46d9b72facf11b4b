"""Opens a SQLite file so that no statement can write to it. Time limits are enforced by killing the process."""

from __future__ import annotations

import sqlite3
from urllib.parse import quote

from servers.common import mysql_dates

FACTS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}
    | {"read_uncommitted"}
)
"""The pragmas that reflection uses; all of them only read."""
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
UNSAFE_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "regexp"})
"""`regexp` is SQLAlchemy's own, in Python: a bad pattern would block the whole process, beyond any limit."""
CELL_BYTES = 2**20
LIKE_PATTERN_BYTES = 500
"""The time to match a pattern grows quickly with its length."""


def connect(file: str, busy_seconds: float, heap_bytes: int) -> sqlite3.Connection:
    """Open a read-only connection; SQLite allocates at most `heap_bytes` in this process. Raises sqlite3.Error."""
    uri = f"file:{quote(file)}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)
    connection.execute("PRAGMA query_only=1")
    connection.execute(f"PRAGMA hard_heap_limit={heap_bytes:d}")
    connection.execute("PRAGMA temp_store=MEMORY")  # endless sorts hit that limit instead of filling the disk
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_PATTERN_BYTES)
    mysql_dates.add_to(connection)
    connection.set_authorizer(_authorize)
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite's authorizer, called while a statement is prepared: allows only reading."""
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in UNSAFE_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = first in FACTS
    else:
        allowed = action in READS
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
