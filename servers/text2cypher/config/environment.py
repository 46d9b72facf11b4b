"""The environment plus the `.env` file of the working folder. Sets nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FILE = ".env"


def environment(env: Mapping[str, str] = os.environ, folder: Path | None = None) -> dict[str, str]:
    """The merged environment; values in `env` override the file."""
    from dotenv import dotenv_values

    held = dotenv_values((folder or Path.cwd()) / FILE, interpolate=False)
    return {name: value for name, value in held.items() if value is not None} | dict(env)
