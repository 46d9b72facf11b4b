"""Sums of money and times of day, read from what people write. Pure; the rules of kinds.py hold."""

from __future__ import annotations

import re

_SCALES = {"": 1, "rb": 10**3, "ribu": 10**3, "jt": 10**6, "juta": 10**6, "m": 10**9, "miliar": 10**9, "milyar": 10**9}


def read_money(text: str) -> str:
    """Whole rupiah as digits: Rp 2.500.000, 2500000, 2,5 juta, 750 ribu."""
    found = re.fullmatch(
        rf"(?:rp\.?|idr)?\s*([0-9]{{1,3}}(?:\.[0-9]{{3}})+|[0-9]+)(?:,([0-9]{{1,3}}))?\s*({'|'.join(_SCALES)})"
        r"\s*(?:rupiah|,-)?\s*(?:(?:per|se)?\s*bulan)?",
        text.casefold(),
    )
    whole, part, scale = found.groups() if found else ("", "", "")
    amount = int(whole.replace(".", "") or 0) * _SCALES[scale]
    amount += int(part) * _SCALES[scale] // 10 ** len(part) if part else 0
    if not 0 < amount < 10**13:
        raise ValueError("tulis jumlahnya dalam rupiah, misalnya Rp2.500.000 atau 2,5 juta.")
    return str(amount)


def read_number(text: str) -> str:
    """A count: 3, 1.250, 2,5. Kept as it is written, for a unit may follow in the letter's text."""
    if not re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|[0-9]{1,12}(?:,[0-9]+)?", text):
        raise ValueError("tulis angkanya saja, misalnya 3 atau 2,5.")
    return text


_HALVES = {"": 0, "pagi": 0, "siang": 12, "sore": 12, "malam": 12}


def read_time(text: str) -> str:
    """A time of day as it is printed, 19.00: from 19:00, pukul 19.00 WIB, jam 7 malam."""
    found = re.fullmatch(
        rf"(?:pukul|jam)?\s*([0-9]{{1,2}})(?:[.:]([0-9]{{2}}))?\s*({'|'.join(_HALVES)})\s*(?:wib|wita|wit)?",
        text.casefold(),
    )
    hour, minute = (int(found[1]), int(found[2] or 0)) if found else (24, 0)
    if found and hour < 12 and not (found[3] == "siang" and hour == 11):
        hour += _HALVES[found[3]]
    if hour > 23 or minute > 59:
        raise ValueError("tulis jamnya, misalnya 19.00 atau jam 7 malam.")
    return f"{hour:02}.{minute:02}"
