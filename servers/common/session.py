"""A database session, and the interface that each kind of database implements. Runs no statements itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.engine import URL

from servers.common.async_engine import AsyncConnection, AsyncEngine

CONNECT_SECONDS = 5.0


@dataclass
class Session:
    """A new connection for one statement."""

    connection: AsyncConnection
    driver: Any
    """The driver's own connection."""
    thread_id: int = 0
    """The id for KILL QUERY (MySQL)."""


class Sessions(Protocol):
    """The sessions of one kind of database."""

    @property
    def grace_seconds(self) -> float:
        """How long after the database's own time limit we wait before killing the query ourselves."""
        ...

    @property
    def reads_what_is_left(self) -> bool:
        """Whether the driver would read the rest of a cut result unless its query is killed."""
        ...

    # No pool (NullPool): each statement has its own session, so no SET, lock or variable persists, and a restarted
    # database is simply reached again. Connecting takes a few milliseconds.
    def engine(self, url: URL) -> AsyncEngine: ...

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Make the server itself enforce read-only, time-limited sessions with one statement per text."""
        ...

    async def kill(self, session: Session, engine: AsyncEngine) -> None:
        """Stop on the server what this session is running."""
        ...
