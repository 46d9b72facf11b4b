"""The SQL database a server may read, in read-only sessions of one statement. Not a guard of statements.

Whatever statement gets here, the session holds by itself, so that a hole in a caller's own checks opens nothing:
each statement has a session of its own (nothing carries over), read-only, with a time limit that the database keeps
and another that we keep by KILL QUERY. Cancelling the task kills the query too: drivers don't.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, TypeVar

import anyio
import orjson
from pymysql.constants import FIELD_TYPE
from pymysql.converters import conversions
from sqlalchemy import Connection, CursorResult, Executable, pool
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from servers.common.database_address import SAMPLE, allowed_tables, given_url, parse_url, sample_url
from servers.common.database_errors import (
    ConfigurationError,
    DatabaseError,
    LostError,
    StatementError,
    TimeLimitError,
    UnavailableError,
    explain,
    reason,
)
from servers.common.sqlite_process import Processes, open_readonly
from servers.common.values import date_time_text, decimal_text, json_rows

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

CONNECT_SECONDS = 5.0
KILL_SECONDS = 3.0
GRACE_SECONDS = 0.5
"""How much longer than the database's own time limit we wait before we kill the query ourselves."""
MAX_BYTES = 4 * 2**20
"""JSON of one result, at most: what one message on the wire carries without holding up the others."""
GROUP_CONCAT_BYTES = 2**20
"""MySQL would silently cut it at 1024."""
BATCH_ROWS = 1000
SESSIONS = 8

SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
"""Pinned: with ANSI_QUOTES or NO_BACKSLASH_ESCAPES the server would read quotes otherwise than our checks do."""


@dataclass(frozen=True)
class Rows:
    """A result in JSON form: `rows` have the order of `columns` (names made unique, as keys must be)."""

    columns: list[str]
    rows: list[Sequence[Any]]
    cut: str | None = None
    """Why rows are missing (a sentence), or None when they are all there."""

    def records(self) -> list[dict[str, Any]]:
        """One object a row. (Without a Python step a row: with many rows this is what takes the time.)"""
        return list(map(dict, map(zip, repeat(self.columns), self.rows)))


class Database:
    """One database, read-only. Opens nothing until it is asked, so it can be made while the database is down."""

    def __init__(self, url: str | URL, *, sessions: int = SESSIONS, notice: str | None = None) -> None:
        """Raises ConfigurationError. `sessions`: statements at a time; `notice`: what readers must know of all rows."""
        self.notice = notice
        self.tables: frozenset[str] = frozenset()  # that may be asked about, in lower case; none means all
        self.url = parse_url(url)
        self.kind: Literal["mysql", "sqlite"] = "sqlite" if self.url.drivername.startswith("sqlite") else "mysql"
        self._engine = _engine(self.url)
        self._slots = asyncio.Semaphore(sessions)
        self._grace = 0.0 if self.kind == "sqlite" else GRACE_SECONDS  # SQLite knows no time limit of its own

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Database:
        """The configured database; with none configured the sample company. Raises ConfigurationError."""
        environ = os.environ if environ is None else environ
        url = given_url(environ)
        if url is not None:
            database = cls(url)
            database.tables = frozenset(name.casefold() for name in allowed_tables(environ))
            return database
        log.warning("no DATABASE_URL is configured: answers come from a made-up sample company")
        return cls(sample_url(environ), notice=SAMPLE)

    @property
    def engine(self) -> AsyncEngine:
        """For compiling and quoting; statements run in `fetch` and `inspect`, which restrict their sessions."""
        return self._engine

    async def fetch(self, statement: str | Executable, *, max_rows: int = 1000, timeout_seconds: float = 30.0) -> Rows:
        """Run one statement (text as it is, or a SQLAlchemy construct); at most `max_rows` rows and MAX_BYTES.

        Rows are streamed: what lies beyond the limit is never read, and its query is killed.
        Raises UnavailableError, LostError, TimeLimitError, StatementError.
        """

        async def read(session: _Session) -> Rows:
            rows = await self._stream(session.connection, statement, max_rows)
            if rows.cut and self.kind == "mysql":  # whose drivers would read what is left
                await self._kill(session)
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
        rows: list[Sequence[Any]] = []
        size, batch = 0, 1
        while fetched := await connection.run_sync(_fetch, result, min(batch, max_rows + 1 - len(rows))):
            page = json_rows(fetched, real_digits=self.kind == "sqlite")
            length = len(orjson.dumps(page))
            size += length
            if size > MAX_BYTES:
                said = f"Only the first {len(rows)} rows are given: more would exceed {MAX_BYTES // 2**20} MiB. "
                return Rows(columns, rows, said + "Select fewer or narrower columns.")
            rows += page
            if len(rows) > max_rows:
                said = f"Only the first {max_rows} rows are given; there are more. Aggregate, filter, or page."
                return Rows(columns, rows[:max_rows], said)
            # Wide rows come in small pages, so that the limit in bytes also bounds what we hold.
            batch = min(BATCH_ROWS, batch * 4) if length < MAX_BYTES // 16 else max(1, batch // 4)
        return Rows(columns, rows)

    async def _run(self, work: Callable[[_Session], Coroutine[Any, Any, T]], timeout_seconds: float) -> T:
        """`work` in a fresh read-only session. A timeout or a cancel kills its query first: so it ends by itself."""
        async with self._slots:
            session = await self._connect(timeout_seconds)
            task = asyncio.create_task(work(session), name="sql-statement")
            try:
                await asyncio.wait({task}, timeout=timeout_seconds + self._grace)
                if not task.done():
                    raise TimeLimitError(timeout_seconds)
                return task.result()
            except (SQLAlchemyError, OSError) as error:
                raise explain(error, timeout_seconds) from None
            finally:
                await self._end(session, task)

    async def _end(self, session: _Session, task: asyncio.Task[Any]) -> None:
        """Kill what still runs and hang up, without reading what is left of a result. Bounded, also while cancelled."""
        with anyio.move_on_after(KILL_SECONDS, shield=True):
            if not task.done():
                await self._kill(session)
                await asyncio.wait({task})
        task.cancel()  # does nothing, unless even the kill didn't get through
        await _hang_up(session.connection)
        await asyncio.gather(task, return_exceptions=True)

    async def _connect(self, timeout_seconds: float) -> _Session:
        connection = self._engine.connect()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await connection.start()
                raw = await connection.get_raw_connection()
                session = _Session(connection, raw.driver_connection)
                if self.kind == "mysql":
                    session.thread_id = await _restrict_mysql(session, timeout_seconds)
                return session
        except BaseException as error:
            if connection.sync_connection is not None:
                await _hang_up(connection)
            if isinstance(error, TimeoutError | SQLAlchemyError | OSError | sqlite3.Error):
                raise UnavailableError(reason(error)) from None
            raise

    async def _kill(self, session: _Session) -> None:
        """End on the server whatever runs in this session."""
        if self.kind == "sqlite":
            await session.driver.interrupt()  # which ends the statement's process
            return
        try:
            async with self._engine.connect() as side:
                await side.exec_driver_sql(f"KILL QUERY {session.thread_id:d}")
        except (SQLAlchemyError, OSError) as error:
            log.warning("a query could not be killed (%s); the server's own time limit ends it", reason(error))


