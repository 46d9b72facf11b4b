"""Builds the sample company's database: a SQLite file, or tables in an empty MariaDB. Not for an office's data."""

from __future__ import annotations

import fcntl
import lzma
import os
import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import MetaData

    from servers.common.async_engine import AsyncConnection

SEED = Path(__file__).with_name("seed.sql.xz")
APPLICATION_ID = 0x61676574  # marks our own files; others are never replaced
VERSION = 1
_COLUMN = re.compile(r'^\s*[`"\[]?(?P<name>\w+)[`"\]]?\s+\w.*?--\s*(?P<comment>.+?)\s*$')
_HEAD = re.compile(r"^\s*CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TABLE\b.*?\(\s*--\s*(?P<comment>.+?)\s*$", re.IGNORECASE)
_NO_COLUMN = {"primary", "foreign", "unique", "check", "constraint", "create"}


def build(path: str | Path) -> Path:
    """Create the sample company's SQLite file at `path` if it is absent or outdated; return the path.

    The file appears complete or not at all, even if several processes build it at once. A different file is left alone:
    FileExistsError.
    """
    target = Path(path)
    if _is_current(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_name(target.name + ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_current(target):
            _build_beside(target)
    return target


def script(*, rows: bool = True) -> str:
    """Return the SQL that creates it in SQLite; without `rows`, only its empty tables."""
    text = lzma.decompress(SEED.read_bytes()).decode()
    return text if rows else text.partition("\nINSERT INTO ")[0]


async def load(connection: AsyncConnection) -> None:
    """Create and fill the tables in an empty MariaDB or MySQL database; the caller commits."""
    from sqlalchemy import MetaData, create_engine, select

    metadata = MetaData()
    with create_engine("sqlite://").connect() as seed:
        filled = seed.connection.driver_connection
        assert isinstance(filled, sqlite3.Connection)
        filled.executescript(script())
        metadata.reflect(seed)
        _comment(metadata, filled)
        await connection.run_sync(metadata.create_all)
        for table in metadata.sorted_tables:
            rows = [dict(row) for row in seed.execute(select(table)).mappings()]
            await connection.execute(table.insert(), rows)


def _comment(metadata: MetaData, filled: sqlite3.Connection) -> None:
    """Add what reflection doesn't return: comments, and that keys are not generated."""
    for name, sql in filled.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
        table = metadata.tables[name]
        table.comment, comments = sqlite_comments(sql)
        for column in table.columns:
            column.comment, column.autoincrement = comments.get(column.name), False


def _is_current(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
            application_id = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise FileExistsError(
            f"{path} is not the sample company database ({error}): move it away, or set DATABASE_URL"
        ) from error
    if application_id != APPLICATION_ID:
        raise FileExistsError(f"{path} holds another database: move it away, or set DATABASE_URL to use it")
    return bool(version >= VERSION)


def _build_beside(target: Path) -> None:
    """Build next to the target and rename it, so that readers of an older file keep theirs."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".new")
    os.close(handle)
    draft = Path(name)
    try:
        with closing(sqlite3.connect(draft)) as connection:
            connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
            connection.executescript(f"BEGIN;{script()}COMMIT;")
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def sqlite_comments(create_table: str) -> tuple[str | None, dict[str, str]]:
    """Return (the table's comment, {column: comment}), from the `sql` of sqlite_master.

    A note after the opening parenthesis is the table's, one at the end of a column's line is the column's.
    """
    table: str | None = None
    columns: dict[str, str] = {}
    for line in create_table.splitlines():
        if head := _HEAD.match(line):
            table = head["comment"]
        elif (column := _COLUMN.match(line)) and column["name"].lower() not in _NO_COLUMN:
            columns[column["name"]] = column["comment"]
    return table, columns
