"""Read-only sessions of SQLite: each runs in its own process, which is killed to stop a statement."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import aiosqlite
from sqlalchemy import pool
from sqlalchemy.engine import URL

from servers.common.async_engine import AsyncEngine, create_async_engine
from servers.common.session import CONNECT_SECONDS, Session
from servers.common.sqlite_process import Processes, open_readonly


class SQLiteSessions:
    grace_seconds = 0.0  # SQLite has no time limit itself
    reads_what_is_left = False

    def engine(self, url: URL) -> AsyncEngine:
        """Create an engine whose sessions run in our processes."""
        processes, file = Processes(), url.database or ""

        async def opened() -> aiosqlite.Connection:
            if not await asyncio.to_thread(
                Path(file).is_file
            ):  # checked before starting a thread, whose failure would outlive a short command's loop
                raise sqlite3.OperationalError("unable to open database file")
            return await open_readonly(processes, file, CONNECT_SECONDS)

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
