"""Runs SQLite in separate processes behind aiosqlite's interface, so that any statement can be ended by a kill.

An interrupt doesn't reach a function busy inside one row (`printf('%.*c', …)`, `trim`, a LIKE pattern); a kill does. A
process serves sessions one after the other, each with a new connection; one or two processes wait ready.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from itertools import count
from typing import Any

from servers.common.child_process import ChildProcess

READY = 2
"""Maximum number of idle processes kept ready."""
STOPPED = "the statement was stopped"
DIED = "the statement's process ended; it may have needed more memory than it may have"


class Process(ChildProcess):
    """One worker process. Its calls block; `kill` ends them."""

    def __init__(self) -> None:
        super().__init__("servers.common.sqlite_worker", "-S")

    def ask(self, name: str, *values: Any) -> Any:
        """Call the worker's method and return its result. Raises sqlite3's errors, also if the process is gone."""
        try:
            answer = self.exchange((name, *values))
        except ValueError as error:
            raise sqlite3.ProgrammingError(f"a value can't be given to SQLite: {error}") from None
        if answer is None:
            raise sqlite3.OperationalError(STOPPED if self.killed else DIED)
        kind, result = answer
        if kind:
            raise getattr(sqlite3, kind, sqlite3.DatabaseError)(result)
        return result


class Processes:
    """The processes of one database: one or two ready, and more while more statements run."""

    def __init__(self) -> None:
        self._ready: list[Process] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._ready)

    def take(self) -> Process:
        """Return a ready process, and start another to replace it."""
        with self._lock:
            taken = next((process for process in iter(self._next, None) if process.alive), None) or Process()
            if not self._ready:
                self._ready.append(Process())
        return taken

    def _next(self) -> Process | None:
        return self._ready.pop() if self._ready else None

    def give_back(self, process: Process) -> None:
        """Keep the process for the next session, or end it if it is dead or enough are ready."""
        with self._lock:
            if process.alive and len(self._ready) < READY:
                self._ready.append(process)
                return
        process.end()


def _end_all(processes: list[Process]) -> None:
    for process in processes:
        process.end()


class Connection:
    """Stands in for aiosqlite's sqlite3.Connection: one session in a worker process. It never writes."""

    isolation_level = None
    in_transaction = False

    def __init__(self, processes: Processes, file: str, busy_seconds: float) -> None:
        """Raises sqlite3.Error if the file can't be opened."""
        self._processes = processes
        self._process = processes.take()
        self._numbers = count(1)
        try:
            self._process.ask("open", file, busy_seconds)
        except sqlite3.Error:
            processes.give_back(self._process)
            raise

    def cursor(self, *_: Any) -> Cursor:
        return Cursor(self._process, next(self._numbers))

    def interrupt(self) -> None:
        """Stop the running statement by killing the process."""
        self._process.kill()

    def close(self) -> None:
        if self._process.alive:
            self._process.ask("close")
        self._processes.give_back(self._process)

    def create_function(self, *_: Any, **__: Any) -> None:
        """Ignore SQLAlchemy's `regexp`: the session would not allow it."""

    def commit(self) -> None:
        """Do nothing: nothing is written."""

    rollback = commit


class Cursor:
    """Stands in for aiosqlite's sqlite3.Cursor."""

    rowcount, lastrowid, arraysize = -1, None, 1

    def __init__(self, process: Process, number: int) -> None:
        self._process = process
        self._number = number
        self.description: Any = None

    def execute(self, sql: str, values: Any = ()) -> Cursor:
        """Start a statement. Raises sqlite3.Error."""
        self.description = self._process.ask("execute", self._number, sql, values)
        return self

    def fetchmany(self, size: int = 1) -> list[Any]:
        """Return the next rows; empty at the end."""
        rows: list[Any] = self._process.ask("fetch", self._number, size)
        return rows

    def fetchall(self) -> list[Any]:
        """Return all remaining rows."""
        rows: list[Any] = []
        while more := self.fetchmany(1000):
            rows += more
        return rows

    def fetchone(self) -> Any:
        return next(iter(self.fetchmany()), None)

    def close(self) -> None:
        if self._process.alive:
            self._process.ask("drop", self._number)
