"""SQLite's part of a read-only session: a process of its own, which is killed with its statement."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import aiosqlite
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
        processes, file = Processes(), url.database or ""

        async def opened() -> aiosqlite.Connection:
            if not await asyncio.to_thread(
                Path(file).is_file
            ):  # before a thread begins whose failure would outlive a short command's loop
                raise sqlite3.OperationalError("unable to open database file")
            return await open_readonly(processes, file, CONNECT_SECONDS)

        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            async_creator=opened,
            hide_parameters=True,
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Nothing: the process opened the file read-only."""

    async def kill(self, session: Session, engine: AsyncEngine) -> None:  # noqa: ARG002 - each kind gets the same
        """End the statement's process."""
        await session.driver.interrupt()
