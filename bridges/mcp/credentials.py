"""The folder through which a server gets its secrets: files in memory that only this user can read.

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
    """Create a folder (0700) with one file (0400) per credential; None if there are none. The caller removes it."""
    if not credentials:
        return None
    folder = Path(tempfile.mkdtemp(prefix="agentd-credentials-", dir=_folder()))
    for name, value in credentials.items():
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400), "wb") as file:
            file.write(value)
    return folder


def removed(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> str | None:
    """Choose a folder in memory: the service's or user's runtime folder, or shared memory; None if there is none."""
    named = (os.environ.get(name, "").partition(":")[0] for name in FOLDERS)
    return next((folder for folder in (*named, MEMORY) if folder and os.access(folder, os.W_OK | os.X_OK)), None)
