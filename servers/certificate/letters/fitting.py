"""Checks that a letter's values agree, person by person, and formats them for printing. No I/O; reads no raw values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date

from servers.certificate.languages import OfficeWords
from servers.certificate.letters import kinds
from servers.certificate.letters.fields import LetterField
from servers.certificate.messages import Message

Fields = Mapping[str, LetterField]


def compare(fields: Fields, values: Mapping[str, str], today: date) -> dict[str, Message]:
    """Return what disagrees, as {field name: message}. Only fields that are valid by themselves are compared."""
    problems = dict(_wrong_times(fields, values, today))
    for names in _persons(fields, values):
        problems |= dict(_wrong_identity(fields, names, values))
    return problems


def _wrong_times(fields: Fields, values: Mapping[str, str], today: date) -> Iterator[tuple[str, Message]]:
    for name, field in fields.items():
        value = values.get(name, "")
        begins = f"{value}-01-01"[:10] if field.kind == "since" else value  # the first day of a year or month
        day = _day(begins) if field.kind in ("date", "since") else None
        if day is None:
            continue
        if day > today and field.time != "future":
            yield name, Message("date_ahead")
        elif today.year - day.year > 120:
            yield name, Message("year_impossible")
        elif day < today and field.time == "future":
            yield name, Message("date_past")


def _persons(fields: Fields, values: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield, for each person, the fields about them that have a value."""
    for about in dict.fromkeys(field.about for field in fields.values()):
        yield [name for name, field in fields.items() if field.about == about and name in values]


def _wrong_identity(fields: Fields, names: list[str], values: Mapping[str, str]) -> Iterator[tuple[str, Message]]:
    """Compare a person's NIK, which contains date of birth and sex unless temporary, with their other fields."""
    nik = next((name for name in names if fields[name].kind == "nik"), None)
    if nik is None or not kinds.is_nik(values[nik]) or kinds.is_temporary_nik(values[nik]):
        return
    for name in names:
        field, value = fields[name], values[name]
        born = _day(value) if field.kind == "date" and name.startswith("tanggal_lahir") else None
        if born is not None and kinds.nik_birth(values[nik]) != (born.day, born.month, born.year % 100):
            yield nik, Message("nik_not_birth")
        elif field.choices == "jenis_kelamin" and (value == "Perempuan") != kinds.nik_is_woman(values[nik]):
            yield name, Message("not_the_nik")
        elif field.kind == "kk" and value == values[nik]:
            yield name, Message("kk_is_nik")


def warnings(fields: Fields, values: Mapping[str, str]) -> list[Message]:
    """Return what the counter should check, though it doesn't stop the letter."""
    niks = [values[name] for name, field in fields.items() if field.kind == "nik" and name in values]
    found = [Message("temporary_nik")] if any(map(kinds.is_temporary_nik, niks)) else []
    unknown = any(nik[:2] not in kinds.PROVINCES and not kinds.is_temporary_nik(nik) for nik in niks)
    return found + ([Message("unknown_region")] if unknown else [])


def display(values: Mapping[str, str], fields: Fields, words: OfficeWords) -> dict[str, str]:
    """Return the values as printed: dates and months in words, telephone numbers in national format, money with dots.

    A temporary NIK is left out: the office assigned it, and it proves nobody's identity.
    """
    shown = {}
    for name, value in values.items():
        kind = fields[name].kind
        day = _day(value) if kind in ("date", "since") else None
        if kind == "nik" and kinds.is_temporary_nik(value):
            continue
        if kind == "phone":
            value = kinds.dialled(value)
        elif kind == "money" and value.isdecimal():
            value = f"Rp{int(value):,}".replace(",", ".")
        elif kind == "since" and re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", value):
            value = f"{words.months[int(value[5:]) - 1]} {value[:4]}"
        shown[name] = value if day is None else words.date(day)
    return shown


def _day(value: str) -> date | None:
    """Parse a date; None if the register has something else there."""
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
