"""What people read for fields: the questions, one TOML file per language, and the tools' own words. No logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs
from agentd.errors import Language
from agentd.messages import ToolInfo

TERMS = "agentd/terms"
"""Key in a tool's `_meta`: {language: {its own word, such as a label or a choice: the same in that language}}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The words of one language; asking/en.toml explains each key."""

    please: str
    joined: str
    confirm: str
    digits: str
    theirs: str
    fields: Mapping[str, str]


@cache
def asking() -> Mapping[str, Asking]:
    """The words of each language. Raises IncompletePack."""
    return packs(Path(__file__).with_suffix(""), Asking)


def terms(tool: ToolInfo, language: Language) -> Mapping[str, str]:
    """The tool's own words in a language."""
    known = tool.meta.get(TERMS)
    words = known.get(language) if isinstance(known, Mapping) else None
    return {word: str(translation) for word, translation in words.items()} if isinstance(words, Mapping) else {}
