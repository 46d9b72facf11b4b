"""The sample register: 60 invented residents in 20 families, read from sample.csv. No office's data."""

from __future__ import annotations

import csv
from pathlib import Path

from servers.common.phrases import phrases
from servers.residents.pins import OpensidPins, opensid_form
from servers.residents.resident import Found, Resident

FILE = Path(__file__).with_name("sample.csv")
NOTICE = phrases("servers.residents")["sample"]


class SampleRegister:
    """All names are marked CONTOH; the PINs are public in the file."""

    notice: str | None = NOTICE

    def __init__(self) -> None:
        self.pins = OpensidPins()
        with FILE.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = [_found(row) for row in rows]
        self._by_nik = {one.resident.nik: one for one in found}
        self._by_card = {row["kartu"]: one for row, one in zip(rows, found, strict=True) if row["kartu"]}

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        return self._by_nik.get(nik) if nik is not None else self._by_card.get(card or "")

    def family(self, found: Found) -> list[Found]:
        members = [one for one in self._by_nik.values() if one.family == found.family]
        return [one for one in members if one.standing == "resident"]


def _found(row: dict[str, str]) -> Found:
    resident = Resident(**{name: row[name] or None for name in Resident.model_fields})
    return Found(
        resident=resident,
        standing="resident",
        family=resident.no_kk,
        pin=opensid_form(row["pin"]) if row["pin"] else None,
    )
