"""The folder of issued PDFs: durable writes, and the lock for issuing and sweeping. Reads no PDF.

Issuers hold the lock shared, a recovery exclusively; the kernel releases it when a process dies. So the exclusive
holder knows that no issue is in progress. A turnstile keeps issuers from starving a recovery.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from hardening.files import sync
from servers.certificate.register.records import Letter

PART = ".part"


class Archive:
    """PDFs under one folder, named by paths relative to it such as `2026/surat_pengantar-001.pdf`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def shared(self) -> AbstractContextManager[None]:
        """Hold the lock while one letter is issued."""
        return self._lock(fcntl.LOCK_SH)

    def exclusive(self) -> AbstractContextManager[None]:
        """Hold the lock exclusively, for recovery or backup: waits for every issue in progress, in any process."""
        return self._lock(fcntl.LOCK_EX)

    def path(self, name: str) -> Path:
        return self.folder / name

    def publish(self, name: str, data: bytes, reached: Callable[[str], None] = lambda _: None) -> None:
        """Write the file atomically and durably. `reached` is called after each step, with its name."""
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
        sync(target.parent)
        reached("renamed")

    def names(self) -> list[str]:
        return sorted(f"{path.parent.name}/{path.name}" for path in self.folder.glob("[0-9]*/*.pdf"))

    def sweep(self, orphans: Collection[str]) -> None:
        """Delete half-written files and move these PDFs to `orphans/`, without overwriting any there.

        Call it only while holding `exclusive`. A complete PDF is never deleted.
        """
        for part in self.folder.glob(f"*/*{PART}"):
            part.unlink()
        folder = self.folder / "orphans"
        for name in orphans:
            folder.mkdir(exist_ok=True, mode=0o700)
            aside = folder / Path(name).name
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
                fcntl.flock(lock, fcntl.LOCK_UN)  # closing is not enough if a forked child still holds the file


def file_name(row: Letter) -> str:
    """Return where a letter's PDF is in the archive: the year's folder, the letter's type and number."""
    return f"{row.year}/{row.letter_type}-{re.sub(r'[^A-Za-z0-9.]+', '-', row.number).strip('-.')}.pdf"


def _private(file: Path) -> BinaryIO:
    """Open a lock file that only its owner can open or lock; earlier versions made it open to all."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    if os.fstat(descriptor).st_mode & 0o077 and os.fstat(descriptor).st_uid == os.geteuid():
        os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "r+b")
