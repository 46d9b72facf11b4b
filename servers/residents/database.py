"""A register's database: short read-only sessions with time limits, errors in plain words. Knows no tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from servers.common.database_errors import explain, reason
from servers.common.extras import require
from servers.common.http import is_loopback
from servers.residents.resident import RegisterError

READ_SECONDS = 5
WRITE_SECONDS = 600
CONNECT_SECONDS = 5
DRIVERS = {
    "sqlite": "sqlite",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
NAMES_ONLY = {1054, 1142, 1143, 1146}
"""MariaDB's errors whose texts contain table and column names but no values: shown to the office unchanged."""


class Database:
    """Connects only when asked. `writing`: for the import and the log; otherwise every session is read-only.

    `seconds`: how long a statement may take; also the limit for a database that doesn't answer.
    """

    def __init__(self, url: str, *, writing: bool = False, seconds: float = READ_SECONDS) -> None:
        """Raises RegisterError, whose text never repeats the address."""
        self._seconds = seconds
        self.engine = _engine(_parsed(url), writing, self._seconds)

    @contextmanager
    def connection(self) -> Iterator[sa.Connection]:
        """Open a connection with one transaction. Raises RegisterError for database errors."""
        with self.errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise RegisterError(self._in_words(error)) from None

    def _in_words(self, error: SQLAlchemyError) -> str:
        """What went wrong and what to do, without a value of any resident."""
        code = next(iter(error.orig.args), None) if isinstance(error, DBAPIError) and error.orig else None
        if isinstance(error, DBAPIError) and code in NAMES_ONLY:
            return f"the register's database refuses a statement: {explain(error, self._seconds)}"
        if isinstance(error, IntegrityError):
            return "a NIK or a card stands in the register already, for somebody else; nothing was written"
        if code in (1969, 3024) or getattr(getattr(error, "orig", None), "sqlstate", None) == "57014":
            return f"the register's database took longer than {self._seconds:g} seconds; look at its load and indexes"
        if isinstance(getattr(error, "orig", None), sqlite3.DatabaseError) and "locked" in str(error.orig):  # type: ignore[attr-defined]
            return "the register's database is locked by another program; try again when it is done"
        return f"the register's database can't be read: {reason(error)}; check RESIDENTS_URL and the database's server"

    def close(self) -> None:
        self.engine.dispose()


def missing(connection: sa.Connection, tables: Collection[sa.TableClause]) -> str:
    """Name the tables and columns that the database lacks, or that the account may not see; empty if there are none."""
    inspector = sa.inspect(connection)
    there = {*inspector.get_table_names(), *inspector.get_view_names()}
    lacking = [f"table {table.name}" for table in tables if table.name not in there]
    for table in (table for table in tables if table.name in there):
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        lacking += [f"column {table.name}.{column.name}" for column in table.c if column.name not in columns]
    return ", ".join(lacking)


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        driver = DRIVERS[parsed.get_backend_name() if "+" in parsed.drivername else parsed.drivername]
    except (ArgumentError, ValueError, KeyError):
        raise RegisterError(
            "RESIDENTS_URL is none of mysql+aiomysql://USER:PASSWORD@HOST:3306/DATABASE, postgresql://… and "
            "sqlite:///FILE (special characters in the password percent-encoded)"
        ) from None
    if not parsed.database:
        raise RegisterError("RESIDENTS_URL names no database; write it after the last slash")
    return parsed.set(drivername=driver)


def _engine(url: sa.URL, writing: bool, seconds: float) -> sa.Engine:
    match url.get_backend_name():
        case "sqlite":
            return _sqlite(url, writing)
        case "postgresql":
            settings = f"-c statement_timeout={int(seconds * 1000)}" + (
                "" if writing else " -c default_transaction_read_only=on"
            )
            arguments: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "options": settings}
        case _:
            require("residents", "pymysql")
            arguments = {
                "connect_timeout": CONNECT_SECONDS,
                "read_timeout": seconds + 1,
                "write_timeout": seconds + 1,
                "local_infile": False,
                "charset": "utf8mb4",
                # to prefer TLS, the driver reads all of the machine's certificates for each connection: 16 ms
                **({"ssl_disabled": True} if is_loopback(url.host or "") and not url.query else {}),
            }
    # No pool: a hung database is then detected only once, not for each kept connection as well.
    engine = sa.create_engine(url, connect_args=arguments, poolclass=sa.NullPool, hide_parameters=True)
    if url.get_backend_name() != "postgresql" and not writing:

        @sa.event.listens_for(engine, "connect")
        def read_only(connection: Any, _: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION TRANSACTION READ ONLY")
                cursor.execute("SELECT VERSION()")
                maria = "mariadb" in str(cursor.fetchone()[0]).lower()
                limit = f"max_statement_time={seconds}" if maria else f"max_execution_time={int(seconds * 1000)}"
                cursor.execute(f"SET SESSION {limit}")

    return engine


def _sqlite(url: sa.URL, writing: bool) -> sa.Engine:
    if writing and url.database:
        # a register may be made before the state folder is
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": CONNECT_SECONDS}, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def restrict(connection: Any, _: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON" if writing else "PRAGMA query_only=ON")
        connection.execute("PRAGMA cache_spill=OFF")  # an import that spills locks readers out until it ends

    return engine
