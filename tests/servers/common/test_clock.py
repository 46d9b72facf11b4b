"""AGENTD_CLOCK: the time of tests and drills (design.md, Settled points)."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from agentd.clock import clock_of
from servers.common import clock


def test_a_set_time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-05T09:15:00+07:00")
    assert clock.now() == clock.now() == datetime(2026, 3, 5, 2, 15, tzinfo=UTC)
    assert clock.now(ZoneInfo("Asia/Makassar")).hour == 10


def test_a_trailing_plus_lets_it_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-05T09:15:00+07:00+")
    first = clock.now()
    while (second := clock.now()) == first:
        pass
    assert datetime(2026, 3, 5, 2, 15, tzinfo=UTC) <= first < second
    assert (second - first).total_seconds() < 60


def test_one_that_runs_since_a_second_of_the_machine_is_the_same_in_every_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", f"2026-03-05T09:15:00+07:00+@{time.monotonic() - 3600}")
    daemons = clock_of(os.environ["AGENTD_CLOCK"])
    before, here, after = daemons.now(), clock.now(), daemons.now()
    assert datetime(2026, 3, 5, 3, 15, tzinfo=UTC) <= before <= here <= after


def test_unset_it_is_the_machines_time_and_aware(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTD_CLOCK", raising=False)
    assert abs((clock.now() - datetime.now(UTC)).total_seconds()) < 60


def test_a_time_that_is_none_says_how_to_write_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", "tomorrow")
    with pytest.raises(clock.ClockError, match="2026-03-05T09:15:00"):
        clock.now()
