"""How sure it is who asks for an official act, and whether that is enough for it. Pure; it verifies nobody."""

from __future__ import annotations

from typing import Literal, get_args

from agentd.messages import Basis, ToolInfo

Level = Literal["declared", "officer", "pin", "card+pin"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Least first: they say so, an officer saw the card, they know the PIN, they have the card."""
ASSURANCE = "agentd/assurance"
"""A tool's own `_meta`: the least level at which its call is made."""
DECLARES = "agentd/declares"
"""A tool's own `_meta`: its act states what no register knows, so it rests on a statement, whatever the level."""


def reaches(level: str, least: str) -> bool:
    """Whether a level is at least another; an unknown one reaches nothing, and nothing but the highest reaches it."""
    known: list[str] = list(LEVELS)
    return level in known and known.index(level) >= (known.index(least) if least in known else len(known) - 1)


def least_of(tool: ToolInfo) -> str:
    """The least level at which a tool's call is made."""
    return str(tool.meta.get(ASSURANCE) or LEVELS[0]) if tool.official else LEVELS[0]


def needs_officer(tool: ToolInfo, basis: Basis | None) -> bool:
    """Whether the citizen's yes to this call is not enough."""
    return not reaches(LEVELS[0] if basis is None else basis.level, least_of(tool))
