"""Writes a file whole or not at all, for its owner alone. It knows no folder."""

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
