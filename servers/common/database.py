"""Read-only access to the SQL database, with one statement per session. It doesn't check statements.

The session is restricted independently of the caller's own checks, so a hole in those opens nothing: each statement has
its own read-only session (no state carries over), with a time limit that the database enforces and a second one that we
enforce by killing the query. Cancelling the task also kills it: drivers don't.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, TypeVar

import anyio
import orjson
from sqlalchemy import Connection, CursorResult, Executable
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from servers.common.async_engine import AsyncConnection
from servers.common.credentials import listed
from servers.common.database_address import (
    SAMPLE,
    Kind,
    given_url,
    kind_of,
    parse_url,
    sample_url,
)
from servers.common.database_errors import (
    ConfigurationError,
    DatabaseError,
    LostError,
    StatementError,
    TimeLimitError,
    TooLargeError,
    UnavailableError,
    explain,
    reason,
)
from servers.common.session import CONNECT_SECONDS, Session, Sessions
from servers.common.values import json_rows

__all__ = [
    "ConfigurationError",
    "Database",
    "DatabaseError",
    "LostError",
    "Rows",
    "StatementError",
    "TimeLimitError",
    "UnavailableError",
]

T = TypeVar("T")
log = logging.getLogger(__name__)

KILL_SECONDS = 3.0
MAX_BYTES = 4 * 2**20
"""Maximum JSON size of a result: what one message on the wire carries without delaying others."""
PAGE_ROWS, PAGE_BYTES = 100, 2**20
"""Where a page of rows ends: besides a result's rows, at most a page and the rows of a round trip are in memory."""
ROUND_TRIP_ROWS = 10
"""Rows that PostgreSQL gives together if their size isn't known: a thousand one by one take 179 ms and not 24."""
SESSIONS = 8


@dataclass(frozen=True)
class Rows:
    """A result in JSON form: `rows` are in the order of `columns`, whose names are unique."""

    columns: list[str]
    rows: list[Sequence[Any]]
    cut: str | None = None
    """Why rows are missing (a sentence), or None if all are present."""

    def records(self) -> list[dict[str, Any]]:
        """Return one object per row. (No Python loop: with many rows it would take most of the time.)"""
        return list(map(dict, map(zip, repeat(self.columns), self.rows)))


class Database:
    """One read-only database. It connects only when asked, so it can be created while the database is down."""

    def __init__(
        self,
        url: str | URL,
        *,
        sessions: int = SESSIONS,
        notice: str | None = None,
        schemas: Sequence[str] = (),
        tables: Iterable[str] = (),
    ) -> None:
        """Raises ConfigurationError. `sessions`: concurrent statements; `notice`: what readers must know about all
        rows; `schemas`: the schemas to read (PostgreSQL; default `public`); `tables`: the tables that may be queried
        (default: all)."""
        self.notice = notice
        self.tables = frozenset(name.casefold() for name in tables)
        self.url = parse_url(url)
        self.kind: Kind = kind_of(self.url)
        self.schemas = (tuple(schemas) or ("public",)) if self.kind == "postgres" else ()
        self._sessions = _sessions(self.kind, self.schemas)
        self._engine = self._sessions.engine(self.url)
        self._slots = asyncio.Semaphore(sessions)

    @classmethod
    def configured(cls, environ: Mapping[str, str]) -> Database | None:
        """Return the office's database, or None if none is configured. Raises ConfigurationError."""
        url = given_url(environ)
        if url is None:
            return None
        return cls(url, schemas=listed(environ, "BOOKS_SCHEMAS"), tables=listed(environ, "BOOKS_TABLES"))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Database:
        """Return the configured database, or else the sample company. Raises ConfigurationError."""
        if (database := cls.configured(environ)) is not None:
            return database
        log.warning("no DATABASE_URL is configured: answers come from a made-up sample company")
        return cls(sample_url(environ), notice=SAMPLE)

    @cached_property
    def quote(self) -> Callable[[str], str]:
        """Return a name as a statement's text has it; the engine's own writes a % in it twice, for its parameters."""
        dialect: Any = type(self._engine.dialect)
        quote: Callable[[str], str] = dialect(paramstyle="named").identifier_preparer.quote
        return quote

    async def fetch(self, statement: str | Executable, *, max_rows: int = 1000, timeout_seconds: float = 30.0) -> Rows:
        """Run one statement (plain text, or a SQLAlchemy construct); returns at most `max_rows` rows and MAX_BYTES.

        Rows are streamed: those beyond the limit are never read, and the query is killed. Raises UnavailableError,
        LostError, LockedError, TimeLimitError, TooLargeError, StatementError.
        """

        async def read(session: Session) -> Rows:
            rows = await self._stream(session.connection, statement, max_rows)
            if rows.cut and self._sessions.reads_what_is_left:
                await self._sessions.kill(session, self._engine)
            return rows

        return await self._run(read, timeout_seconds)

    async def inspect(self, read: Callable[[Connection], T], *, timeout_seconds: float = 30.0) -> T:
        """Run `read` with a synchronous connection, for SQLAlchemy's reflection. Raises like `fetch`."""
        return await self._run(lambda session: session.connection.run_sync(read), timeout_seconds)

    async def _stream(self, connection: AsyncConnection, statement: str | Executable, max_rows: int) -> Rows:
        result = await connection.run_sync(_execute, statement)
        if not result.returns_rows:
            raise StatementError("The statement gave no result set.")
        columns = unique_names([str(column[0]) for column in result.cursor.description])
        at_once = _rows_at_once(self.kind, result.cursor.description)
        rows: list[Sequence[Any]] = []
        size = 0
        while fetched := await connection.run_sync(_page, result, min(PAGE_ROWS, max_rows + 1 - len(rows)), at_once):
            for row in json_rows(fetched, real_digits=self.kind == "sqlite"):
                size += len(orjson.dumps(row))
                if size > MAX_BYTES:
                    if not rows:
                        raise TooLargeError
                    said = f"Only the first {len(rows)} rows are given: more would exceed {MAX_BYTES // 2**20} MiB. "
                    return Rows(columns, rows, said + "Select fewer or narrower columns.")
                rows.append(row)
            if len(rows) > max_rows:
                said = f"Only the first {max_rows} rows are given; there are more. Aggregate, filter, or page."
                return Rows(columns, rows[:max_rows], said)
        return Rows(columns, rows)

    async def _run(self, work: Callable[[Session], Coroutine[Any, Any, T]], timeout_seconds: float) -> T:
        """Run `work` in a new read-only session. On timeout or cancel its query is killed first, so that it ends."""
        async with self._slots:
            session = await self._connect(timeout_seconds)
            task = asyncio.create_task(work(session), name="sql-statement")
            try:
                await asyncio.wait({task}, timeout=timeout_seconds + self._sessions.grace_seconds)
                if not task.done():
                    raise TimeLimitError(timeout_seconds)
                return task.result()
            except (SQLAlchemyError, OSError) as error:
                raise explain(error, timeout_seconds) from None
            finally:
                await self._end(session, task)

    async def _end(self, session: Session, task: asyncio.Task[Any]) -> None:
        """Kill what still runs and close the connection, leaving rows unread. Bounded in time, even when cancelled."""
        with anyio.move_on_after(KILL_SECONDS, shield=True):
            if not task.done():
                await self._sessions.kill(session, self._engine)
                await asyncio.wait({task})
        task.cancel()  # has an effect only if the kill failed
        await _hang_up(session.connection)
        await asyncio.gather(task, return_exceptions=True)

    async def _connect(self, timeout_seconds: float) -> Session:
        connection = self._engine.connect()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await connection.start()
                raw = await connection.get_raw_connection()
                session = Session(connection, raw.driver_connection)
                await self._sessions.restrict(session, timeout_seconds)
                return session
        except BaseException as error:
            if connection.sync_connection is not None:
                await _hang_up(connection)
            if isinstance(error, TimeoutError | SQLAlchemyError | OSError | sqlite3.Error):
                raise UnavailableError(reason(error)) from None
            raise


