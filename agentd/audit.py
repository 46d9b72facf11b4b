"""The audit trail: who did what and when, in an append-only file. It holds no citizen's text or data.

`audit.jsonl` in the state folder has one entry per line. Each holds the SHA-256 of the previous one, so that a change,
insertion or loss in the middle is detected. `audit.head` names the newest entry, so that a lost end is detected too.
All processes of one state folder (daemon, commands) write the same file; each node of a cluster writes its own.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from agentd.errors import Busy
from agentd.ports import Clock
from hardening.files import append, give, replace

FILE_NAME = "audit.jsonl"
HEAD_NAME = "audit.head"
TAIL_BYTES = 256 * 1024
"""How much of the file's end is searched for the newest entry; no entry is longer than a tenth of it."""
_ACTION = re.compile(r"[a-z]+(\.[a-z_]+)+")
_LONG_NUMBER = re.compile(r"(?<![0-9A-Za-z])\d{8,}(?![0-9A-Za-z])")
_TEXT, _MANY = 160, 100

Fact = str | int | float | bool | None | list[str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `at` is ISO 8601 in UTC; `before` is the previous entry's digest, empty for the first."""

    number: int
    at: str
    action: str
    actor: str
    subject: str
    facts: dict[str, Fact]
    before: str
    digest: str = ""

    def sealed(self) -> str:
        """The SHA-256 in hexadecimal of all fields except the digest."""
        content = {key: value for key, value in asdict(self).items() if key != "digest"}
        return sha256(_json(content).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Head:
    """The newest entry's number and digest."""

    number: int = 0
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.number}:{self.digest}"


class AuditTrail:
    """The trail of one state folder. `record` returns once the entry is on the disk."""

    def __init__(self, state: Path, clock: Clock) -> None:
        self._file = state / FILE_NAME
        self._head_file = state / HEAD_NAME
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit")

    def close(self) -> None:
        """Wait for the running write."""
        self._thread.shutdown()

    async def arecord(self, action: str, *, actor: str, subject: str = "", **facts: Fact) -> None:
        """`record` from the event loop, in a separate thread. Raises Busy if the trail can't be written."""
        work = partial(self.record, action, actor=actor, subject=subject, **facts)
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except OSError as error:
            why = f"the audit trail can't be written ({error.strerror}), so nothing was done; see the state folder"
            raise Busy(why, retry_after_s=5.0) from None

    def record(self, action: str, *, actor: str, subject: str = "", **facts: Fact) -> None:
        """Add an entry: `action` like `session.deleted`, `actor` a caller's id, `subject` the id of the object.

        Facts are ids, kinds, counts and field names. A text with blanks or of more than 160 characters is stored as its
        SHA-256, and long numbers are left out, so that a value passed by mistake is not readable.
        Call it before the act: what can't be recorded must not be done. Raises OSError if it can't be written.
        """
        if not _ACTION.fullmatch(action):
            raise ValueError(f"{action!r} is no action: write it like session.deleted")
        with self._locked() as file:
            last = self._newest(file)
            at = self._clock.now().astimezone(UTC).isoformat(timespec="milliseconds")
            kept = {name: _harmless(value) for name, value in facts.items()}
            who, what = str(_harmless(actor)), str(_harmless(subject))
            entry = Entry(last.number + 1, at, action, who, what, kept, last.digest)
            digest = entry.sealed()
            append(file, _json({**asdict(entry), "digest": digest}))
            replace(self._head_file, f"{Head(entry.number, digest)}\n".encode())

    def entries(self) -> Iterator[Entry]:
        """All readable entries, oldest first."""
        yield from (entry for _, entry in read(self.lines()) if entry is not None)

    # ── the files ────────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def _locked(self) -> Iterator[int]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            give(file, self._file.parent.stat())
            yield file
        finally:
            os.close(file)

    def _newest(self, file: int) -> Head:
        """The entry before the next one: the file's last, or the head's if the file has lost that."""
        size = os.fstat(file).st_size
        tail = os.pread(file, TAIL_BYTES, max(0, size - TAIL_BYTES)).decode("utf-8", "replace").splitlines()
        last = next((entry for _, entry in reversed(list(read(tail))) if entry is not None), None)
        known = self.head() or Head()
        return Head(last.number, last.digest) if last is not None and last.number >= known.number else known

    def lines(self) -> list[str]:
        try:
            with self._file.open(encoding="utf-8", errors="replace") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def head(self) -> Head | None:
        """The newest entry by the file beside the trail; None if that is missing or unreadable."""
        try:
            number, _, digest = self._head_file.read_text().strip().partition(":")
            return Head(int(number), digest)
        except (FileNotFoundError, ValueError):
            return None


def read(lines: Iterable[str]) -> Iterator[tuple[int, Entry | None]]:
    """Yield (line number, entry); the entry is None if the line is invalid."""
    for line, text in enumerate(lines, 1):
        try:
            value = json.loads(text)
            yield line, Entry(**value) if isinstance(value, dict) and isinstance(value.get("number"), int) else None
        except (ValueError, TypeError):
            yield line, None


def _harmless(value: Fact) -> Fact:
    if isinstance(value, str):
        if len(value) > _TEXT or any(character.isspace() for character in value):
            return "sha256:" + sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return _LONG_NUMBER.sub("…", value)
    if isinstance(value, int) and abs(value) >= 10**8:
        return None
    if isinstance(value, list):
        return [str(_harmless(str(each))) for each in value[:_MANY]]
    return value


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
