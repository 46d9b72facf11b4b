"""Making the seed ERP's database: a SQLite file, or the tables of an empty MariaDB. Not for anybody's own data."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import tempfile
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from servers.common.erp.rows import Row, rows
from servers.common.erp.schema import METADATA

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.ext.asyncio import AsyncConnection

APPLICATION_ID = 0x61676574  # marks the file as ours, so that nobody else's is ever replaced
VERSION = 1


def build(path: str | Path) -> Path:
    """The seed ERP as a SQLite file at `path`, made when absent or of an older version; answers the path.

    The file appears complete or not at all, however many processes ask at once. A file that is not the seed ERP is
    left alone: FileExistsError.
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


async def load(connection: AsyncConnection) -> None:
    """Create and fill the tables in the (empty) MariaDB or MySQL database of `connection`; the caller commits."""
    await connection.run_sync(METADATA.create_all)
    for name, table_rows in rows().items():
        await connection.execute(METADATA.tables[name].insert(), table_rows)


def sqlite_ddl(table: Table) -> str:
    """CREATE TABLE with the comments as `--` notes, which SQLite keeps."""
    lines: list[tuple[str, str | None]] = []
    for column in table.columns:
        unique = " UNIQUE" if column.unique else ""
        null = "" if column.nullable else " NOT NULL"
        lines.append((f'"{column.name}" {column.type}{null}{unique}', column.comment))
    key = ", ".join(f'"{column.name}"' for column in table.primary_key.columns)
    lines.append((f"PRIMARY KEY ({key})", None))
    for constraint in sorted(table.foreign_key_constraints, key=lambda each: list(each.column_keys)):
        element = constraint.elements[0]
        referred = element.column
        lines.append(
            (f'FOREIGN KEY ("{element.parent.name}") REFERENCES "{referred.table.name}" ("{referred.name}")', None)
        )
    body = []
    for position, (line, comment) in enumerate(lines):
        comma = "," if position < len(lines) - 1 else ""
        body.append(f"  {line}{comma}" + (f" -- {comment}" if comment else ""))
    return f'CREATE TABLE "{table.name}" ( -- {table.comment}\n' + "\n".join(body) + "\n)"


def _is_current(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
            application_id = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise FileExistsError(
            f"{path} is not the seed ERP database ({error}): move it away, or set DATABASE_URL"
        ) from error
    if application_id != APPLICATION_ID:
        raise FileExistsError(f"{path} holds another database: move it away, or set DATABASE_URL to use it")
    return bool(version >= VERSION)


def _build_beside(target: Path) -> None:
    """Build next to the target and rename: readers of an older file keep theirs."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".new")
    os.close(handle)
    draft = Path(name)
    try:
        with closing(sqlite3.connect(draft)) as connection:
            connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
            with connection:
                for table in METADATA.sorted_tables:
                    connection.execute(sqlite_ddl(table))
                for table_name, table_rows in rows().items():
                    _insert(connection, table_name, table_rows)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")
        draft.chmod(0o644)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _insert(connection: sqlite3.Connection, table: str, table_rows: list[Row]) -> None:
    names = list(table_rows[0])
    columns, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    connection.executemany(
        f'INSERT INTO "{table}" ({columns}) VALUES ({marks})',
        ([_plain(row[name]) for name in names] for row in table_rows),
    )


def _plain(value: object) -> object:
    """SQLite's own types: dates as ISO text, decimals as text that the column's affinity turns into a number."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
