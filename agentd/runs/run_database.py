"""The database of sessions and runs, an SQLite file or a shared PostgreSQL: its engine, schema, transaction threads and
the lock for work that only one node may do. No statements."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from agentd.errors import Busy
from agentd.runs.tables import SCHEMA, bring_up, schema, written_schema
from agentd.runs.transactions import Transactions, passing
from agentd.state import StateError

WRITE_S = 2.0
"""Seconds within which a write must succeed for the database to count as writable."""
_SAME = schema.update().values(version=schema.c.version)
"""A write that changes nothing."""
_PRAGMAS = "journal_mode=WAL synchronous=NORMAL busy_timeout=5000 foreign_keys=ON secure_delete=ON".split()
"""What SQLite is set to in each connection."""
_ALONE = 0x61676E74
"""The number of PostgreSQL's advisory lock behind `RunStore.alone`."""

_TABLES = 0x61676E75
"""The number of the lock for making tables."""


class RunDatabase:
    """SQLite or PostgreSQL with the tables of runs."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.shared = engine.dialect.name != "sqlite"
        if self.shared:
            self.writes = self.reads = Transactions(engine, "store", threads=4)
        else:  # SQLite has one writer at a time anyway, and readers that need not wait for it
            self.writes = Transactions(engine, "store", threads=1, together=64, keeps=True)
            self.reads = Transactions(engine, "store-reads", threads=2, together=16, keeps=True)
        with usable(engine), self._one_node_at_a_time():
            self._bring_up(engine.url.render_as_string())

    def _bring_up(self, url: str) -> None:
        """Create the missing tables and columns. Raises StateError if a newer agentd has written these tables, because
        this one would not understand the rows."""
        written = written_schema(self.engine)
        if written is not None and written > SCHEMA:
            raise StateError(
                f"the database {url} was written by a newer agentd (schema {written}, this one knows {SCHEMA}); "
                "install that one, or name another state"
            )
        bring_up(self.engine)
        if written != SCHEMA:  # written last, so that an interrupted change is repeated
            with self.engine.begin() as db:
                db.execute(schema.insert(), [{"version": SCHEMA}])

    def add_tables(self, more: sa.MetaData) -> None:
        """Create an app's own tables in this database; the app uses them through `writes`."""
        with self._one_node_at_a_time():
            bring_up(self.engine, more)

    @contextmanager
    def _one_node_at_a_time(self) -> Iterator[None]:
        """Wait until no other node makes tables: PostgreSQL fails one of two that create the same."""
        if not self.shared:
            yield
            return
        with self.engine.begin() as lock:
            lock.execute(sa.select(sa.func.pg_advisory_xact_lock(_TABLES)))
            yield

    async def writable(self) -> bool:
        """Whether the database takes a write within WRITE_S (it is reachable, not full, not locked)."""
        try:
            async with asyncio.timeout(WRITE_S):
                await self.writes.do(lambda db: db.execute(_SAME))
        except (Busy, TimeoutError):
            return False
        return True

    def close(self) -> None:
        """Wait for the running transactions, then close the database."""
        self.writes.close()
        self.reads.close()
        self.engine.dispose()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Yield whether no other node is in this context at the same time; always True on SQLite."""
        if not self.shared:
            yield True
            return
        connection = await asyncio.to_thread(self.engine.connect)
        try:
            locked = sa.select(sa.func.pg_try_advisory_lock(_ALONE))
            alone = bool(await asyncio.to_thread(lambda: connection.execute(locked).scalar()))
            await asyncio.to_thread(connection.commit)  # the lock belongs to the connection and needs no transaction
            yield alone
        finally:
            await asyncio.to_thread(connection.invalidate)  # closed, not pooled: that always releases the lock
            connection.close()


@contextmanager
def usable(engine: Engine) -> Iterator[None]:
    """Raise StateError that says why the database can't be used now, as at a start."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        if (reason := passing(error)) is None:
            raise
        raise StateError(f"the database {engine.url.render_as_string()} {reason}") from None


def postgresql_engine(url: str) -> Engine:
    """An engine for a shared PostgreSQL (`postgresql://…`) with the driver that agentd ships."""
    return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), pool_size=8, pool_pre_ping=True)


def sqlite_engine(file: Path) -> Engine:
    """An engine for one SQLite file: WAL, at most 5 s wait for a lock, deleted data overwritten on disk.

    A connection raises StateError if the file is no database.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(f"sqlite:///{file}", pool_size=8)

    @sa.event.listens_for(engine, "connect")
    def pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        try:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # locked, or the disk is full
                raise
            raise StateError(f"{file} is damaged ({error}): keep a copy, then `agentd restore` a backup") from None

    return engine


def empty_journal(engine: Engine) -> str | None:
    """Checkpoint and truncate SQLite's WAL, so that no deleted data stays in it. Does nothing on PostgreSQL.

    Returns the file's name if this must wait because another program still reads the old state, else None.
    """
    if engine.dialect.name != "sqlite":
        return None
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=500")
        try:
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
        finally:
            connection.exec_driver_sql("PRAGMA busy_timeout=5000")
    return Path(str(engine.url.database)).name if busy else None
