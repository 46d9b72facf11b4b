"""Read-only sessions of SQLite: each runs in its own process, which is killed to stop a statement."""

from __future__ import annotations

import asyncio

import aiosqlite
from sqlalchemy import pool
from sqlalchemy.engine import URL

from servers.common.async_engine import AsyncEngine, create_async_engine
from servers.common.session import CONNECT_SECONDS, Session
from servers.common.sqlite_process import Connection, Processes


class SQLiteSessions:
    grace_seconds = 0.0  # SQLite has no time limit itself
    reads_what_is_left = False

    def engine(self, url: URL) -> AsyncEngine:
        """Create an engine whose sessions run in our processes."""
        processes, file = Processes(), url.database or ""

        async def opened() -> aiosqlite.Connection:
            # asyncio's thread, which the loop waits for when it closes: aiosqlite's own would fail after a cancel
            session = await asyncio.to_thread(Connection, processes, file, CONNECT_SECONDS)
            return await aiosqlite.Connection(lambda: session, iter_chunk_size=64)  # type: ignore[arg-type, return-value]

        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            async_creator=opened,
            hide_parameters=True,
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Do nothing: the process opened the file read-only."""

    async def kill(self, session: Session, engine: AsyncEngine) -> None:  # noqa: ARG002 - each kind gets the same
        """Kill the statement's process."""
        await session.driver.interrupt()
