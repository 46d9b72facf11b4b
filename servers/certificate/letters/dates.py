"""Reads the dates that people write: a day, or since when. No I/O; each raises WrongValue."""

from __future__ import annotations

import re
from datetime import date

from servers.certificate.languages import any_of, month_numbers
from servers.certificate.messages import WrongValue

_DATE_NOISE = re.compile(rf"\b(?:{any_of('date_fillers')})\b\.?|(?<=\d)(?:{any_of('ordinals')})\b|,")


def read_date(text: str) -> str:
    """Parse a date as Indonesians write it, day first (5 Maret 1990, 05-03-1990, 5/3/1990), or in ISO (1990-03-05)."""
    words = re.findall(r"[0-9]+|[^\W\d_]+", _DATE_NOISE.sub(" ", text.casefold()))
    parts = [int(word) if word.isdecimal() else month_numbers().get(word, 0) for word in words]
    named = [number for word, number in zip(words, parts, strict=True) if not word.isdecimal()]
    if len(parts) != 3 or 0 in parts or len(named) > 1:
        raise WrongValue("date_unreadable")
    if named and not words[0].isdecimal():
        parts[0], parts[1] = parts[1], parts[0]
    if len(words[0]) == 4:
        parts.reverse()
    day, month, year = parts
    if year < 100:
        raise WrongValue("date_short_year")
    if not is_date(year, month, day):
        raise WrongValue("date_not_in_calendar")
    return date(year, month, day).isoformat()


def read_since(text: str) -> str:
    """Parse when something began: a year (`2015`), a month (`Maret 2015`, 2015-03) or a date."""
    words = _DATE_NOISE.sub(" ", text.casefold()).split()
    named = " ".join(str(month_numbers().get(word, word)) for word in words)
    found = re.fullmatch(r"(?:([0-9]{1,2})[ /-])?([12][0-9]{3})|([12][0-9]{3})-([0-9]{2})", named)
    if found is None:
        return read_date(text)
    year, month = found[2] or found[3], found[1] or found[4]
    if month is None:
        return year
    if not 1 <= int(month) <= 12:
        raise WrongValue("date_not_in_calendar")
    return f"{year}-{int(month):02}"


def is_date(year: int, month: int, day: int) -> bool:
    """Return whether the calendar has this day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
