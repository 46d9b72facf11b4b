"""What `agentd doctor` says of one thing that it looked at. It looks at nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: `good`, a `note` (works without it), or a `must` with what `to_do`."""

    mark: Literal["good", "note", "must"]
    what: str
    to_do: str = ""
