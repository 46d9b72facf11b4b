"""Which sessions have had their time, and which are kept whatever their age."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest

from agentd.errors import Conflict, Forbidden, NotFound
from agentd.messages import AgentOptions, Caller, folder_of_run
from agentd.runs.records import PendingApproval, RunBrief, RunRecord, SessionRecord
from agentd.runs.retention import Ages, Steady, purge, retention
from agentd.runs.sessions import BY_HAND, INTERNAL
from agentd.testing import ManualClock, MemoryTools
from tests.agentd.runs.test_engine import KIOSK, LETTER, Daemon, call, final

STAFF = Caller(id="desk", scopes=frozenset({"staff"}))


async def there(daemon: Daemon, *run_ids: str) -> list[str]:
    rows = [await daemon.store.run(run_id) for run_id in run_ids]
    return [row.run_id for row in rows if row is not None]


@pytest.mark.parametrize(
    ("set_back", "days", "left"),
    [
        (0, (0.9, 0.2, 28.0, 2.0), [["kiosk", "desk"], ["desk"], ["desk"], []]),
        (3 * 365, (0.0, 0.9, 0.2), [["kiosk", "desk"], ["kiosk", "desk"], ["desk"]]),
    ],
    ids=["in their time", "the clock was set back"],
)
async def test_a_visitors_session_goes_after_a_day_and_staffs_after_thirty(
    tmp_path: Path, set_back: int, days: tuple[float, ...], left: list[list[str]]
) -> None:
    daemon = Daemon(tmp_path, final("x"))
    async with daemon.engine:
        await daemon.runs.run("a", AgentOptions(run_id="kiosk"), KIOSK)
        await daemon.runs.run("a", AgentOptions(run_id="desk"), STAFF)
        daemon.clock.advance(-set_back * 86_400)
        seen = []
        for passed in days:
            daemon.clock.advance(passed * 86_400)
            await purge(daemon.sessions, Ages())
            seen.append(await there(daemon, "kiosk", "desk"))
        assert seen == left
    daemon.store.close()


async def test_what_was_used_before_a_leap_of_the_date_waits_for_an_officer(tmp_path: Path) -> None:
    """A wrong date that stands is believed after a day: it costs what was said since, and nothing from before."""
    daemon = Daemon(tmp_path, final("x"), final("x"), final("x"))
    async with daemon.engine:
        await daemon.runs.run("a", AgentOptions(run_id="before"), STAFF)
        daemon.clock.advance(400 * DAY)
        seen = []
        for run_id in ("first", "second"):
            await daemon.runs.run("a", AgentOptions(run_id=run_id), KIOSK)
            daemon.clock.advance(2 * DAY)
            await purge(daemon.sessions, Ages())
            seen.append(await there(daemon, "before", "first", "second"))
        assert seen == [["before"], ["before"]]
    daemon.store.close()


HOUR, DAY = 3600.0, 86_400.0
AT = "2026-01-05T02:00:00.000+00:00"
"""Where a ManualClock begins."""


@pytest.mark.parametrize(
    ("latest", "happens", "believed"),
    [
        (AT, [("passes", 0.9 * HOUR)], False),
        (AT, [("passes", HOUR)], True),
        ("2026-01-02T02:00:00.000+00:00", [("passes", 23 * HOUR)], False),
        ("2026-01-02T02:00:00.000+00:00", [("passes", DAY)], True),
        ("2026-01-08T02:00:00.000+00:00", [("passes", 23 * HOUR)], False),
        (AT, [("passes", DAY), ("leaps", 3 * DAY)], False),
        (AT, [("passes", DAY), ("leaps", 3 * DAY), ("passes", 23 * HOUR), ("leaps", -3 * DAY)], False),
        (AT, [("passes", DAY), ("leaps", 3 * DAY), ("passes", 23 * HOUR)], False),
        (AT, [("passes", DAY), ("leaps", 3 * DAY), ("passes", DAY)], True),
        (AT, [("passes", DAY), ("leaps", -3 * DAY), ("passes", 23 * HOUR)], False),
        (AT, [("passes", DAY), ("leaps", 60.0)], True),
    ],
)
def test_a_clock_is_believed_once_it_has_run_on(latest: str, happens: list[tuple[str, float]], believed: bool) -> None:
    clock = ManualClock()
    steady = Steady(clock, [SessionRecord("s", "kiosk", latest, latest)], Ages())
    said = steady.holds()
    for what, seconds in happens:
        (clock.advance if what == "passes" else clock.leap)(seconds)
        said = steady.holds()
    assert said is believed


class _Looked(ManualClock):
    """Tells when it is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self._looks: asyncio.Queue[None] = asyncio.Queue()

    def monotonic(self) -> float:
        self._looks.put_nowait(None)
        return super().monotonic()

    async def looked_at(self) -> None:
        """It was, from now on, and again."""
        for _ in range(self._looks.qsize() + 12):
            await self._looks.get()


