"""What a command says of an error: of the system's, which file, why, and who has the rights. It catches none."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def reason(error: Exception) -> str:
    """The text for the person at the terminal: `FILE: Permission denied; run this as agentd, its owner`."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if error.filename is None:
        return error.strerror
    named = os.fsdecode(error.filename)
    denied = f"; {_who_may(Path(named).absolute())}" if isinstance(error, PermissionError) else ""
    return f"{named}: {error.strerror}{denied}"


def _who_may(path: Path) -> str:
    """Who has the rights to this path: the owner of it, or of the nearest folder that can be looked at."""
    for one in (path, *path.parents):
        with suppress(OSError, KeyError):
            if one.stat().st_uid == os.geteuid():
                return f"give yourself the right to {one} (chmod u+rwX)"
            return f"run this as {one.owner()}, its owner"
    return "run this as the daemon's user"
