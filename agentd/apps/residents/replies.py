"""Texts for citizens about their sign-in, family and requests: one TOML file per language. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """The texts of one language; the files explain each key."""

    ended: str
    only_proven: str
    changed: str
    waits: str
    incomplete: str
    who: str
    nobody: str
    several: str
    born: str
    register_down: str
    locked: str
    of_another: str
    status: Mapping[str, str]


@cache
def replies() -> Mapping[str, Replies]:
    return packs(Path(__file__).with_suffix(""), Replies)


def in_each_language(key: str, **values: object) -> dict[str, str]:
    """A text in each language, for an error's `user_message`."""
    return {language: getattr(pack, key).format(**values) for language, pack in replies().items()}
