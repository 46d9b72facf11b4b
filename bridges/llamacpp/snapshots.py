"""Processed prompts kept as files beside the weights. It knows files and keys; reading prompts is the engine's work.

A snapshot is the state of the model after it has read the stable part of a prompt (about 28 kB a token). It holds no
citizen's words: only the stable part is ever read before saving. The library aborts the whole process when it is given
a damaged file, so every file has a note of its length and checksum beside it, and one that does not match is removed.
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
"""Snapshots kept; the least recently used go first."""
MINIMUM_CHARS = 1_000
"""A shorter prefix is read faster than it is worth keeping."""
STALE_S = 3_600.0
"""After this long an unfinished file is taken for the remains of a crash."""


def prefix_key(weights: Path, n_ctx: int, library: str, prefix: Sequence[ChatMessage]) -> str:
    """The name under which this prefix is kept: it changes with the weights, the context size and the library."""
    stat = weights.stat()
    parts = [weights.name, stat.st_size, stat.st_mtime_ns, n_ctx, library, [[m.role, m.content] for m in prefix]]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


def worth_keeping(prefix: Sequence[ChatMessage]) -> bool:
    """True when reading this prefix takes long enough to be kept."""
    return sum(len(message.content) for message in prefix) >= MINIMUM_CHARS


class SnapshotFolder:
    """A folder of at most `KEEP` snapshots, safe to share between processes: files appear whole, under their name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def draft(self, key: str, owner: int) -> str:
        """The file name (in this folder) that the library writes a new snapshot to; `owner` is the process id."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return f"{key}-{owner}.new"

    def publish(self, key: str, draft: str) -> None:
        """Note a finished draft's length and checksum, give it its name, and drop what is beyond the bound."""
        source = self.folder / draft
        source.chmod(0o600)
        note = self.folder / f"{draft}.note"
        note.write_text(json.dumps(_measure(source)), encoding="ascii")
        source.replace(self.folder / self.file_name(key))
        note.replace(self._note(key))
        self._prune()

    def usable(self, key: str) -> bool:
        """True when a snapshot of this key is there and undamaged; a damaged one is removed."""
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
        """Forget this key."""
        (self.folder / self.file_name(key)).unlink(missing_ok=True)
        self._note(key).unlink(missing_ok=True)

    @staticmethod
    def file_name(key: str) -> str:
        """The snapshot's file name in this folder."""
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
    """Length and CRC-32 of a file (50 MB in about 0.05 s; SHA-256 would eat a quarter of the first token's time)."""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return [size, checksum]
