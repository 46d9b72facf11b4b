"""The finished questions of one configuration on disk, one JSON line each. An incomplete last line is ignored."""

from __future__ import annotations

import json
import os
from pathlib import Path

from servers.text2cypher.experiment.records import Record


class CheckpointError(OSError):
    """A checkpoint can't be written or belongs to another run; the message says which and what to do."""


class Checkpoint:
    """`fingerprint` identifies the questions and settings, so that a resumed run can't mix two experiments."""

    def __init__(self, file: Path, fingerprint: str) -> None:
        self._file, self._fingerprint = file, fingerprint

    @property
    def is_anothers(self) -> bool:
        """True if the file belongs to a run with other questions or settings."""
        try:
            with self._file.open(encoding="utf-8") as handle:
                first = json.loads(handle.readline() or "{}")
        except (OSError, ValueError):
            return False  # missing or damaged: load() reports it
        return isinstance(first, dict) and first.get("fingerprint", self._fingerprint) != self._fingerprint

    def load(self) -> list[Record]:
        """The finished questions. Raises CheckpointError if they belong to another experiment."""
        if not self._file.exists():
            return []
        lines = self._file.read_bytes().split(b"\n")
        whole = [line for line in lines[:-1] if line]
        try:
            records = [json.loads(line) for line in whole]
        except ValueError as error:
            raise CheckpointError(f"{self._file}: damaged ({error}); delete it or choose another --out") from error
        if records and records[0].get("fingerprint") != self._fingerprint:
            raise CheckpointError(
                f"{self._file}: from a run with other questions or settings; delete it or choose another --out"
            )
        if lines[-1]:  # remove a line cut off by a kill, or the next would be appended to it
            with self._file.open("r+b") as handle:
                handle.truncate(sum(len(line) + 1 for line in lines[:-1]))
        return records[1:]

    def append(self, record: Record) -> None:
        """Adds a record; it is on disk when this returns. Raises CheckpointError if writing fails."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            fresh = not self._file.exists() or self._file.stat().st_size == 0
            with self._file.open("ab") as handle:
                if fresh:
                    handle.write(_line({"fingerprint": self._fingerprint}))
                handle.write(_line(record))
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as error:
            raise CheckpointError(
                f"{self._file}: {error.strerror}; make room and go on with `text2cypher resume`"
            ) from error


def _line(held: Record) -> bytes:
    return json.dumps(held, ensure_ascii=False).encode() + b"\n"
