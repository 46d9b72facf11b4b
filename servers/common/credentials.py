"""Reads a server's settings: secrets from files in $CREDENTIALS_DIRECTORY, as systemd and agentd provide them, and
lists in variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def credential(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return a credential's content without the trailing newline; None if it was not given. Raises OSError."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    file = Path(folder or ".", name)
    return (
        file.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\r\n") if folder and file.is_file() else None
    )


def listed(environ: Mapping[str, str], name: str) -> list[str]:
    """Return the comma-separated parts of a variable; empty if it is not set."""
    return [part.strip() for part in environ.get(name, "").split(",") if part.strip()]
