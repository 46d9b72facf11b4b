"""The offices that ship: a folder each in profiles/, beside the packages in checkout and wheel. It reads none."""

from __future__ import annotations

from pathlib import Path

PROFILES = Path(__file__).resolve().parents[2] / "profiles"
"""Holds `client.schema.json` too, which describes every profile's client.toml."""
DEFAULT = "kelurahan"


def profiles() -> list[str]:
    return sorted(file.parent.name for file in PROFILES.glob("*/client.toml"))


def shipped(name: str) -> Path:
    """A file of the default office."""
    return PROFILES / DEFAULT / name
