"""What `agentd chat` itself says: one TOML file a language, complete or refused; no answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """One language's; each key is explained in en.toml."""

    hello: str
    help: str
    decide: str
    yes: frozenset[str]
    no: frozenset[str]
    register: str
    officer: str
    default: str
    derived: str
    agent_on: str
    agent_off: str
    no_log: str
    no_steps: str
    done: str
    failed: str
    new: str
    any_model: str
    model: str
    refused: Mapping[str, str]


@cache
def lines() -> Mapping[str, Lines]:
    """The lines of each language."""
    return packs(Path(__file__).with_suffix(""), Lines)
