"""The daemon's clock: the machine's, or the one that AGENTD_CLOCK sets for tests and drills."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

SKEW_REPORTED_S = 2.0
"""A node whose clock is farther than this from its database's is reported."""

OFFICE = ZoneInfo("Asia/Jakarta")
"""The zone of an office that names none."""

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

SLACK = timedelta(minutes=5)
"""What lies further ahead than its rule and this was written before the clock was set back."""


def holds(until: datetime, now: datetime, length: timedelta) -> bool:
    """Whether what was given `length` ends after now. A clock set back makes it end, not last longer."""
    return now < until <= now + length + SLACK


def iso(moment: datetime) -> str:
    """A time as rows keep it: UTC, ISO 8601 with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def day_in(zone: ZoneInfo, moment: str) -> str:
    """The date of a row's time in the office's zone, ISO 8601."""
    return datetime.fromisoformat(moment).astimezone(zone).date().isoformat()


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that only grow, those of a suspended machine among them."""
        return time.clock_gettime(_SINCE_BOOT)


class SetClock:
    """A time that was set: it stands still, or runs on from there."""

    def __init__(self, start: datetime, *, running: bool, began: float | None = None) -> None:
        self._start = start.astimezone(UTC)
        self._running = running
        self._began = time.monotonic() if began is None else began

    def now(self) -> datetime:
        """The set time, plus what has passed since when it runs on."""
        if not self._running:
            return self._start
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def monotonic(self) -> float:
        """Seconds that only grow: budgets and waits are real even where the date is not."""
        return time.monotonic()


def clock_of(setting: str | None) -> SystemClock | SetClock:
    """AGENTD_CLOCK: an ISO time that stands still or, with a trailing `+`, runs on: from now, or since the machine's
    monotonic second that follows (`+@SECOND`). Raises ValueError."""
    if not setting:
        return SystemClock()
    start, running, began = _read(setting)
    return SetClock(start, running=running, began=began)


@cache
def shared(setting: str) -> str:
    """The setting as this process hands it on, so that all of a daemon's processes have one time, whenever they begin:
    with its offset and the second since which it runs. Raises ValueError."""
    start, running, began = _read(setting)
    return f"{start.isoformat()}{f'+@{time.monotonic() if began is None else began}' if running else ''}"


def _read(setting: str) -> tuple[datetime, bool, float | None]:
    text, _, began = setting.partition("@")
    moment = datetime.fromisoformat(text.removesuffix("+"))
    start = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return start, text.endswith("+"), float(began) if began else None
