"""What the daemon itself says to citizens: one TOML file a language, read once, complete or refused. No logic.

The texts of errors stand with the errors (agentd.errors); what an app says is in packs of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """One language's; each key is explained in the files."""

    declined: str
    blocked: str
    cut_off: str
    parked: str
    withdrawn: str
    withdrawn_for_another: str
    check_official: str
    ask_official: str
    officer_official: str
    check_act: str
    ask_act: str
    officer_act: str
    differs: str
    yes: str
    no: str
    prompt: Mapping[str, str]
    courtesies: Mapping[str, tuple[str, ...]]
    beside_courtesies: frozenset[str]


@cache
def replies() -> Mapping[str, Replies]:
    """The texts of each language."""
    return packs(Path(__file__).with_suffix(""), Replies)
