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
from typing import BinaryIO

from pydantic import ValidationError

from servers.certificate.register.chain import Entry

NAME = "register.jsonl"
BLOCK = 64 * 1024


class JournalError(ValueError):
    """A line of the journal can't be read; the text gives file and line."""


class Journal:
    """One append-only file, with one entry per line. Safe for several processes, even on a shared folder."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / NAME

    def exists(self) -> bool:
        return self.file.exists()

    def last(self) -> Entry | None:
        """Return the last entry, or None. Raises JournalError."""
        try:
            with self.file.open("rb") as file:
                return self._last(file)
        except FileNotFoundError:
            return None

    def entries(self) -> list[Entry]:
        """Return all entries, ignoring an unfinished last line. Raises JournalError."""
        try:
            text = self.file.read_bytes()
        except FileNotFoundError:
            return []
        return [self._read(line, place) for place, line in enumerate(text.split(b"\n")[:-1], 1)]

    def follow(self, later: Callable[[Entry | None], Sequence[Entry]]) -> None:
        """Durably append the entries that `later` returns for the last one. If it raises, nothing is appended."""
        with self._locked() as file:
            new = later(self._last(file))
            if new:
                file.seek(0, os.SEEK_END)
                file.write(b"".join(f"{one.model_dump_json()}\n".encode() for one in new))
                file.flush()
                os.fsync(file.fileno())

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """Open the file with an exclusive lock, removing a partial last line left by a power cut."""
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if (size := file.seek(0, os.SEEK_END)) and not _ends_whole(file, size):
                file.truncate(_whole(file, size))
            yield file

    def _last(self, file: BinaryIO) -> Entry | None:
        end = _whole(file, file.seek(0, os.SEEK_END))
        if end == 0:
            return None
        start = _whole(file, end - 1)
        file.seek(start)
        return self._read(file.read(end - start), 0)

    def _read(self, line: bytes, place: int) -> Entry:
        try:
            return Entry.model_validate_json(line)
        except ValidationError as error:
            where = f"line {place}" if place else "its last line"
            raise JournalError(f"{self.file}: {where} is no entry of a register") from error


def _ends_whole(file: BinaryIO, size: int) -> bool:
    file.seek(size - 1)
    return file.read(1) == b"\n"


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