def _sessions(kind: Kind, schemas: tuple[str, ...]) -> Sessions:
    """Return the sessions of this kind of database; each driver is imported only when used."""
    if kind == "postgres":
        from servers.common.postgresql_session import PostgreSQLSessions

        return PostgreSQLSessions(schemas)
    if kind == "sqlite":
        from servers.common.sqlite_session import SQLiteSessions

        return SQLiteSessions()
    from servers.common.mysql_session import MySQLSessions

    return MySQLSessions()


async def _hang_up(connection: AsyncConnection) -> None:
    with anyio.move_on_after(KILL_SECONDS, shield=True):
        await connection.invalidate()
        await connection.close()


def _execute(connection: Connection, statement: str | Executable) -> CursorResult[Any]:
    if isinstance(statement, str):
        # no_parameters: a % in the text is literal. PostgreSQL declares a cursor to stream results, which EXPLAIN
        # doesn't allow.
        plain = connection.dialect.name == "postgresql" and statement.startswith("EXPLAIN ")
        options = {"stream_results": not plain, "no_parameters": True}
        return connection.exec_driver_sql(statement, execution_options=options)
    return connection.execute(statement, execution_options={"stream_results": True})


def _rows_at_once(kind: Kind, description: Sequence[Any]) -> int:
    """How many rows a driver may be asked for together, as it reads them all before their size is known.

    SQLite's process ends a page of wide rows itself. MySQL's drivers need no round trip for a row, PostgreSQL's does:
    a page comes together if all columns have a fixed size (`internal_size` of DB-API's description).
    """
    if kind == "postgres":
        return PAGE_ROWS if all(size for _, _, _, size, *_ in description) else ROUND_TRIP_ROWS
    return PAGE_ROWS if kind == "sqlite" else 1


def _page(_: Connection, result: CursorResult[Any], size: int, at_once: int) -> list[Any]:
    """The next rows, of which the driver is asked for `at_once`: at most `size`, fewer if they are wide, none at the
    end."""
    rows: list[Any] = []
    length = 0
    while len(rows) < size and length < PAGE_BYTES and (more := result.fetchmany(min(at_once, size - len(rows)))):
        rows += more
        values = (value for row in more for value in row)
        # a list or object (PostgreSQL's JSON) has no length in bytes yet, so that it ends a page
        length += sum(len(v) if isinstance(v, str | bytes) else PAGE_BYTES * isinstance(v, list | dict) for v in values)
    return rows


def unique_names(names: list[str]) -> list[str]:
    """Make column names unique as keys: a second `id` becomes `id_2`, so that no value hides another."""
    seen: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in names):
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate)
        unique.append(candidate)
    return unique
