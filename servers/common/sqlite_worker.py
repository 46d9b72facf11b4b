"""The process that runs SQL on a SQLite file for a server, so that killing it ends a statement. A program.

`sqlite_process` starts it. For a quick start it imports only the standard library and neighbouring modules. Requests
and answers are marshalled on standard input and output, each preceded by its length in four bytes.
"""

from __future__ import annotations

import marshal
import os
import resource
import sqlite3
import sys
import threading
import time
from typing import IO, Any

from servers.common import readonly_sqlite

HEAP_BYTES = 256 * 2**20
"""How much SQLite may allocate at once; beyond it the statement gets a MemoryError."""
PROCESS_BYTES = 768 * 2**20
"""Address space of the whole process, for memory that SQLite's own limit doesn't count."""
PAGE_BYTES = 4 * 2**20
"""A page of rows ends after this much text, so that wide rows don't fill the memory."""


def send(stream: IO[bytes], value: Any) -> None:
    """Write one message. Raises ValueError for values that can't be marshalled."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None at the end of the stream, even within a message."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    data = stream.read(int.from_bytes(head, "big"))
    return marshal.loads(data) if len(data) == int.from_bytes(head, "big") else None


class Worker:
    """Handles one connection at a time, with its cursors by number."""

    def __init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._cursors: dict[int, sqlite3.Cursor] = {}

    def open(self, file: str, busy_seconds: float) -> None:
        """Start a new session with no state of the previous one."""
        self._connection = readonly_sqlite.connect(file, busy_seconds, HEAP_BYTES)

    def execute(self, number: int, sql: str, values: Any) -> Any:
        """Start a statement; return its DB-API column description, or None."""
        assert self._connection is not None
        cursor = self._cursors[number] = self._connection.execute(sql, values)
        return cursor.description

    def fetch(self, number: int, size: int) -> list[Any]:
        """Return the next rows: at most `size`, fewer if they are wide, none at the end."""
        rows: list[Any] = []
        length = 0
        for row in self._cursors[number]:
            rows.append(row)
            length += sum(len(value) for value in row if isinstance(value, str | bytes))
            if len(rows) >= size or length > PAGE_BYTES:
                break
        return rows

    def drop(self, number: int) -> None:
        if cursor := self._cursors.pop(number, None):
            cursor.close()

    def close(self) -> None:
        """End the session."""
        self._cursors.clear()
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def end_with(parent: int) -> None:
    """End this process when its parent ends; needed since a busy statement doesn't notice the end of input."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


def main(parent: int) -> None:
    """Answer requests until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (PROCESS_BYTES, PROCESS_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=end_with, args=(parent,), name="parent", daemon=True).start()
    worker = Worker()
    while (request := receive(sys.stdin.buffer)) is not None:
        name, *values = request
        try:
            answer = ("", getattr(worker, name)(*values))
        except MemoryError:
            answer = ("OperationalError", f"the statement needs more than {HEAP_BYTES // 2**20} MiB of memory")
        except sqlite3.Error as error:
            answer = (type(error).__name__, str(error))
        send(sys.stdout.buffer, answer)
