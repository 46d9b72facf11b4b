"""Writes a file whole or not at all, for its owner alone, and tells whether one has changed. It knows no folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def give(made: int | Path, owner: os.stat_result) -> None:
    """Give a file (descriptor) or folder made by root to the owner of its folder, as whom our processes run."""
    if os.geteuid() == 0:
        os.chown(made, owner.st_uid, owner.st_gid)


def replace(file: Path, content: bytes) -> None:
    """Replace a file atomically: synced to disk and readable only by its owner."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(handle, "wb") as made:
            give(made.fileno(), file.parent.stat())
            made.write(content)
            made.flush()
            os.fsync(made.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def stamp(file: Path) -> tuple[int, int, int]:
    """The file's modification time, size and inode, which change when it is written; zeros while there is none, less
    while it can't be looked at."""
    try:
        there = file.stat()
    except FileNotFoundError:
        return 0, 0, 0
    except OSError:
        return -1, -1, -1
    return there.st_mtime_ns, there.st_size, there.st_ino
