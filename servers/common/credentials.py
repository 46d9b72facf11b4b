"""A server's secrets: files of $CREDENTIALS_DIRECTORY, as systemd and agentd hand them out. It knows none by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def credential(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """What stands in that file, without the line's end; None where no such credential was given. Raises OSError."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    file = Path(folder or ".", name)
    return (
        file.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\r\n") if folder and file.is_file() else None
    )
