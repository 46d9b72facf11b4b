"""Engines for the daemon's databases: one SQLite file, or a shared PostgreSQL. No table of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine


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
