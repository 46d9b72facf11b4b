"""Stores processed prompts as files beside the weights. It handles files and keys; the engine reads the prompts.

A snapshot is the model's state after the stable part of a prompt (about 28 kB a token). It contains no citizen's words:
only the stable part is read before saving. The library aborts the whole process if it gets a damaged file, so each
file's length and checksum are stored beside it, and a file that doesn't match is removed.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from agentd.messages import ChatMessage

KEEP = 8
"""Number of snapshots to keep; the least recently used are removed first."""
MINIMUM_CHARS = 1_000
"""A shorter prefix is read so fast that a snapshot is not worth its space."""
STALE_S = 3_600.0
"""An unfinished file older than this is removed as left over from a crash."""


def prefix_key(weights: Path, n_ctx: int, library: str, prefix: Sequence[ChatMessage]) -> str:
    """Return the key of this prefix, which also depends on the weights, the context size and the library version."""
    stat = weights.stat()
    parts = [weights.name, stat.st_size, stat.st_mtime_ns, n_ctx, library, [[m.role, m.content] for m in prefix]]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


def worth_keeping(prefix: Sequence[ChatMessage]) -> bool:
    """Return True if this prefix takes long enough to read to be worth a snapshot."""
    return sum(len(message.content) for message in prefix) >= MINIMUM_CHARS


class SnapshotFolder:
    """A folder of at most `KEEP` snapshots. Processes can share it: a file gets its final name only when complete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def draft(self, key: str, owner: int) -> str:
        """Return the name of the file in this folder for the library to write; `owner` is the process id."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return f"{key}-{owner}.new"

    def publish(self, key: str, draft: str) -> None:
        """Store the draft's length and checksum, give it its final name, and remove snapshots over the limit."""
        source = self.folder / draft
        source.chmod(0o600)
        note = self.folder / f"{draft}.note"
        note.write_text(json.dumps(_measure(source)), encoding="ascii")
        source.replace(self.folder / self.file_name(key))
        note.replace(self._note(key))
        self._prune()

    def usable(self, key: str) -> bool:
        """Return True if there is an undamaged snapshot of this key; remove a damaged one."""
        path = self.folder / self.file_name(key)
        try:
            sound = bool(json.loads(self._note(key).read_text(encoding="ascii")) == _measure(path))
        except (OSError, ValueError):
            sound = False
        if sound:
            path.touch()
        else:
            self.discard(key)
        return sound

    def discard(self, key: str) -> None:
        """Remove the key's snapshot."""
        (self.folder / self.file_name(key)).unlink(missing_ok=True)
        self._note(key).unlink(missing_ok=True)

    @staticmethod
    def file_name(key: str) -> str:
        return f"{key}.slot"

    def _note(self, key: str) -> Path:
        return self.folder / f"{key}.note"

    def _prune(self) -> None:
        newest_first = sorted(self.folder.glob("*.slot"), key=_modified, reverse=True)
        for path in newest_first[KEEP:]:
            self.discard(path.stem)
        for path in self.folder.glob("*.new*"):
            if time.time() - _modified(path) > STALE_S:
                path.unlink(missing_ok=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _measure(path: Path) -> list[int]:
    """Return a file's length and CRC-32 (0.05 s for 50 MB; SHA-256 would take a quarter of the first token's time)."""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return [size, checksum]
