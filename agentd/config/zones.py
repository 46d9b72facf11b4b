"""A zone of time by its IANA name, as client.toml writes it. Knows no clock."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator


def _known(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (OSError, ValueError, KeyError):  # a folder, a path, a name that isn't there
        raise ValueError("no such time zone; write an IANA name: Asia/Jakarta, Asia/Makassar, Asia/Jayapura") from None


ZoneName = Annotated[str, AfterValidator(_known)]
