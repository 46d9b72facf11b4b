"""The office behind the letters: letterhead, signers, number pattern, read from office.toml. It holds no keys."""

from __future__ import annotations

import calendar
import itertools
import re
import string
import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError, field_validator, model_validator

from servers.certificate.languages import DEFAULT, LANGUAGES, OfficeWords, words

SAMPLE = Path(__file__).parents[2] / "profiles" / "kelurahan" / "office.toml"
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")

SLOTS = frozenset({"jabatan", "kelurahan", "kecamatan", "kota", "provinsi"})
"""The slots of a letter's text for the office; `jabatan` is its signer's title."""


class OfficeError(ValueError):
    """The office file can't be used; the text names the file and the key."""


def unique_pattern(pattern: str) -> str:
    """Return the pattern if it gives every letter a different number. Raises ValueError."""
    for _, name, width, turned in string.Formatter().parse(pattern):
        if name is not None and (
            turned or not re.fullmatch("[a-z_]+", name) or not re.fullmatch("0?[0-9]?d?", width or "")
        ):
            raise ValueError(f"{{{name}…}} is not usable in it: write {{seq}}, or {{seq:03}} for three digits")
    given: dict[str, tuple[int, str, int]] = {}
    for seq, series, year, month in itertools.product((1, 2, 11, 12, 111, 112), "AB", (2026, 2027), (1, 2, 11, 12)):
        try:
            number = pattern.format(**_parts(seq, series, date(year, month, 1)))
        except (KeyError, ValueError, IndexError) as error:
            raise ValueError(f"{error} is not usable in it: use seq, series, month, month_roman, year") from error
        if given.setdefault(number, (seq, series, year)) != (seq, series, year):
            raise ValueError("needs {seq}, {series} and {year}, each set apart, or two letters would get one number")
    return pattern


def _parts(seq: int, series: str, day: date) -> dict[str, int | str]:
    month_roman = ROMAN[day.month - 1]
    return {"seq": seq, "series": series, "year": day.year, "month": day.month, "month_roman": month_roman}


NumberPattern = Annotated[str, AfterValidator(unique_pattern)]


class Signer(BaseModel, frozen=True, extra="forbid"):
    """Who signs: the block under the letter."""

    title: str
    name: str
    nip: str = ""
    on_behalf: str = ""


class Office(BaseModel, frozen=True, extra="forbid"):
    """What office.toml says; the shipped sample documents every key."""

    language: str = DEFAULT
    kelurahan: str
    kecamatan: str = ""
    kota: str = ""
    provinsi: str = ""
    place: str
    letterhead: tuple[str, ...] = Field(min_length=1)
    address: str = ""
    number_pattern: NumberPattern
    validity_months: int = Field(default=0, ge=0, le=60)
    verify_base_url: str
    hours: str | dict[str, str] = ""
    fee: str | dict[str, str] = ""
    """Of both: one text, or {language: text}, the office's own language first."""
    default_signer: str
    signers: dict[str, Signer]

    @model_validator(mode="after")
    def _default_signer_exists(self) -> Office:
        if self.default_signer not in self.signers:
            raise ValueError(f"default_signer = {self.default_signer!r} has no [signers.{self.default_signer}]")
        return self

    @field_validator("language")
    @classmethod
    def _language_is_known(cls, language: str) -> str:
        if language not in LANGUAGES:
            raise ValueError(f"{language!r} is none of {', '.join(LANGUAGES)}")
        return language

    @property
    def speech(self) -> OfficeWords:
        """Return the service's own words in the office's language."""
        return words(self.language)

    def hours_and_fee(self, words: OfficeWords) -> tuple[str | None, str | None]:
        """Return (hours, fee) in a language, or as the office has them; None for what it doesn't say."""
        each = (one if isinstance(one, dict) else {"": one} for one in (self.hours, self.fee))
        hours, fee = (one.get(words.language) or next(iter(one.values()), "") or None for one in each)
        return hours, fee

    def number(self, seq: int, series: str, day: date, pattern: str | None = None) -> str:
        """Return a letter's number, for example 001/SKD/CONTOH/III/2026; `pattern` is the letter's own, if any."""
        return (pattern or self.number_pattern).format(**_parts(seq, series, day))

    def valid_until(self, day: date) -> date | None:
        """Return the last day a letter of `day` is valid; None if the office sets no limit."""
        if not self.validity_months:
            return None
        years, month = divmod(day.month - 1 + self.validity_months, 12)
        last = calendar.monthrange(day.year + years, month + 1)[1]
        return date(day.year + years, month + 1, min(day.day, last))

    def signer(self, name: str | None) -> Signer:
        return self.signers[name or self.default_signer]

    def words(self, signer: Signer) -> dict[str, str]:
        """Return the values of a letter's slots for the office and its signer."""
        return {"jabatan": signer.title} | {name: str(getattr(self, name)) for name in SLOTS - {"jabatan"}}


def load(path: Path = SAMPLE) -> Office:
    """Read an office file. Raises OfficeError."""
    try:
        return Office(**tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise OfficeError(f"{path}: {error.strerror}; OFFICE_FILE names the office's data") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OfficeError(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise OfficeError(f"{path}: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from error
