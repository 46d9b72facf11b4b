"""The folder of issued PDFs: durable writes, and the lock that keeps a sweep away from an issue. Reads no PDF.

Issuers hold the lock shared, a recovery holds it alone; the kernel frees it when a process dies. So who holds it
alone knows that nobody is in the middle of issuing. A turnstile in front keeps a stream of issuers from starving it.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from servers.certificate.records import Letter

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
        """Write the file so that it is whole and on the disk, or not there. `reached` is called with each step."""
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

    def names(self) -> list[str]:
        """Every PDF in the folders of the years."""
        return sorted(f"{path.parent.name}/{path.name}" for path in self.folder.glob("[0-9]*/*.pdf"))

    def sweep(self, strangers: Collection[str]) -> None:
        """Delete half-written files and set these PDFs aside in `orphans/`, where no other is overwritten.

        Only while holding `exclusive`. A whole PDF is never deleted.
        """
        for part in self.folder.glob(f"*/*{PART}"):
            part.unlink()
        orphans = self.folder / "orphans"
        for name in strangers:
            orphans.mkdir(exist_ok=True, mode=0o700)
            aside = orphans / Path(name).name
            while aside.exists():
                aside = aside.with_name(f"again-{aside.name}")
            self.path(name).replace(aside)

    @contextmanager
    def _lock(self, mode: int) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _private(self.folder / ".lock") as lock:
            with _private(self.folder / ".turnstile") as turnstile:
                fcntl.flock(turnstile, fcntl.LOCK_EX)
                fcntl.flock(lock, mode)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # closing alone would not, if a forked child still held the file


def file_name(row: Letter) -> str:
    """Where a letter's PDF lies in the archive: its year's folder, its type and number."""
    return f"{row.year}/{row.letter_type}-{re.sub(r'[^A-Za-z0-9.]+', '-', row.number).strip('-.')}.pdf"


def _private(file: Path) -> BinaryIO:
    """A lock that nobody else can open, and so nobody else can hold; an earlier version's was open to all."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    if os.fstat(descriptor).st_mode & 0o077 and os.fstat(descriptor).st_uid == os.geteuid():
        os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "r+b")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
