"""Parses amounts of money and times of day as people write them. No I/O; follows the rules of kinds.py."""

from __future__ import annotations

import re

from servers.certificate.languages import LANGUAGES, any_of, words
from servers.certificate.messages import WrongValue

_SCALES = {"": 1} | {word: n for one in LANGUAGES for word, n in words(one).reading.scales.items()}
_PARTS_OF_DAY = {part: hour for one in LANGUAGES for part, hour in words(one).reading.parts_of_day.items()}
_MONEY = re.compile(
    rf"(?:{any_of('currencies')})?\s*([0-9]{{1,3}}(?:\.[0-9]{{3}})+|[0-9]+)(?:,([0-9]{{1,3}}))?\s*({'|'.join(_SCALES)})"
    rf"\s*(?:{any_of('after_sums')})?\s*(?:{any_of('months_paid')})?"
)
_TIME = re.compile(
    rf"(?:{any_of('before_hours')})?\s*([0-9]{{1,2}})(?:[.:]([0-9]{{2}}))?"
    rf"\s*({'|'.join(map(re.escape, _PARTS_OF_DAY))})?\s*(?:{any_of('zones')})?"
)


def read_money(text: str) -> str:
    """Parse an amount in rupiah and return whole rupiah as digits: Rp 2.500.000, 2500000, 2,5 juta, 750 ribu."""
    found = _MONEY.fullmatch(text.casefold())
    whole, part, scale = found.groups() if found else ("", "", "")
    amount = int(whole.replace(".", "") or 0) * _SCALES[scale]
    amount += int(part) * _SCALES[scale] // 10 ** len(part) if part else 0
    unclear = part and not scale and part != "00"  # `1,500` may be 1500 as others write it, `1,5` a million more
    if unclear or not 0 < amount < 10**13:
        raise WrongValue("money")
    return str(amount)


def read_time(text: str) -> str:
    """Parse a time of day (19:00, pukul 19.00 WIB, jam 7 malam) and return it as printed: 19.00."""
    found = _TIME.fullmatch(text.casefold())
    hour, minute = (int(found[1]), int(found[2] or 0)) if found else (24, 0)
    if found and found[3] and hour <= 12:
        first = _PARTS_OF_DAY[found[3]]
        hour = (first + (hour - first) % 12) % 24
    if hour > 23 or minute > 59:
        raise WrongValue("time")
    return f"{hour:02}.{minute:02}"
