"""What a command says of an error: of the system's, which file, why, and who has the rights; of a name that is not
there, which are. It catches none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
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


def not_there(kind: str, name: str, known: Iterable[str]) -> str:
    """`there is no tool tme, but time`: the known names that are like it, else all."""
    folded = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold(), folded, cutoff=0.5) or sorted(folded)
    return f"there is no {kind} {name}, but {', '.join(folded[one] for one in near) or 'none'}"
