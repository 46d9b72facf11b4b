"""The SQL database a server may read: its address, kept secret, and read-only sessions. Not a guard of statements.

The address comes from DATABASE_URL, else from the credential file $CREDENTIALS_DIRECTORY/database_url, else it is the
embedded ERP in $AGENTD_STATE/erp.db (default ./state), built when it isn't there.

    mysql+aiomysql://reader:secret@host:3306/erp     MariaDB or MySQL (mysql+asyncmy:// reads large results faster)
    sqlite+aiosqlite:///relative.db                   a file, four slashes for an absolute path

Whatever statement gets here, the session holds by itself, so that a hole in a caller's own checks opens nothing:
each statement has a session of its own (nothing carries over), read-only, of one statement, with a time limit that the
database keeps and another that we keep by KILL QUERY. Cancelling the task kills the query too: drivers don't.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import sqlite3
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import aiosqlite
import anyio
import orjson
from pymysql.constants import FIELD_TYPE
from pymysql.converters import conversions
from sqlalchemy import Connection, CursorResult, Executable, pool
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from servers.common.values import date_time_text, decimal_text, json_rows, json_value, sqlite_value

T = TypeVar("T")
log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
KILL_SECONDS = 3.0
GRACE_SECONDS = 0.5
"""How much longer than the database's own time limit we wait before we kill the query ourselves."""
MAX_BYTES = 4 * 2**20
"""JSON of one result, at most: what one message on the wire carries without holding up the others."""
CELL_BYTES = 2**20
"""The longest text SQLite may make, and GROUP_CONCAT elsewhere: MySQL would silently cut it at 1024."""
BATCH_ROWS = 1000
SESSIONS = 8

DRIVERS = {
    "mysql": "mysql+aiomysql",
    "mysql+aiomysql": "mysql+aiomysql",
    "mysql+asyncmy": "mysql+asyncmy",
    "mariadb": "mariadb+aiomysql",
    "mariadb+aiomysql": "mariadb+aiomysql",
    "mariadb+asyncmy": "mariadb+asyncmy",
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
}

SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
"""Pinned: with ANSI_QUOTES or NO_BACKSLASH_ESCAPES the server would read quotes otherwise than our checks do."""

STATEMENT_TIMEOUTS = {1969, 3024}
"""MariaDB's and MySQL's codes for a statement that outran the session's limit."""
LOST = {2006, 2013, 2014, 2055, 1053, 1927}
"""Codes that say the connection is gone, so that no query is left to kill."""


class DatabaseError(Exception):
    """Something about the database; the text is meant for the caller and names no address, account or password."""


class ConfigurationError(DatabaseError):
    """The address can't be used as it is written."""


class UnavailableError(DatabaseError):
    """The database can't be reached or refused the login. `reason` is the short cause."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database can't be reached: {reason}. Try again, or check DATABASE_URL and the server.")
        self.reason = reason


class LostError(DatabaseError):
    """The database hung up while the statement ran. Another one may well succeed."""

    def __init__(self) -> None:
        super().__init__("The connection to the database was lost while the statement ran. Try again.")


class TimeLimitError(DatabaseError):
    """The statement outran its time limit and was stopped on the server."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The query was stopped after {seconds:g} seconds. Narrow it (a shorter period, fewer joins, an "
            "aggregate), or raise timeout_seconds."
        )


class StatementError(DatabaseError):
    """The database refused the statement; the text is the database's own, with its code."""


@dataclass(frozen=True)
class Rows:
    """A result in JSON form: `rows` have the order of `columns` (names made unique, as keys must be)."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    cut: str | None = None
    """Why rows are missing (a sentence), or None when they are all there."""

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Database:
    """One database, read-only. Opens nothing until it is asked, so it can be made while the database is down."""

    def __init__(self, url: str | URL, *, sessions: int = SESSIONS) -> None:
        """Raises ConfigurationError. `sessions`: how many statements may run at the same time."""
        self.url = parse_url(url)
        self.kind: Literal["mysql", "sqlite"] = "sqlite" if self.url.drivername.startswith("sqlite") else "mysql"
        self._engine = _engine(self.url)
        self._slots = asyncio.Semaphore(sessions)
        self._json = sqlite_value if self.kind == "sqlite" else json_value
        self._grace = 0.0 if self.kind == "sqlite" else GRACE_SECONDS  # SQLite knows no time limit of its own

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Database:
        """The configured database, or the embedded ERP. Raises ConfigurationError."""
        return cls(configured_url(os.environ if environ is None else environ))

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
            if rows.cut:
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
        convert = self._json
        rows: list[tuple[Any, ...]] = []
        size, batch = 0, 1
        while fetched := await connection.run_sync(_fetch, result, min(batch, max_rows + 1 - len(rows))):
            page = json_rows(fetched, convert)
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
                raise _explain(error, timeout_seconds) from None
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
                raise UnavailableError(_reason(error)) from None
            raise

    async def _kill(self, session: _Session) -> None:
        """End on the server whatever runs in this session."""
        if self.kind == "sqlite":
            await session.driver.interrupt()
            return
        try:
            async with self._engine.connect() as side:
                await side.exec_driver_sql(f"KILL QUERY {session.thread_id:d}")
        except (SQLAlchemyError, OSError) as error:
            log.warning("a query could not be killed (%s); the server's own time limit ends it", _reason(error))


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
    await driver._execute_command(
        0x1B, b"\x01\x00"
    )  # COM_SET_OPTION: MULTI_STATEMENTS off; drivers have no call for it
    await (driver._read_packet if hasattr(driver, "_read_packet") else driver.read_packet)()
    limits = (
        f"tx_read_only=1, max_statement_time={timeout_seconds:.3f}"
        if getattr(connection.dialect, "is_mariadb", False)
        else f"transaction_read_only=1, max_execution_time={timeout_seconds * 1000:.0f}"
    )
    await connection.exec_driver_sql(
        f"SET SESSION {limits}, lock_wait_timeout=2, group_concat_max_len={CELL_BYTES}, sql_mode='{SQL_MODE}'"
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


# ── the address ──────────────────────────────────────────────────────────────────────────────────────────────────────


def configured_url(environ: Mapping[str, str]) -> str:
    """DATABASE_URL, else the credential file, else the embedded ERP, which is built when it isn't there."""
    if url := environ.get("DATABASE_URL", "").strip():
        return url
    if folder := environ.get("CREDENTIALS_DIRECTORY"):
        credential = Path(folder) / "database_url"
        if credential.is_file():
            return credential.read_text(encoding="utf-8").strip()
    from servers.common.erp import build  # a database of one's own needs none of it

    return f"sqlite+aiosqlite:///{build(Path(environ.get('AGENTD_STATE') or 'state') / 'erp.db').absolute()}"


