"""The texts of `agentd chat` itself: one TOML file per language, complete or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The texts of one language; en.toml explains each key."""

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
    return packs(Path(__file__).with_suffix(""), Lines)