@dataclass
class _Session:
    connection: AsyncConnection
    driver: Any
    """The driver's own connection."""
    thread_id: int = 0
    """What KILL QUERY takes (MySQL)."""


async def _restrict_mysql(session: _Session, timeout_seconds: float) -> int:
    """Make the server itself keep the session read-only, bounded and of one statement. Returns its thread's number."""
    connection, driver = session.connection, session.driver
    # COM_SET_OPTION: several statements in one text off, which both drivers switch on and have no call to undo.
    await driver._execute_command(0x1B, b"\x01\x00")
    await (driver._read_packet if hasattr(driver, "_read_packet") else driver.read_packet)()
    limits = (
        f"tx_read_only=1, max_statement_time={max(timeout_seconds, 0.001):.3f}"
        if getattr(connection.dialect, "is_mariadb", False)
        else f"transaction_read_only=1, max_execution_time={max(timeout_seconds * 1000, 1):.0f}"
    )
    await connection.exec_driver_sql(
        f"SET SESSION {limits}, lock_wait_timeout=2, group_concat_max_len={GROUP_CONCAT_BYTES}, sql_mode='{SQL_MODE}'"
    )
    return int((await connection.exec_driver_sql("SELECT CONNECTION_ID()")).scalar_one())


async def _hang_up(connection: AsyncConnection) -> None:
    with anyio.move_on_after(KILL_SECONDS, shield=True):
        await connection.invalidate()
        await connection.close()


def _execute(connection: Connection, statement: str | Executable) -> CursorResult[Any]:
    if isinstance(statement, str):
        # no_parameters: a % in the text is a % and no parameter.
        options = {"stream_results": True, "no_parameters": True}
        return connection.exec_driver_sql(statement, execution_options=options)
    return connection.execute(statement, execution_options={"stream_results": True})


def _fetch(_: Connection, result: CursorResult[Any], size: int) -> Any:
    return result.fetchmany(size)


def unique_names(names: list[str]) -> list[str]:
    """Column names as keys of an object: a second `id` becomes `id_2`, so that no value hides another."""
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


def _engine(url: URL) -> AsyncEngine:
    # NullPool: each statement a session of its own, so no SET, lock or variable survives it, and a database that was
    # restarted is simply reached again. Connecting costs about 2 ms.
    if url.drivername.startswith("sqlite"):
        processes = Processes()
        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            async_creator=lambda: open_readonly(processes, url.database or "", CONNECT_SECONDS),
            hide_parameters=True,
        )
    return create_async_engine(
        url,
        poolclass=pool.NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "local_infile": False,
            "autocommit": True,
            "conv": _DECODERS,
        },
    )


_DECODERS = conversions | {
    FIELD_TYPE.NEWDECIMAL: decimal_text,
    FIELD_TYPE.DECIMAL: decimal_text,
    FIELD_TYPE.DATE: str,
    FIELD_TYPE.DATETIME: date_time_text,
    FIELD_TYPE.TIMESTAMP: date_time_text,
}
"""How both drivers read the server's text: straight into JSON form, which is quicker than by Decimal and date."""
