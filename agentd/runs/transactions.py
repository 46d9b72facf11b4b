"""Runs short transactions on separate threads, so that a locked database never blocks the event loop; explains
transient errors and retries them for runs. It knows no tables.

Simultaneous writes share one commit, because a commit costs more than the few rows in it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import get_ident
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection, Engine

from agentd.errors import Busy, in_each_language
from hardening.logs import Due

T = TypeVar("T")
Work = Callable[[Connection], Any]
Answer = tuple[Any, BaseException | None]
RACES = 5
"""How often a transaction that lost a race for an id is retried."""


class Transactions:
    """Runs pieces of work on `threads` threads, up to `together` of them in one commit.

    Work may run again after a rollback, so it must change only the database. With `keeps` each thread keeps its
    connection, because taking one from the pool costs more than a step's insert.
    """

    def __init__(self, engine: Engine, name: str, *, threads: int, together: int = 1, keeps: bool = False) -> None:
        self._engine = engine
        self._together = together
        self._keeps = keeps
        self._kept: dict[int, Connection] = {}
        """Connections by thread id."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._waiting: deque[tuple[Work, asyncio.Future[Any]]] = deque()
        self._called = False
        """Whether a thread was called that has not looked at the waiting work yet."""
        self._due = Due()

    def close(self) -> None:
        """Wait for the running work, then close the kept connections."""
        self._threads.shutdown(wait=True)
        for kept in self._kept.values():
            kept.close()

    async def do(self, work: Callable[[Connection], T]) -> T:
        """Return the work's result once committed. A `patient` task waits out transient errors, others get Busy."""
        pause = 0.05
        while True:
            try:
                return await self._done(work)
            except sa.exc.SQLAlchemyError as error:
                if (reason := passing(error)) is None:
                    raise
                if self._due.now(reason):
                    log.warning("store.unavailable", reason=reason, waits=patient.get())
                if not patient.get():
                    message, said = f"the database {reason}; then try again", in_each_language("database")
                    raise Busy(message, retry_after_s=RETRY_AFTER_S, user_message=said) from None
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _done(self, work: Callable[[Connection], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.append((work, future))
        self._call(loop)
        return future

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call a thread for the waiting work unless one is called already: a call costs as much as a statement."""
        if self._called:
            return
        self._called = True
        try:
            self._threads.submit(self._commit_waiting, loop)
        except RuntimeError:  # closed
            self._called = False
            raise

    def _commit_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        self._called = False  # must come first: this thread may miss work that is added later
        while batch := self._taken():
            if self._waiting:
                with suppress(RuntimeError):  # the loop is closed: this thread commits all remaining work
                    self._call(loop)
            answers = self._together_or_alone([work for work, _ in batch])
            if not loop.is_closed():
                loop.call_soon_threadsafe(_answer, [future for _, future in batch], answers)

    def _taken(self) -> list[tuple[Work, asyncio.Future[Any]]]:
        batch: list[tuple[Work, asyncio.Future[Any]]] = []
        with suppress(IndexError):  # fewer wait, or none: other threads took them
            while len(batch) < self._together:
                batch.append(self._waiting.popleft())
        return batch

    def _together_or_alone(self, batch: list[Work]) -> list[Answer]:
        """Run all in one transaction; if one fails, run each alone, so that none fails because of another."""
        try:
            with self._begun() as db:
                return [(work(db), None) for work in batch]
        except Exception as error:
            if passing(error):
                return [(None, error)] * len(batch)
        return [self._alone(work) for work in batch]

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        """Begin a transaction; a connection that failed is not kept."""
        if not self._keeps:
            with self._engine.begin() as db:
                yield db
            return
        kept = self._kept.pop(get_ident(), None) or self._engine.connect()
        try:
            with kept.begin():
                yield kept
        except BaseException:
            kept.close()
            raise
        self._kept[get_ident()] = kept

    def _alone(self, work: Work) -> Answer:
        lost: BaseException | None = None
        for _ in range(RACES + 1):
            try:
                with self._begun() as db:
                    return work(db), None
            except sa.exc.IntegrityError as error:  # another caller took the same id or turn first: try again
                lost = error
            except Exception as error:
                return None, error
        return None, lost


def _answer(futures: list[asyncio.Future[Any]], answers: list[Answer]) -> None:
    for future, (answer, error) in zip(futures, answers, strict=True):
        if future.done():  # its caller was cancelled
            continue
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)


RETRY_AFTER_S = 5.0
LONGEST_PAUSE_S = 2.0
SQLITE = {
    "BUSY": "is locked by another program; end what holds it",
    "LOCKED": "is locked by another program; end what holds it",
    "FULL": "is full; free space on its disk",
    "IOERR": "can't be written or read; look at its disk (full, read-only, or over a limit?)",
    "READONLY": "is read-only; give the daemon the right to write it",
    "CANTOPEN": "can't be opened; bring its file and folder back",
}
"""Primary SQLite result code → text."""
POSTGRESQL = {
    "53100": "is full; free space on its disk",
    "25006": "is read-only; connect to the primary server",
    "55P03": "is locked by another program; end what holds it",
}
GONE = "can't be reached; start it, or look at the network"

log = structlog.get_logger("agentd.runs")
patient: ContextVar[bool] = ContextVar("patient", default=False)
"""Whether this task waits for the database, as runs do; other callers get Busy at once."""


def passing(error: BaseException | None) -> str | None:
    """What is wrong and what to do, to follow `the database …`; None if the error is not transient."""
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


def wait_in_dbos(engine: sa.Engine) -> None:
    """Translate all transient errors into those that DBOS retries without a word: SQLite's lock (by its text), a lost
    connection. The log says once a minute what it waits for."""
    due = Due()

    @sa.event.listens_for(engine, "handle_error", retval=True)
    def reworded(context: Any) -> Exception | None:
        driver = context.original_exception
        if (reason := passing(context.sqlalchemy_exception)) is None:
            return None
        if due.now(reason):
            log.warning("store.waiting", reason=reason)
        if not isinstance(driver, sqlite3.Error):
            context.is_disconnect = True
        if context.is_disconnect or "database is locked" in str(driver):
            return None
        translated = sqlite3.OperationalError(f"database is locked ({driver})")
        translated.sqlite_errorname = driver.sqlite_errorname
        translated.sqlite_errorcode = driver.sqlite_errorcode
        return sa.exc.OperationalError(str(context.statement), {}, translated)
