"""The servers' clock: the machine's, or one that AGENTD_CLOCK sets for tests and drills. Not a scheduler.

AGENTD_CLOCK is an ISO 8601 time. As given, time stands still; with a trailing `+`, time starts there when this process
first asks and runs on; with `+@SECOND`, it started at that monotonic second of the machine. A time without an offset is
in the machine's local time.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo


class ClockError(ValueError):
    """AGENTD_CLOCK is set to something that isn't a time."""


def now(zone: tzinfo | None = None) -> datetime:
    """Return the current time, aware, in `zone` (default: the clock's own offset). Raises ClockError."""
    setting = os.environ.get("AGENTD_CLOCK", "").strip()
    if not setting:
        return datetime.now(zone) if zone else datetime.now().astimezone()
    start, started = _origin(setting)
    running = setting.partition("@")[0].endswith("+")
    moment = start + timedelta(seconds=time.monotonic() - started) if running else start
    return moment.astimezone(zone) if zone else moment


def office_zone(environ: Mapping[str, str] = os.environ) -> ZoneInfo:
    """Return the office's time zone (DEFAULT_TIMEZONE). Raises ZoneInfoNotFoundError, ValueError."""
    return ZoneInfo(environ.get("DEFAULT_TIMEZONE") or "Asia/Jakarta")


@functools.cache
def _origin(setting: str) -> tuple[datetime, float]:
    """Return the set time and the monotonic second of its start: the given one, or that of the first call."""
    text, _, second = setting.partition("@")
    try:
        start = datetime.fromisoformat(text.removesuffix("+"))
        began = float(second) if second else time.monotonic()
    except ValueError as error:
        raise ClockError(
            f"AGENTD_CLOCK={setting!r} is not an ISO time; write for example 2026-03-05T09:15:00+07:00, "
            "with a + at the end if it shall run on"
        ) from error
    return (start if start.tzinfo else start.astimezone()), began
