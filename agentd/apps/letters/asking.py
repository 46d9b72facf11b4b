"""Questions for what is missing: one TOML file per language, read once, complete or refused. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The words of one language; asking/en.toml explains each key."""

    please: str
    joined: str
    confirm: str
    digits: str
    fields: Mapping[str, str]


@cache
def asking() -> Mapping[str, Asking]:
    """The words of each language. Raises IncompletePack."""
    return packs(Path(__file__).with_suffix(""), Asking)
