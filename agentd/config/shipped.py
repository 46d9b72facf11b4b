"""The offices that ship, one folder each in profiles/, beside the packages in checkout and wheel. It reads no file."""

from __future__ import annotations

from pathlib import Path

PROFILES = Path(__file__).resolve().parents[2] / "profiles"
"""The shipped offices, and `client.schema.json`, the schema of each one's client.toml."""
DEFAULT = "kelurahan"


def shipped(name: str) -> Path:
    """The path of a file of the default office."""
    return PROFILES / DEFAULT / name
