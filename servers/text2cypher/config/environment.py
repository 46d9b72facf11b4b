"""The environment with what `.env` in the working folder adds to it. Sets nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FILE = ".env"


def environment(env: Mapping[str, str] = os.environ, folder: Path | None = None) -> dict[str, str]:
    """What is set in `env` wins over the file."""
    from dotenv import dotenv_values

    held = dotenv_values((folder or Path.cwd()) / FILE, interpolate=False)
    return {name: value for name, value in held.items() if value is not None} | dict(env)
