"""The office's own texts in chats: one TOML file per language, read once, complete or refused. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts of one language; `page` holds the sign-in page's."""

    starts: frozenset[str]
    stops: frozenset[str]
    signs_in: frozenset[str]
    welcome: str
    stopped: str
    media: str
    forwarded: str
    edited: str
    wordless: str
    pin: str
    pin_remains: str
    too_many: str
    old_button: str
    again: str
    not_sent: str
    agree: str
    yes: str
    change: str
    cancel: str
    ask_change: str
    link: str
    no_link: str
    confirm: str
    confirmed: str
    not_confirmed: str
    page: Mapping[str, str]


@cache
def texts() -> Mapping[str, Texts]:
    return packs(Path(__file__).with_suffix(""), Texts)