async def test_a_clock_set_days_ahead_and_back_erases_nothing_early(tmp_path: Path) -> None:
    clock = _Looked()
    daemon = Daemon(tmp_path, final("x"), clock=clock)
    async with daemon.engine, asyncio.timeout(300):
        await daemon.runs.run("a", AgentOptions(run_id="kiosk"), KIOSK)
        async with retention(daemon.sessions, Ages(), 0.01):
            await clock.looked_at()
            clock.advance(2 * HOUR)
            await clock.looked_at()
            clock.leap(40 * DAY)
            await clock.looked_at()
            clock.advance(5 * HOUR)
            await clock.looked_at()
            clock.leap(-40 * DAY)
            await clock.looked_at()
            assert await there(daemon, "kiosk") == ["kiosk"]
            clock.advance(DAY)
            while await there(daemon, "kiosk"):
                await clock.looked_at()
    daemon.store.close()


async def test_a_yes_asked_for_before_the_clock_was_set_back_is_over_and_an_officers_task_is_not(
    tmp_path: Path,
) -> None:
    daemon, caller = Daemon(tmp_path, final("x")), Caller(id="agent", scopes=frozenset({"model"}))
    async with daemon.engine:
        until = (daemon.clock.now() + timedelta(seconds=900)).isoformat()
        rules: list[tuple[str, Literal["citizen", "staff"]]] = [("yes", "citizen"), ("task", "staff")]
        for name, rule in rules:
            approval = PendingApproval("a1", "make_letter", {}, "?", rule, until)
            row = RunRecord(name, name, "agent", "agent", "a", RunBrief(), "needs_approval", "2025", approval=approval)
            await daemon.store.add_run(row, SessionRecord(name, "agent", "2025", "2025"))
        daemon.clock.advance(-3600)
        with pytest.raises(Conflict, match="expired"):
            await daemon.runs.approve("yes", "a1", True, None, caller)
        with pytest.raises(Forbidden):
            await daemon.runs.approve("task", "a1", True, None, caller)
    daemon.store.close()


async def test_a_run_under_way_and_one_that_staff_may_still_decide_keep_their_session(tmp_path: Path) -> None:
    asked, may_end = asyncio.Event(), asyncio.Event()

    async def slow(_: dict[str, Any]) -> str:
        asked.set()
        await may_end.wait()
        return "done"

    daemon = Daemon(tmp_path, call("make_letter"), final("x"), tools=MemoryTools({"make_letter": slow}, [LETTER]))
    async with daemon.engine:
        await daemon.runs.start("a", AgentOptions(run_id="live"), KIOSK)
        await asked.wait()
        expires_at = (daemon.clock.now() + timedelta(days=50)).isoformat()
        approval = PendingApproval("a1", "make_letter", {}, "?", "staff", expires_at)
        waiting = RunRecord("waits", "s", "kiosk-1", "agent", "a", RunBrief(), "needs_approval", AT, approval=approval)
        await daemon.store.add_run(waiting, SessionRecord("s", "kiosk-1", AT, AT))
        daemon.clock.advance(31 * 86_400)
        assert await purge(daemon.sessions, Ages()) == 0
        daemon.clock.advance(20 * 86_400)
        may_end.set()
        await daemon.engine.wait("live")
        daemon.clock.advance(31 * 86_400)
        assert await purge(daemon.sessions, Ages()) == 2
    daemon.store.close()


async def test_what_could_not_be_sent_yet_keeps_a_visitors_session_for_thirty_days_at_most(tmp_path: Path) -> None:
    """An office's connection may be down for a weekend, and WhatsApp is not written to before the person writes."""
    daemon = Daemon(tmp_path, final("x"))
    async with daemon.engine:
        run = await daemon.runs.run("a", AgentOptions(run_id="kiosk"), KIOSK)
        daemon.elsewhere.owed.add(run.session_id)
        erased = []
        for days in (2, 27, 2):
            daemon.clock.advance(days * DAY)
            erased.append(await purge(daemon.sessions, Ages()))
        assert erased == [0, 0, 1]
    daemon.store.close()


async def test_the_files_of_a_run_go_with_its_session_and_no_others_do(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, final("x"))
    async with daemon.engine:
        for run_id in ("a/b", "a_b"):
            await daemon.runs.run("a", AgentOptions(run_id=run_id, session_id=f"s {run_id}"), STAFF)
            folder = tmp_path / "artifacts" / folder_of_run(run_id)
            folder.mkdir(parents=True)
            (folder / "made.txt").write_text(run_id)
        await daemon.sessions.delete("s a/b", STAFF)
        assert [file.read_text() for file in (tmp_path / "artifacts").rglob("*.txt")] == ["a_b"]
        assert await daemon.sessions.sweep(daemon.clock.now() + timedelta(days=36_500)) == 0
        with pytest.raises(NotFound):
            await daemon.sessions.get("s a/b", STAFF)
        await daemon.store.sessions.delete("s a_b")
        assert await daemon.sessions.sweep(daemon.clock.now() + timedelta(days=36_500)) == 1
    daemon.store.close()


@pytest.mark.parametrize("begins", [BY_HAND, INTERNAL])
async def test_the_files_of_a_single_call_stay_until_they_are_old(tmp_path: Path, begins: str) -> None:
    daemon = Daemon(tmp_path, final("x"))
    async with daemon.engine:
        folder = tmp_path / "artifacts" / folder_of_run(f"{begins}1")
        folder.mkdir(parents=True)
        now = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
        assert await daemon.sessions.sweep(now - timedelta(hours=1)) == 0
        assert await daemon.sessions.sweep(now + timedelta(hours=1)) == 1
        assert not folder.exists()
    daemon.store.close()
