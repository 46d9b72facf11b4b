"""Describes a moment for a counter: the time, the date in two languages, the greeting. No I/O; reads no clock."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

Greeting = Literal["pagi", "siang", "sore", "malam"]

LANGUAGES = {
    language: tomllib.loads(Path(__file__).with_name("languages").joinpath(f"{language}.toml").read_text("utf-8"))
    for language in ("id", "en")
}
"""{language: its names of days and months, and the words by which people ask for the tool}."""
SAID = LANGUAGES["id"]
"""The server's sentences."""


class Moment(BaseModel, frozen=True):
    """What `get_current_time` answers. `time` is ISO 8601 with its offset; dates read `5 Maret 2026`, `5 March 2026`;
    `timezone` is the IANA name, `zone` its abbreviation (`WIB`)."""

    time: str
    weekday_id: str
    weekday_en: str
    date_id: str
    date_en: str
    greeting: Greeting
    timezone: str
    zone: str
    city: str

    @property
    def sentence(self) -> str:
        """Return the moment as an Indonesian sentence, for a model or a person."""
        clock = f"{self.time[11:16].replace(':', '.')} {self.zone}"
        sentence: str = SAID["sentence"]
        return sentence.format(
            greeting=self.greeting, weekday=self.weekday_id, date=self.date_id, clock=clock, city=self.city
        )


def describe(moment: datetime, timezone: str, city: str) -> Moment:
    """Describe `moment`, which is already in that zone."""
    named = {
        language: (
            names["weekdays"][moment.weekday()],
            f"{moment.day} {names['months'][moment.month - 1]} {moment.year}",
        )
        for language, names in LANGUAGES.items()
    }
    return Moment(
        time=moment.isoformat(timespec="seconds"),
        weekday_id=named["id"][0],
        weekday_en=named["en"][0],
        date_id=named["id"][1],
        date_en=named["en"][1],
        greeting=greeting(moment.hour),
        timezone=timezone,
        zone=moment.tzname() or timezone,
        city=city,
    )


def greeting(hour: int) -> Greeting:
    """Return the Indonesian greeting: pagi from 4, siang from 11, sore from 15, malam from 18 o'clock."""
    if 4 <= hour < 11:
        return "pagi"
    if 11 <= hour < 15:
        return "siang"
    return "sore" if 15 <= hour < 18 else "malam"
