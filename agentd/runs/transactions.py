"""Short transactions on threads of their own, so that a locked database never holds the event loop up; what transient
errors mean in words, and how a run retries them. No tables here.

What many runs want to write at one moment is committed at once: a commit costs more than the few rows it makes last.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import get_ident
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection, Engine

from agentd.errors import Busy, in_each_language

T = TypeVar("T")
Work = Callable[[Connection], Any]
Answer = tuple[Any, BaseException | None]
RACES = 5
"""How often a transaction that lost a race for an id is tried again."""


class Transactions:
    """Runs pieces of work on `threads` threads, up to `together` waiting ones in one commit.

    Work may be run again after a rollback, so it changes nothing but the database. With `keeps` each thread keeps its
    connection: to fetch one from the pool costs it more than a step's insert.
    """

    def __init__(self, engine: Engine, name: str, *, threads: int, together: int = 1, keeps: bool = False) -> None:
        self._engine = engine
        self._together = together
        self._keeps = keeps
        self._kept: dict[int, Connection] = {}
        """By the thread."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._waiting: deque[tuple[Work, asyncio.Future[Any]]] = deque()
        self._called = False
        """Whether a thread was called that has not looked yet at what waits."""

    def close(self) -> None:
        """Let what is under way end."""
        self._threads.shutdown(wait=True)
        for kept in self._kept.values():
            kept.close()

    async def do(self, work: Callable[[Connection], T]) -> T:
        """The work's answer, once it is committed. Transient errors are retried or reported (`retries`)."""
        return await retry_transient(lambda: self._done(work))

    def _done(self, work: Work) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._waiting.append((work, future))
        self._call(loop)
        return future

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have a thread take what waits, unless one is called already: to call one costs what a statement does."""
        if self._called:
            return
        self._called = True
        try:
            self._threads.submit(self._commit_waiting, loop)
        except RuntimeError:  # closed
            self._called = False
            raise

    def _commit_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        self._called = False  # first: this thread may miss work that is added after this line
        while batch := self._taken():
            if self._waiting:
                with suppress(RuntimeError):  # the loop is closed: this thread commits all the work that is left
                    self._call(loop)
            answers = self._together_or_alone([work for work, _ in batch])
            if not loop.is_closed():
                loop.call_soon_threadsafe(_answer, [future for _, future in batch], answers)

    def _taken(self) -> list[tuple[Work, asyncio.Future[Any]]]:
        batch: list[tuple[Work, asyncio.Future[Any]]] = []
        with suppress(IndexError):  # fewer wait, or none: others have taken them along
            while len(batch) < self._together:
                batch.append(self._waiting.popleft())
        return batch

    def _together_or_alone(self, batch: list[Work]) -> list[Answer]:
        """All in one transaction; when one fails, each by itself, so that none fails for another's fault."""
        try:
            with self._begun() as db:
                return [(work(db), None) for work in batch]
        except Exception as error:
            if passing(error):
                return [(None, error)] * len(batch)
        return [self._alone(work) for work in batch]

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        """One transaction. A connection that failed is not kept."""
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
        for race in range(RACES + 1):
            try:
                with self._begun() as db:
                    return work(db), None
            except sa.exc.IntegrityError as error:
                if race == RACES:
                    return None, error
                # another caller took the same id or turn first: look again
            except Exception as error:
                return None, error
        raise AssertionError("the last attempt has answered")


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
patient: ContextVar[bool] = ContextVar("patient", default=False)
"""Whether this task waits for its database, as a run does; any other caller gets Busy at once."""


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


async def retry_transient(act: Callable[[], Awaitable[T]]) -> T:
    """Retry transient errors where the task is `patient`; otherwise raise Busy."""
    pause = 0.05
    while True:
        try:
            return await act()
        except sa.exc.SQLAlchemyError as error:
            reason = passing(error)
            if reason is None:
                raise
            log.warning("store.unavailable", reason=reason, waits=patient.get())
            if not patient.get():
                message = f"the database {reason}; then try again"
                raise Busy(message, retry_after_s=RETRY_AFTER_S, user_message=in_each_language("database")) from None
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
