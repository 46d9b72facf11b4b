"""The register's journal: a copy of its entries, as lines of a file beside the archive. Decides nothing.

The register is a database that somebody may restore from a backup or edit; the journal is stored with the letters. If
the journal is ahead, the register is an older copy, and the journal has the entries it lost.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from servers.certificate.register.chain import Entry

NAME = "register.jsonl"
BLOCK = 64 * 1024


class JournalError(ValueError):
    """A line of the journal can't be read; the text gives file and line."""


class Tail(NamedTuple):
    """The end of the journal: its last complete entry, and what stands after it of a line that was cut off."""

    last: Entry | None = None
    torn: bytes = b""

    @property
    def seq(self) -> int:
        return self.last.seq if self.last else 0


class Journal:
    """One append-only file, with one entry per line. Safe for several processes, even on a shared folder."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / NAME

    @contextmanager
    def unchanging(self) -> Iterator[Tail]:
        """Give the end of the journal, to which nobody appends meanwhile. Raises JournalError."""
        try:
            file = self.file.open("rb")
        except FileNotFoundError:
            yield Tail()
            return
        with file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield self._tail(file)

    def entries(self) -> list[Entry]:
        """Return all entries, ignoring an unfinished last line. Raises JournalError."""
        try:
            text = self.file.read_bytes()
        except FileNotFoundError:
            return []
        return [self._read(line, number) for number, line in enumerate(text.split(b"\n")[:-1], 1)]

    def follow(self, later: Callable[[Tail], Sequence[Entry]]) -> None:
        """Durably append the entries that `later` returns, over a line cut off. If it raises, nothing is changed."""
        with self._locked() as file:
            tail = self._tail(file)
            if new := later(tail):
                file.truncate(file.seek(-len(tail.torn), os.SEEK_END))
                file.write(b"".join(map(line, new)))
                file.flush()
                os.fsync(file.fileno())

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """Open the file with an exclusive lock."""
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _tail(self, file: BinaryIO) -> Tail:
        end = _whole(file, file.seek(0, os.SEEK_END))
        start = _whole(file, max(0, end - 1))
        file.seek(start)
        last = self._read(file.read(end - start)) if end else None
        return Tail(last, file.read())

    def _read(self, line: bytes, number: int = 0) -> Entry:
        try:
            return Entry.model_validate_json(line)
        except ValidationError as error:
            where = f"line {number}" if number else "its last line"
            raise JournalError(f"{self.file}: {where} is no entry of a register, or one of a newer agentd") from error


def line(entry: Entry) -> bytes:
    """Return the entry as it stands in the journal."""
    return f"{entry.model_dump_json()}\n".encode()


def _whole(file: BinaryIO, size: int) -> int:
    """Return the end of the last complete line within the first `size` bytes; 0 if there is none."""
    end = size
    while end > 0:
        start = max(0, end - BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
