"""PostgreSQL's part of a read-only session: how it is opened, held and killed. It runs nothing else."""

from __future__ import annotations

import logging

import psycopg
from sqlalchemy import pool
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from servers.common.session import CONNECT_SECONDS, Session

log = logging.getLogger(__name__)

SETTINGS = {
    "default_transaction_read_only": "on",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "660s",
    "standard_conforming_strings": "on",  # else the server would read quotes otherwise than our checks do
}
LONGEST_MS = 2**31 - 1


class PostgreSQLSessions:
    """Sessions of PostgreSQL. Names without a schema are looked for in `schemas`, in that order."""

    grace_seconds = 0.5
    reads_what_is_left = False

    def __init__(self, schemas: tuple[str, ...]) -> None:
        self._path = ", ".join('"' + name.replace('"', '""') + '"' for name in schemas)

    def engine(self, url: URL) -> AsyncEngine:
        """A connection a session; it is read-only from its first moment."""
        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            hide_parameters=True,
            connect_args={
                "connect_timeout": int(CONNECT_SECONDS),
                "options": " ".join(f"-c {name}={value}" for name, value in SETTINGS.items()),
                # Every statement is prepared first, and PostgreSQL prepares no text that holds several.
                "prepare_threshold": 0,
            },
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """The time limit, and where names are looked for. The transaction that begins with it only reads."""
        milliseconds = min(max(int(timeout_seconds * 1000), 1), LONGEST_MS)
        await session.connection.exec_driver_sql(f"SET SESSION statement_timeout = {milliseconds}")
        if self._path:
            await session.connection.exec_driver_sql(f"SET SESSION search_path = {self._path}")

    async def kill(self, session: Session, engine: AsyncEngine) -> None:  # noqa: ARG002 - each kind gets the same
        """Ask the server to cancel what runs."""
        try:
            await session.driver.cancel_safe(timeout=CONNECT_SECONDS)
        except (psycopg.Error, OSError):
            log.warning("a query could not be cancelled; the server's own time limit ends it")
