"""Finds the time zone that somebody means: an IANA name, WIB/WITA/WIT, or one of some cities."""

from __future__ import annotations

import functools
import zoneinfo

from servers.time.moment import SAID

INDONESIAN = {"wib": "Asia/Jakarta", "wita": "Asia/Makassar", "wit": "Asia/Jayapura", "utc": "UTC", "gmt": "UTC"}

# Indonesian cities without an IANA zone of their own.
WESTERN = (
    "depok bogor bekasi tangerang tangerang_selatan serang cilegon bandung cimahi cirebon tasikmalaya sukabumi karawang"
    " semarang surakarta solo yogyakarta jogja magelang tegal purwokerto surabaya malang kediri madiun jember sidoarjo"
    " gresik medan binjai pematangsiantar banda_aceh padang bukittinggi pekanbaru dumai batam tanjungpinang jambi"
    " palembang bengkulu bandar_lampung lampung pangkalpinang palangkaraya palangka_raya singkawang jakarta_pusat"
    " jakarta_timur jakarta_barat jakarta_selatan jakarta_utara"
)
CENTRAL = "denpasar bali mataram lombok kupang banjarmasin balikpapan samarinda palu manado gorontalo kendari mamuju"
EASTERN = "ambon ternate sofifi sorong manokwari merauke timika nabire"


class UnknownZone(ValueError):
    """No time zone has this name; the text is for the caller."""


def by_name(name: str) -> zoneinfo.ZoneInfo:
    """Return the zone for a name: `Asia/Jakarta`, `asia/jakarta`, `WIB`, `Jakarta`. Raises UnknownZone."""
    key = _fold(name)
    found = INDONESIAN.get(key) or _names().get(key) or _cities().get(key)
    if found is None:
        raise UnknownZone(SAID["unknown_zone"].format(zone=name[:40]))
    return zoneinfo.ZoneInfo(found)


def of_city(city: str) -> zoneinfo.ZoneInfo | None:
    """Return the time zone of a city, or None if the city is unknown."""
    found = _cities().get(_fold(city))
    return zoneinfo.ZoneInfo(found) if found else None


def _fold(name: str) -> str:
    return name.strip().replace(" ", "_").casefold()


@functools.cache
def _names() -> dict[str, str]:
    return {name.casefold(): name for name in zoneinfo.available_timezones()}


@functools.cache
def _cities() -> dict[str, str]:
    cities = {
        name.rpartition("/")[2].casefold(): name for name in sorted(zoneinfo.available_timezones()) if "/" in name
    }
    cities |= dict.fromkeys(WESTERN.split(), INDONESIAN["wib"])
    cities |= dict.fromkeys(CENTRAL.split(), INDONESIAN["wita"])
    return cities | dict.fromkeys(EASTERN.split(), INDONESIAN["wit"])
