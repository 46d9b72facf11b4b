"""The letter service's own words in the office's language (office.toml), one TOML a language. No letter's text.

What is said of wrong values is written in Indonesian where it is found; `translated` says it in the office's language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache, cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

LANGUAGES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.toml")))


class OfficeWords(BaseModel):
    """One language's words; `{name}` in them is filled by `str.format`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    locale: str
    months: tuple[str, ...]
    conjunction: str
    draft_mark: str
    draft_number: str
    number: str
    valid_until: str
    qr: str
    scan: str
    original: str
    rests_on: str
    records: str
    statement: str
    seen: str
    issued: str
    already_issued: str
    needed: str
    data: str
    fee: str
    open: str
    offered: str
    unknown: str
    wrong_fields: str
    instructions: str
    tools: Mapping[str, str]
    verification: Mapping[str, str]
    """{`cause` of a Verification: its sentence}."""
    asked_by: Mapping[str, tuple[str, ...]]
    errors: Mapping[str, str] = {}
    """{the Indonesian sentence: this language's}; empty for Indonesian."""

    @property
    def language(self) -> str:
        """Its code."""
        return self.locale.partition("-")[0]

    def date(self, day: date) -> str:
        """5 Maret 1990."""
        return f"{day.day} {self.months[day.month - 1]} {day.year}"

    def joined(self, parts: list[str]) -> str:
        """a, b dan c."""
        return f"{', '.join(parts[:-1])} {self.conjunction} {parts[-1]}" if len(parts) > 1 else "".join(parts)

    def translated(self, sentence: str) -> str:
        """An Indonesian sentence of this service in this language; as it is where it isn't known."""
        for pattern, template in self._patterns:
            if found := pattern.fullmatch(sentence):
                return template.format(*map(self.translated, found.groups()))
        return sentence

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile("(.+)".join(map(re.escape, old.split("{}")))), new) for old, new in self.errors.items()]


@cache
def words(language: str) -> OfficeWords:
    """The words of one of LANGUAGES."""
    text = Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    return OfficeWords.model_validate(tomllib.loads(text))


def asked_by(*subjects: str) -> list[str]:
    """By which words people ask about these, in every language: visitors don't all speak the office's."""
    return [phrase for language in LANGUAGES for one in subjects for phrase in words(language).asked_by[one]]
