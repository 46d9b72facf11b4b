"""What the models used, by day: added up, kept over restarts, shared by the nodes of one database."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from agentd.clock import OFFICE
from agentd.messages import Catalogue, ModelReply, Usage
from agentd.observability.metrics import Metrics
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.runs.usage import DayUsage, UsageLog
from agentd.testing import ManualClock

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
TODAY = "2026-03-05"
READ_ONLY = sqlite3.OperationalError("attempt to write a readonly database")
READ_ONLY.sqlite_errorname = "SQLITE_READONLY"


def reply(provider: str = "gemini", read: int = 1000, written: int = 40) -> ModelReply:
    return ModelReply(text="", provider=provider, model="m", usage=Usage(input_tokens=read, output_tokens=written))


async def test_a_day_is_added_up_by_provider_and_kept(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    for _ in range(2):  # the second is a restart
        store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
        log = UsageLog(store, clock, OFFICE)
        async with log.kept():
            for _ in range(3):
                log.add(reply())
            log.add(reply("ollama", 7, 1))
        store.close()
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    other_node = UsageLog(store, clock, OFFICE)
    assert await other_node.days(7) == [
        DayUsage(TODAY, "gemini", "m", 6, 6000, 240),
        DayUsage(TODAY, "ollama", "m", 2, 14, 2),
    ]
    clock.advance(timedelta(days=6).total_seconds())
    other_node.add(reply(read=1))
    assert [(one.input_tokens, one.provider) for one in await other_node.days(7)][:2] == [
        (1, "gemini"),
        (6000, "gemini"),
    ]
    clock.advance(timedelta(days=1).total_seconds())
    assert [one.input_tokens for one in await other_node.days(7)] == [1]
    store.close()


async def test_a_day_is_the_offices_whatever_the_hosts_is(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    clock = ManualClock(datetime(2026, 3, 5, 16, 30, tzinfo=UTC))
    log = UsageLog(store, clock, ZoneInfo("Asia/Jakarta"))
    log.add(reply())
    clock.advance(3600)
    log.add(reply())
    assert [one.day for one in await log.days(7)] == ["2026-03-06", "2026-03-05"]
    assert [one.day for one in await UsageLog(store, clock, ZoneInfo("America/New_York")).days(1)][-1] == "2026-03-05"
    store.close()


@pytest.mark.parametrize(
    "now",
    [
        datetime(2026, 11, 1, 22, 30, tzinfo=UTC),  # 23:30 there; eight times 24 hours before, it was 00:30 of the 25th
        datetime(2026, 3, 29, 22, 30, tzinfo=UTC),  # 00:30 there; 24 hours before, it was 23:30 of the 28th
    ],
)
async def test_the_change_of_the_clocks_takes_and_adds_no_day(tmp_path: Path, now: datetime) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    clock = ManualClock(now - timedelta(days=12))
    log = UsageLog(store, clock, ZoneInfo("Europe/Berlin"))
    for _ in range(12 * 24):
        log.add(reply())
        clock.advance(3600)
    log.add(reply())
    for days in range(1, 10):
        assert len(await log.days(days)) == days
    store.close()


async def test_a_database_that_takes_no_write_is_told_once_until_it_takes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a read-only disk the log got two lines a second."""
    monkeypatch.setattr("agentd.runs.usage.WRITTEN_EVERY_S", 0.01)
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    tried = asyncio.Event()

    @sa.event.listens_for(store.engine, "before_cursor_execute")
    def refuse(*given: Any) -> None:
        if "agentd_usage" in given[2] and (tries := next(number, None)) is not None:
            if tries == 5:
                loop.call_soon_threadsafe(tried.set)
            raise OperationalError(given[2], {}, READ_ONLY)

    loop, number = asyncio.get_running_loop(), iter(range(6))
    log = UsageLog(store, ManualClock(NOON), OFFICE)
    with capture_logs() as lines:
        async with log.kept():
            log.add(reply())
            await tried.wait()
    assert [line["event"] for line in lines] == ["store.unavailable"]
    assert [one.turns for one in await log.days(1)] == [1]
    store.close()


async def test_a_scrape_without_the_days_shows_the_rest_and_is_told_once(tmp_path: Path) -> None:
    store, metrics = RunStore(sqlite_engine(tmp_path / "agentd.db")), Metrics()
    metrics.watch(lambda: 3, Catalogue, UsageLog(store, ManualClock(NOON), OFFICE), lambda: ())
    with store.engine.begin() as db:
        db.exec_driver_sql("ALTER TABLE agentd_usage RENAME TO away")
    with capture_logs() as lines:
        for _ in range(2):
            assert b"agentd_runs_active 3.0" in (await metrics.exposition())[0]
    assert [line["event"] for line in lines] == ["usage.not_read"]
    store.close()


async def test_what_cannot_be_written_now_is_written_with_the_next(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    log = UsageLog(store, ManualClock(NOON), OFFICE)
    log.add(reply())
    with store.engine.begin() as db:
        db.exec_driver_sql("ALTER TABLE agentd_usage RENAME TO away")
    with pytest.raises(OperationalError):
        await log.write()
    log.add(reply())
    with store.engine.begin() as db:
        db.exec_driver_sql("ALTER TABLE away RENAME TO agentd_usage")
    assert [one.turns for one in await log.days(1)] == [2]
    store.close()
