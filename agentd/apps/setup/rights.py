"""Finds files of a state folder that other users of this machine can access. It changes nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentd.state import OTHERS

PUBLIC = (".cert.pem", ".pub.pem")
"""Name endings of files that are meant for everybody."""


def open_to_others(state: Path) -> list[Path]:
    """The folders and files that group or others have rights to, except PUBLIC ones; links and sockets are skipped."""
    found = [state] if _rights(state) else []
    for folder, folders, files in os.walk(state):
        names = (name for name in (*folders, *files) if not name.endswith(PUBLIC))
        found += [path for name in names if _rights(path := Path(folder, name))]
    return found


def _rights(path: Path) -> int:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return 0  # deleted meanwhile
    return mode & OTHERS if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else 0
