"""The database of sessions and runs, an SQLite file or a shared PostgreSQL: its engine, its schema, who reads and
writes it, what one node does alone. No statement."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from agentd.errors import Busy
from agentd.runs.tables import SCHEMA, add_columns, schema, tables, written_schema
from agentd.runs.transactions import Transactions, passing

WRITE_S = 2.0
"""How long a database may keep a write waiting and still count as one that takes writes."""
_SAME = schema.update().values(version=schema.c.version)
"""A write that changes nothing."""
_ALONE = 0x61676E74
"""The number of PostgreSQL's advisory lock behind `RunStore.alone`."""


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
        try:
            self._bring_up()
        except sa.exc.SQLAlchemyError as error:
            if (reason := passing(error)) is None:
                raise
            raise OSError(f"the database {engine.url.render_as_string()} {reason}") from None

    def _bring_up(self) -> None:
        """Create the missing tables and columns. Raises OSError when a newer agentd has written these tables:
        this one would not understand its rows."""
        written = written_schema(self.engine)
        if written is not None and written > SCHEMA:
            url = self.engine.url.render_as_string()
            raise OSError(
                f"the database {url} was written by a newer agentd (schema {written}, this one knows {SCHEMA}); "
                "install that one, or name another state"
            )
        tables.create_all(self.engine)
        add_columns(self.engine)
        if written != SCHEMA:  # said last, so that a change that was cut off is made again
            with self.engine.begin() as db:
                db.execute(schema.insert(), [{"version": SCHEMA}])

    def add_tables(self, more: sa.MetaData) -> None:
        """Make an app's own tables in this database; `writes` reads and writes them."""
        more.create_all(self.engine)
        add_columns(self.engine, more)

    async def writable(self) -> bool:
        """Whether it takes a write now: it is there, not full, not locked for long."""
        try:
            async with asyncio.timeout(WRITE_S):
                await self.writes.do(lambda db: db.execute(_SAME))
        except (Busy, TimeoutError):
            return False
        return True

    def close(self) -> None:
        """Wait for what is under way, then close the database."""
        self.writes.close()
        self.reads.close()
        self.engine.dispose()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Whether no other node is within this at the same time; always so on SQLite, which has one."""
        if not self.shared:
            yield True
            return
        connection = await asyncio.to_thread(self.engine.connect)
        try:
            locked = sa.select(sa.func.pg_try_advisory_lock(_ALONE))
            alone = bool(await asyncio.to_thread(lambda: connection.execute(locked).scalar()))
            await asyncio.to_thread(connection.commit)  # the lock is the connection's: no transaction is kept open
            yield alone
        finally:
            await asyncio.to_thread(connection.invalidate)  # closed, not handed on: that ends the lock, whatever came
            connection.close()


def postgresql_engine(url: str) -> Engine:
    """An engine for a shared PostgreSQL, `postgresql://…` with the driver that agentd ships."""
    return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), pool_size=8, pool_pre_ping=True)


def sqlite_engine(file: Path) -> Engine:
    """An engine for one SQLite file: WAL, short waits for a writer, deleted words overwritten on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(f"sqlite:///{file}", pool_size=8)

    @sa.event.listens_for(engine, "connect")
    def pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "busy_timeout=5000",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def empty_journal(engine: Engine) -> str | None:
    """Fold SQLite's journal into its file and cut it, so that no deleted word stays there. Nothing elsewhere.

    The name of the file where that must wait: another program reads it as it was before.
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
