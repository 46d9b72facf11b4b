"""Transactions on the register's database: engines, retries after lost races, error messages. Knows no letters."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from servers.certificate.register import tables

ATTEMPTS = 25  # of a transaction that loses races; each time some other one has won
_DAMAGED = "move it aside and run `agentd letters repair`, which makes it again from journal and archive"

T = TypeVar("T")


class LedgerError(RuntimeError):
    """The ledger's database can't be used; the text says why, without any letter's data."""


class Database:
    """The database at one URL; `begin` runs once in a transaction, after the tables are created."""

    def __init__(self, url: str, begin: Callable[[sa.Connection], None]) -> None:
        """Raises LedgerError for a URL of an unsupported database."""
        self.engine = _engine(url)
        self._begin = begin
        self._ready = False

    def close(self) -> None:
        self.engine.dispose()

    def exists(self, table: sa.Table = tables.letters) -> bool:
        """Return whether the register has this table, without creating it. Raises LedgerError."""
        with _in_words():
            return tables.exists(self.engine, table)

    def transaction(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in a transaction, retrying when another process wins a race. Raises LedgerError."""
        self._make()
        return self._attempt(work)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a read-only connection. Raises LedgerError."""
        self._make()
        with _in_words(), self.engine.connect() as connection:
            yield connection.execution_options(ledger_reading=True)

    def _attempt(self, work: Callable[[sa.Connection], T]) -> T:
        for attempt in range(ATTEMPTS):
            try:
                with _in_words(races=True), self.engine.connect() as connection, connection.begin():
                    return work(connection)
            except (IntegrityError, OperationalError) as error:
                if attempt == ATTEMPTS - 1:
                    raise LedgerError(f"the ledger refused to write ({type(error.orig).__name__})") from error
        raise AssertionError("the last attempt either returned or raised")

    def _make(self) -> None:
        if self._ready:
            return
        with _in_words():
            for attempt in range(ATTEMPTS):
                try:
                    tables.make(self.engine)
                    break
                except DBAPIError:  # another process created the same between the check and the creation
                    if attempt == ATTEMPTS - 1:
                        raise
        self._attempt(self._begin)
        self._ready = True


@contextmanager
def _in_words(races: bool = False) -> Iterator[None]:
    """Convert database errors to LedgerError; with `races`, leave those that a retry may resolve."""
    try:
        yield
    except (IntegrityError, OperationalError) as error:
        if races and _is_race(error):
            raise
        raise LedgerError(f"the ledger can't be reached ({type(error.orig).__name__})") from error
    except DBAPIError as error:
        if type(error.orig) is sqlite3.DatabaseError:
            raise LedgerError(f"the register's file is damaged ({error.orig}): {_DAMAGED}") from error
        raise LedgerError(f"the ledger's database failed ({type(error.orig).__name__})") from error


def _is_race(error: DBAPIError) -> bool:
    """Return True for a unique key taken meanwhile, a deadlock, a lock timeout or a serialisation failure."""
    if isinstance(error, IntegrityError):
        return True
    code = getattr(error.orig, "sqlstate", None) or (error.orig.args[0] if error.orig and error.orig.args else None)
    return code in (1205, 1213, 1020, "40001", "40P01", "55P03") or "locked" in str(error.orig)


def _engine(url: str) -> sa.Engine:
    drivers = {
        "sqlite": "sqlite",
        "mysql": "mariadb+pymysql",
        "mariadb": "mariadb+pymysql",
        "postgresql": "postgresql+psycopg",
        "postgres": "postgresql+psycopg",
    }
    try:
        parsed = sa.make_url(url)
        parsed = parsed.set(drivername=drivers[parsed.drivername.partition("+")[0]])
    except (sa.exc.ArgumentError, KeyError) as error:
        raise LedgerError("LETTERS_DATABASE_URL is none of sqlite:///FILE, mariadb://…, postgresql://…") from error
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(parsed, isolation_level="READ COMMITTED", pool_pre_ping=True, hide_parameters=True)
    engine = sa.create_engine(parsed, hide_parameters=True, connect_args={"timeout": 30})

    @sa.event.listens_for(engine, "connect")
    def durable(connection: Any, _: object) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        reading = connection.get_execution_options().get("ledger_reading")
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine
