"""The daemon's clock: the machine's, or one set by AGENTD_CLOCK for tests and drills."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

SKEW_REPORTED_S = 2.0
"""A node is reported if its clock differs from the database's by more seconds than this."""

OFFICE = ZoneInfo("Asia/Jakarta")
"""The default time zone of an office."""

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

SLACK = timedelta(minutes=5)
"""A time that is further ahead than its rule plus this was written before the clock was set back."""


def holds(until: datetime, now: datetime, length: timedelta) -> bool:
    """Whether a period of `length` that ends at `until` still runs. If the clock was set back, it has ended."""
    return now < until <= now + length + SLACK


def iso(moment: datetime) -> str:
    """The time as stored in rows: UTC, ISO 8601 with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def day_in(zone: ZoneInfo, moment: str) -> str:
    """The date (ISO 8601) of a row's time in the office's zone."""
    return datetime.fromisoformat(moment).astimezone(zone).date().isoformat()


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never decrease, including those in which the machine was suspended."""
        return time.clock_gettime(_SINCE_BOOT)


class SetClock:
    """A set time, which stands still or runs on from there."""

    def __init__(self, start: datetime, running: bool, began: float | None = None) -> None:
        self._start = start.astimezone(UTC)
        self._running = running
        self._began = time.monotonic() if began is None else began

    def now(self) -> datetime:
        if not self._running:
            return self._start
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def monotonic(self) -> float:
        """Real seconds that never decrease, so that budgets and waits are real even if the date is not."""
        return time.monotonic()


def clock_of(setting: str | None) -> SystemClock | SetClock:
    """Read AGENTD_CLOCK: an ISO time that stands still or, with a trailing `+`, runs from now on, or with `+@SECOND`
    since that second of the machine's monotonic clock. Raises ValueError."""
    return SetClock(*_read(setting)) if setting else SystemClock()


@cache
def shared(setting: str) -> str:
    """The setting for child processes, with its UTC offset and the second since which it runs, so that all of a
    daemon's processes have the same time. Raises ValueError."""
    start, running, began = _read(setting)
    return f"{start.isoformat()}{f'+@{time.monotonic() if began is None else began}' if running else ''}"


def _read(setting: str) -> tuple[datetime, bool, float | None]:
    text, _, began = setting.partition("@")
    moment = datetime.fromisoformat(text.removesuffix("+"))
    start = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return start, text.endswith("+"), float(began) if began else None
