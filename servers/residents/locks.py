"""Counts wrong PINs and locks after three, in one SQLite file that all processes of a machine share. Knows no PIN.

A try is taken before the PIN is compared, so that kiosks that try at the same time get three tries together, too.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers.residents.resident import RegisterError

TRIES = 3
LOCK_SECONDS = 15 * 60
WAIT_SECONDS = 10


@dataclass(frozen=True)
class Try:
    """Whether the PIN may be compared; if not, in how many seconds again."""

    granted: bool
    left: int
    """How many tries there are after this one, should it be wrong."""
    retry_after_s: int = 0


class Locks:
    """The wrong tries of the last 15 minutes; `now` gives seconds since 1970."""

    def __init__(self, file: Path, now: Callable[[], float]) -> None:
        self._file, self._now = file, now

    def take(self, subject: str) -> Try:
        """Take one try for a NIK, or for a card that nobody has. Raises RegisterError."""
        now = self._now()
        with self._transaction() as connection:
            # Here goes what is over, so that made-up NIKs don't fill the disk.
            connection.execute("DELETE FROM tries WHERE at <= ?", (now - LOCK_SECONDS,))
            key = _key(connection, subject)
            row = connection.execute("SELECT wrong, at FROM tries WHERE subject = ?", (key,)).fetchone()
            wrong, at = row or (0, now)
            if wrong >= TRIES:
                return Try(False, 0, max(1, round(at + LOCK_SECONDS - now)))
            connection.execute("INSERT OR REPLACE INTO tries VALUES (?, ?, ?)", (key, wrong + 1, now))
            return Try(True, TRIES - wrong - 1)

    def forget(self, subject: str) -> None:
        """The PIN was right: the tries before it count no more. Raises RegisterError."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM tries WHERE subject = ?", (_key(connection, subject),))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self._file, timeout=WAIT_SECONDS, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL)")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS tries (subject BLOB PRIMARY KEY, wrong INT NOT NULL, at REAL NOT NULL)"
                )
                yield connection
                connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            # Without a count nobody is verified: else a full disk would open every PIN to guessing.
            raise RegisterError(
                f"the count of wrong PINs can't be kept in {self._file} ({type(error).__name__}); "
                "see to its folder's owner and to space on the disk"
            ) from None


def _key(connection: sqlite3.Connection, subject: str) -> bytes:
    """What stands in the file for a NIK: a keyed hash, so that the file lists no NIK to a reader."""
    row = connection.execute("SELECT value FROM secret").fetchone()
    if row is None:
        row = (os.urandom(32),)
        connection.execute("INSERT INTO secret VALUES (?)", row)
    return hashlib.blake2b(subject.encode("utf-8", "replace"), key=row[0], digest_size=16).digest()
