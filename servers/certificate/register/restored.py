"""The mark that `agentd restore` leaves beside a register: that it was restored, and from when. Restores nothing."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

FILE = "restored.json"
UNFINISHED = ".restoring"


class Restored(BaseModel, frozen=True):
    """When the backup was made and restored, in ISO 8601."""

    backup_made_at: str
    restored_at: str


def read(home: Path) -> Restored | None:
    """Read the mark in the letters' folder; None if nothing was restored."""
    try:
        return Restored.model_validate_json((home / FILE).read_bytes())
    except FileNotFoundError:
        return None


def unfinished(state: Path) -> bool:
    """Return whether a restore into this state folder was interrupted."""
    return (state / UNFINISHED).exists()