def parse_url(url: str | URL) -> URL:
    """The address with its async driver. Raises ConfigurationError, whose text never repeats the address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "DATABASE_URL isn't a database address; write mysql+aiomysql://USER:PASSWORD@HOST:3306/DATABASE "
            "(special characters in the password percent-encoded) or sqlite+aiosqlite:///FILE."
        ) from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None:
        raise ConfigurationError(f"DATABASE_URL names a driver this server doesn't have; it has {', '.join(DRIVERS)}.")
    if not parsed.database:
        raise ConfigurationError("DATABASE_URL names no database; write it after the last slash.")
    return parsed.set(drivername=driver)


def _engine(url: URL) -> AsyncEngine:
    # NullPool: each statement a session of its own, so no SET, lock or variable survives it, and a database that was
    # restarted is simply reached again. Connecting costs about 2 ms.
    if url.drivername.startswith("sqlite"):
        return create_async_engine(
            url, poolclass=pool.NullPool, async_creator=lambda: _open_sqlite(url.database or ""), hide_parameters=True
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


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────

SQLITE_FACTS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}
    | {"read_uncommitted"}
)
"""The pragmas that reflection asks for; all only tell."""
SQLITE_READS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
SQLITE_UNSAFE_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "regexp"})
"""Of them, `regexp` is SQLAlchemy's own in Python: a bad pattern would hold the whole process, and no limit ends it."""
LIKE_PATTERN_BYTES = 500
"""An interrupt doesn't reach the matching of one pattern, so patterns are kept short."""


def _open_sqlite(file: str) -> aiosqlite.Connection:
    def connect() -> sqlite3.Connection:
        uri = f"file:{quote(file)}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, timeout=CONNECT_SECONDS, isolation_level=None)
        connection.execute("PRAGMA query_only=1")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_PATTERN_BYTES)
        connection.set_authorizer(_authorize)
        return connection

    return aiosqlite.Connection(connect, iter_chunk_size=64)


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite asks before it prepares a statement: reading is allowed, everything else isn't."""
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in SQLITE_UNSAFE_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = first in SQLITE_FACTS
    else:
        allowed = action in SQLITE_READS
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


# ── what went wrong, in words that give nothing away ─────────────────────────────────────────────────────────────────


def _explain(error: Exception, timeout_seconds: float) -> Exception:
    """The error to raise when a statement failed by `error`, SQLAlchemy's or the network's."""
    if not isinstance(error, DBAPIError):
        return LostError() if isinstance(error, OSError) else error
    code, text = _code_and_text(error)
    if code in STATEMENT_TIMEOUTS:
        return TimeLimitError(timeout_seconds)
    if code in LOST or (code == 0 and "connect" in text.lower()) or isinstance(error.orig, OSError):
        return LostError()
    if isinstance(error.orig, sqlite3.DatabaseError) and "auth" in text:
        text = f"{text}: this session only reads"
    text = re.sub(r"'[^']*'@'[^']*'", "this account", text)
    return StatementError(f"{text} ({code})" if code is not None else text)


def _reason(error: BaseException) -> str:
    """Why a connection failed: short, and without the address, account or password that drivers' texts hold."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        link = getattr(link, "orig", None) or link.__cause__ or link.__context__
    for link in links:
        code = next(iter(link.args), None)
        if isinstance(code, int) and code in KNOWN_REFUSALS:
            return KNOWN_REFUSALS[code]
    for link in links:
        if isinstance(link, socket.gaierror):
            return "unknown host"
        if isinstance(link, TimeoutError):
            return f"no answer within {CONNECT_SECONDS:g} seconds"
        if isinstance(link, OSError) and link.errno:
            return os.strerror(link.errno)
    if any(isinstance(link, sqlite3.Error) for link in links):
        return "the database file can't be opened (is it there, readable, and SQLite?)"
    number = _code_and_text(error)[0] if isinstance(error, DBAPIError) else None
    return f"error {number}" if number is not None else type(error).__name__


KNOWN_REFUSALS = {
    1040: "too many connections",
    1044: "access denied to the database",
    1045: "access denied (wrong user or password)",
    1049: "unknown database",
    1130: "this host is not allowed to connect",
    1203: "the account has too many connections",
    1226: "the account has too many connections",
    1698: "access denied (wrong user or password)",
    3159: "the server wants an encrypted connection",
}


def _code_and_text(error: DBAPIError) -> tuple[int | None, str]:
    match error.orig.args if error.orig else ():
        case (int(code), text, *_):
            return code, str(text)
        case (text, *_):
            return None, str(text)
    return None, type(error.orig).__name__
