"""SQLite's part of a read-only session: a process of its own, which is killed with its statement."""

from __future__ import annotations

from sqlalchemy import pool
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from servers.common.session import CONNECT_SECONDS, Session
from servers.common.sqlite_process import Processes, open_readonly


class SQLiteSessions:
    """Sessions of a SQLite file."""

    grace_seconds = 0.0  # SQLite knows no time limit of its own
    reads_what_is_left = False

    def engine(self, url: URL) -> AsyncEngine:
        """A session of a process of ours."""
        processes = Processes()
        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            async_creator=lambda: open_readonly(processes, url.database or "", CONNECT_SECONDS),
            hide_parameters=True,
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Nothing: the process opened the file read-only."""

    async def kill(self, session: Session, engine: AsyncEngine) -> None:  # noqa: ARG002 - each kind gets the same
        """End the statement's process."""
        await session.driver.interrupt()
