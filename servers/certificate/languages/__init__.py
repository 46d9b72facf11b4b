"""The letter service's own words, one TOML file per language: what it says in the office's language, and what it
understands in any. The letters' texts are elsewhere.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path

from pydantic import BaseModel

DEFAULT = "id"
"""For an office that sets none."""
LANGUAGES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.toml")))


class ReadingWords(BaseModel, frozen=True, extra="forbid"):
    """How people write what a field takes; lower case, regular expressions where a word alone doesn't do."""

    months: tuple[tuple[str, ...], ...]
    """Other spellings of each month."""
    date_fillers: tuple[str, ...] = ()
    """Words in a date that carry no meaning."""
    ordinals: tuple[str, ...] = ()
    scales: Mapping[str, int] = {}
    currencies: tuple[str, ...] = ()
    after_sums: tuple[str, ...] = ()
    months_paid: tuple[str, ...] = ()
    before_hours: tuple[str, ...] = ()
    parts_of_day: Mapping[str, int] = {}
    """{part of the day: the hour from which it is counted; an hour of twelve is the next one from there}."""
    zones: tuple[str, ...] = ()
    before_streets: tuple[str, ...] = ()
    streets: tuple[str, ...] = ()
    """Words that begin a street's name."""
    numbered_streets: tuple[str, ...] = ()
    """Words after which RT and RW are part of a street's name."""
    rt: tuple[str, ...] = ()
    rw: tuple[str, ...] = ()
    conjunctions: tuple[str, ...] = ()


class OfficeWords(BaseModel, frozen=True, extra="forbid"):
    """One language's words; `{name}` in them is filled by `str.format`."""

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
    declarant: str
    """Whose statement a letter is based on if it names nobody."""
    tools: Mapping[str, str]
    titles: Mapping[str, str]
    verification: Mapping[str, str]
    """{`cause` of a Verification: its sentence}."""
    asked_by: Mapping[str, tuple[str, ...]]
    reading: ReadingWords
    hints: Mapping[str, str]
    """{kind of field: what to write}, if the letter itself has no hint."""
    messages: Mapping[str, str]

    @property
    def language(self) -> str:
        """Return the language's code."""
        return self.locale.partition("-")[0]

    def date(self, day: date) -> str:
        """Format a date: 5 Maret 1990."""
        return f"{day.day} {self.months[day.month - 1]} {day.year}"

    def joined(self, parts: list[str]) -> str:
        """Join the parts: a, b dan c."""
        return f"{', '.join(parts[:-1])} {self.conjunction} {parts[-1]}" if len(parts) > 1 else "".join(parts)

    def say(self, key: str, **values: object) -> str:
        """Return one of `messages` with its placeholders filled."""
        return self.messages[key].format(**values)


@cache
def words(language: str) -> OfficeWords:
    text = Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    return OfficeWords.model_validate(tomllib.loads(text))


@cache
def terms() -> Mapping[str, Mapping[str, str]]:
    """Return {language: {word of the shipped letters: the same in that language}}."""
    files = sorted((Path(__file__).parent / "terms").glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def asked_by(*subjects: str) -> list[str]:
    """Return the words by which people ask about these, in all languages: visitors may not speak the office's."""
    return [phrase for language in LANGUAGES for one in subjects for phrase in words(language).asked_by[one]]


def any_of(kind: str) -> str:
    """Return a regular expression for any word of this kind of ReadingWords, in any language."""
    every = [getattr(words(language).reading, kind) for language in LANGUAGES]
    return "|".join(sorted((word for some in every for word in some), key=len, reverse=True))


@cache
def month_numbers() -> Mapping[str, int]:
    """Return {month as people write it, in any language: 1 to 12}."""
    return {
        name.casefold(): number
        for pack in map(words, LANGUAGES)
        for number, (month, others) in enumerate(zip(pack.months, pack.reading.months, strict=True), 1)
        for name in (month, *others)
    }
