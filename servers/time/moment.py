"""One moment as a counter needs it: the time, the date in two languages, the greeting. Pure; reads no clock."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

Greeting = Literal["pagi", "siang", "sore", "malam"]

WEEKDAYS = {
    "id": ("Senin", "Selasa", "Rabu", "Kamis", "Jumat", "Sabtu", "Minggu"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
MONTHS = {
    "id": (
        *("Januari", "Februari", "Maret", "April", "Mei", "Juni"),
        *("Juli", "Agustus", "September", "Oktober", "November", "Desember"),
    ),
    "en": (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
}


class Moment(BaseModel):
    """What `get_current_time` answers. `time` is ISO 8601 with its offset; dates read `5 Maret 2026`, `5 March 2026`;
    `timezone` is the IANA name, `zone` its abbreviation (`WIB`)."""

    model_config = ConfigDict(frozen=True)

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
        """The same in one Indonesian sentence, for a model or a person."""
        clock = f"{self.time[11:16].replace(':', '.')} {self.zone}"
        return f"Selamat {self.greeting}. Sekarang {self.weekday_id}, {self.date_id}, pukul {clock} di {self.city}."


def describe(moment: datetime, timezone: str, city: str) -> Moment:
    """`moment` (already in that zone) in words."""
    weekday, month = moment.weekday(), moment.month - 1
    return Moment(
        time=moment.isoformat(timespec="seconds"),
        weekday_id=WEEKDAYS["id"][weekday],
        weekday_en=WEEKDAYS["en"][weekday],
        date_id=f"{moment.day} {MONTHS['id'][month]} {moment.year}",
        date_en=f"{moment.day} {MONTHS['en'][month]} {moment.year}",
        greeting=greeting(moment.hour),
        timezone=timezone,
        zone=moment.tzname() or timezone,
        city=city,
    )


def greeting(hour: int) -> Greeting:
    """Indonesian usage: pagi from 4, siang from 11, sore from 15, malam from 18 o'clock."""
    if 4 <= hour < 11:
        return "pagi"
    if 11 <= hour < 15:
        return "siang"
    return "sore" if 15 <= hour < 18 else "malam"
