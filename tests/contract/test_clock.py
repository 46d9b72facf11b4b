"""What every Clock keeps, asked of the twin that moves when told to, of the machine's and of a set one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agentd.clock import SetClock, SystemClock, clock_of
from agentd.ports import Clock
from agentd.testing import ManualClock

CLOCKS: list[Callable[[], Clock]] = [
    ManualClock,
    SystemClock,
    lambda: SetClock(datetime(2026, 1, 5, tzinfo=UTC), running=False),
    lambda: clock_of("2026-03-05T09:15:00+07:00+"),
]


@pytest.mark.parametrize("made", CLOCKS)
def test_the_time_is_of_utc_and_seconds_never_decrease(made: Callable[[], Clock]) -> None:
    clock = made()
    before, seconds = clock.now(), clock.monotonic()
    assert before.tzinfo is UTC and clock.now() >= before and clock.monotonic() >= seconds


def test_setting_the_date_moves_no_seconds_and_waiting_moves_both() -> None:
    clock = ManualClock()
    start = clock.now()
    clock.leap(-3600)
    assert clock.monotonic() == 0 and (start - clock.now()).total_seconds() == 3600
    clock.advance(3600)
    assert clock.monotonic() == 3600 and clock.now() == start
