"""The folder by which a server gets its secrets: files that only this user reads, in memory. It knows no secret.

Other programs of the same user could read them too; see docs/security.md for what keeps servers apart.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

FOLDERS = ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR")
MEMORY = "/dev/shm"


def handed_over(credentials: Mapping[str, bytes]) -> Path | None:
    """A new folder (0700) with a file (0400) for each; None where there are none. The caller removes it."""
    if not credentials:
        return None
    folder = Path(tempfile.mkdtemp(prefix="agentd-credentials-", dir=_folder()))
    for name, value in credentials.items():
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400), "wb") as file:
            file.write(value)
    return folder


def removed(folder: Path | None) -> None:
    """Remove it, whatever is left of it."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> str | None:
    """Where nothing reaches a disk: the service's or the user's runtime folder, or shared memory; else the default."""
    named = (os.environ.get(name, "").partition(":")[0] for name in FOLDERS)
    return next((folder for folder in (*named, MEMORY) if folder and os.access(folder, os.W_OK | os.X_OK)), None)
