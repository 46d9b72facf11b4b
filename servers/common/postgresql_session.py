"""Read-only sessions of PostgreSQL: opening, restricting and killing. It runs no other statements."""

from __future__ import annotations

import logging

import psycopg
from psycopg.abc import Buffer
from psycopg.types.string import TextLoader
from sqlalchemy import pool
from sqlalchemy.engine import URL

from servers.common.async_engine import AsyncEngine, create_async_engine
from servers.common.session import CONNECT_SECONDS, Session
from servers.common.values import date_time_text

log = logging.getLogger(__name__)

SETTINGS = {
    "default_transaction_read_only": "on",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "660s",
    "standard_conforming_strings": "on",  # otherwise the server reads quotes differently from our checks
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "client_encoding": "UTF8",  # a database without an encoding would give bytes
}
LONGEST_MS = 2**31 - 1


class _Moment(TextLoader):
    """Decodes a timestamp directly to JSON form: Python has no infinity, no year before 1 and none after 9999."""

    def load(self, data: Buffer) -> str:
        text = date_time_text(bytes(data).decode())
        return f"{text}:00" if text[-3] in "+-" and "T" in text else text  # the time zone: +07 is +07:00


DECODERS = {"date": TextLoader, "interval": TextLoader, "timestamp": _Moment, "timestamptz": _Moment}


class PostgreSQLSessions:
    """Sessions of PostgreSQL. Names without a schema are searched in `schemas`, in order."""

    grace_seconds = 0.5
    reads_what_is_left = False

    def __init__(self, schemas: tuple[str, ...]) -> None:
        self._path = ", ".join('"' + name.replace('"', '""') + '"' for name in schemas)

    def engine(self, url: URL) -> AsyncEngine:
        """Create an engine without a pool: one connection per session, read-only from the start."""
        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            hide_parameters=True,
            connect_args={
                "connect_timeout": int(CONNECT_SECONDS),
                "options": " ".join(f"-c {name}={value}" for name, value in SETTINGS.items()),
                # Every statement is prepared first, and PostgreSQL prepares no text with several statements.
                "prepare_threshold": 0,
            },
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Set the time limit and the search path. The transaction that this starts is read-only."""
        for kind, decoder in DECODERS.items():
            session.driver.adapters.register_loader(kind, decoder)
        milliseconds = min(max(int(timeout_seconds * 1000), 1), LONGEST_MS)
        await session.connection.exec_driver_sql(f"SET SESSION statement_timeout = {milliseconds}")
        if self._path:
            await session.connection.exec_driver_sql(f"SET SESSION search_path = {self._path}")

    async def kill(self, session: Session, engine: AsyncEngine) -> None:  # noqa: ARG002 - each kind gets the same
        """Ask the server to cancel the running statement."""
        try:
            await session.driver.cancel_safe(timeout=CONNECT_SECONDS)
        except (psycopg.Error, OSError):
            log.warning("a query could not be cancelled; the server's own time limit ends it")
