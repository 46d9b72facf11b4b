"""A finding of `agentd doctor`. It checks nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: `good`, `note` (works without it), or `must` with the remedy `to_do`."""

    mark: Literal["good", "note", "must"]
    what: str
    to_do: str = ""
