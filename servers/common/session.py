"""One session of a database, and what each kind of database must do for it. Runs no statement itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

CONNECT_SECONDS = 5.0


@dataclass
class Session:
    """A fresh connection, for one statement."""

    connection: AsyncConnection
    driver: Any
    """The driver's own connection."""
    thread_id: int = 0
    """What KILL QUERY takes (MySQL)."""


class Sessions(Protocol):
    """A kind of database."""

    @property
    def grace_seconds(self) -> float:
        """How much longer than the database's own time limit we wait before we kill the query ourselves."""
        ...

    @property
    def reads_what_is_left(self) -> bool:
        """Whether the driver would read the rest of a result that was cut, unless its query is killed."""
        ...

    # Without a pool (NullPool): each statement has a session of its own, so no SET, lock or variable survives it, and
    # a database that was restarted is simply reached again. Connecting costs a few milliseconds.
    def engine(self, url: URL) -> AsyncEngine: ...

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Make the server itself keep the session read-only, bounded and of one statement."""
        ...

    async def kill(self, session: Session, engine: AsyncEngine) -> None:
        """End on the server whatever runs in this session."""
        ...
