"""Transient database errors: what each means in words, and how a run retries them. It repairs nothing.

A database that is locked, full, read-only or gone is transient; a statement that is wrong is not. A run waits for the
former; a caller hears Busy at once.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog

from agentd.errors import Busy

T = TypeVar("T")
RETRY_AFTER_S = 5.0
LONGEST_PAUSE_S = 2.0
USER_MESSAGE = "Penyimpanan data sedang terganggu. Silakan coba lagi sebentar lagi."
SQLITE = {
    "BUSY": "is locked by another program; end what holds it",
    "LOCKED": "is locked by another program; end what holds it",
    "FULL": "is full; free space on its disk",
    "IOERR": "can't be written or read; look at its disk (full, or over a limit?)",
    "READONLY": "is read-only; give the daemon the right to write it",
    "CANTOPEN": "can't be opened; bring its file and folder back",
}
"""By SQLite's primary result code."""
POSTGRESQL = {
    "53100": "is full; free space on its disk",
    "25006": "is read-only; connect to the primary server",
    "55P03": "is locked by another program; end what holds it",
}
GONE = "can't be reached; start it, or look at the network"

log = structlog.get_logger("agentd.runs")
_patient: ContextVar[bool] = ContextVar("patient", default=False)


def passing(error: BaseException | None) -> str | None:
    """What is wrong and what to do, after `the database …`; None for an error that does not pass by itself."""
    if isinstance(error, sa.exc.TimeoutError):
        return "has no connection free; it is slow, or too many programs use it"
    if not isinstance(error, sa.exc.DBAPIError):
        return None
    driver: Any = error.orig
    if isinstance(driver, sqlite3.Error):
        primary = str(getattr(driver, "sqlite_errorname", "")).removeprefix("SQLITE_").partition("_")[0]
        return SQLITE.get(primary)
    if hasattr(driver, "sqlstate"):  # psycopg's
        code = driver.sqlstate or ""
        if code in POSTGRESQL:
            return POSTGRESQL[code]
        lost = error.connection_invalidated or (isinstance(error, sa.exc.OperationalError) and not code)
        return GONE if lost or (code[:2] in ("08", "53", "57") and code != "57014") else None
    return None


@contextmanager
def waiting_for_the_database() -> Iterator[None]:
    """Within it, work waits for its database; outside, the caller gets Busy at once."""
    token = _patient.set(True)
    try:
        yield
    finally:
        _patient.reset(token)


async def retry_transient(act: Callable[[], Awaitable[T]]) -> T:
    """Retry transient errors inside a run; otherwise raise Busy."""
    pause = 0.05
    while True:
        try:
            return await act()
        except sa.exc.SQLAlchemyError as error:
            reason = passing(error)
            if reason is None:
                raise
            log.warning("store.unavailable", reason=reason, waits=_patient.get())
            if not _patient.get():
                message = f"the database {reason}; then try again"
                raise Busy(message, retry_after_s=RETRY_AFTER_S, user_message=USER_MESSAGE) from None
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


def wait_in_dbos(engine: sa.Engine) -> None:
    """Let DBOS wait for all that passes: what it knows is SQLite's lock, by its text, and a lost connection."""

    @sa.event.listens_for(engine, "handle_error", retval=True)
    def reworded(context: Any) -> Exception | None:
        driver = context.original_exception
        found = context.sqlalchemy_exception
        if passing(found) is None or "database is locked" in str(driver):
            return None
        if not isinstance(driver, sqlite3.Error):
            context.is_disconnect = True
            return None
        translated = sqlite3.OperationalError(f"database is locked ({driver})")
        translated.sqlite_errorname = driver.sqlite_errorname
        translated.sqlite_errorcode = driver.sqlite_errorcode
        return sa.exc.OperationalError(str(context.statement), {}, translated)
