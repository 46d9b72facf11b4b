"""The folder of issued PDFs: durable writes, and the lock that keeps a sweep away from an issue. Knows no letter.

Issuers hold the lock shared, a recovery holds it alone; the kernel frees it when a process dies. So whoever holds it
alone knows that nobody is in the middle of issuing. A turnstile in front keeps a stream of issuers from starving it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

PART = ".part"


class Archive:
    """PDFs under one folder, named by paths relative to it such as `2026/surat_pengantar-001.pdf`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Held while one letter is issued."""
        with self._lock(fcntl.LOCK_SH):
            yield

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Held while what a crash left is finished: waits for every issue under way, in any process."""
        with self._lock(fcntl.LOCK_EX):
            yield

    def path(self, name: str) -> Path:
        return self.folder / name

    def publish(self, name: str, data: bytes, reached: Callable[[str], None] = lambda _: None) -> None:
        """Write the file so that it is either whole and on the disk, or not there. `reached` hears of each step."""
        target = self.path(name)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = target.with_name(f"{target.name}.{os.getpid()}{PART}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            reached("written")
            os.fsync(file.fileno())
        reached("synced")
        temporary.replace(target)
        _sync_folder(target.parent)
        reached("renamed")

    def sweep(self, known: Collection[str]) -> list[str]:
        """Delete half-written files and set PDFs that no letter names aside in `orphans/`; returns the latter's names.

        Only while holding `exclusive`. A whole PDF is never deleted: the ledger may be an older copy put back.
        """
        for part in self.folder.glob(f"*/*{PART}"):
            part.unlink()
        orphans = [path for path in self.folder.glob("[0-9]*/*.pdf") if f"{path.parent.name}/{path.name}" not in known]
        for path in orphans:
            (self.folder / "orphans").mkdir(exist_ok=True, mode=0o700)
            path.replace(self.folder / "orphans" / path.name)
        return sorted(f"{path.parent.name}/{path.name}" for path in orphans)

    @contextmanager
    def _lock(self, mode: int) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / ".lock").open("w") as lock:
            with (self.folder / ".turnstile").open("w") as turnstile:
                fcntl.flock(turnstile, fcntl.LOCK_EX)
                fcntl.flock(lock, mode)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # closing alone would not, if a forked child still held the file


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
