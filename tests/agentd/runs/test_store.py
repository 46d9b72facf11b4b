"""The store's promises to a run: one node writes it, a record is written once, nobody fails for another's fault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from agentd.runs.journal import Steps, StoreJournal, TakenOver
from agentd.runs.records import RunBrief, RunRecord, SessionRecord, StepRecord
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.runs.transactions import wait_in_dbos
from agentd.state import StateError

NOW = "2026-01-05T02:00:00.000+00:00"
SESSION = SessionRecord("s1", "k", NOW, NOW)
RUN = RunRecord("r1", "s1", "k", "agent", "Halo", RunBrief(), "queued", NOW)


def ended(run: RunRecord, attempts: int) -> RunRecord:
    return replace(run, status="completed", outcome={}, finished_at=NOW, events=[], attempts=attempts)


async def acts() -> dict[str, Any]:
    return {"n": 1}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    yield opened
    opened.close()


def test_a_file_that_is_no_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "agentd.db"
    file.write_bytes(b"\0" * 5000)
    with pytest.raises(StateError, match=r"agentd\.db is damaged .* restore"):
        sqlite_engine(file).connect()


async def test_all_who_hold_an_ended_run_share_it_and_who_asks_for_its_head_reads_no_answer(store: RunStore) -> None:
    await store.add_run(RUN, SESSION)
    await begun(store, "n1")
    first = await store.run("r1")
    assert first is not None and first is not await store.run("r1"), "it may still change"
    assert await store.finish(replace(ended(first, 1), events=[{"seq": 1}]), NOW)
    row, head = await store.run("r1"), await store.run("r1", whole=False)
    assert row is not None and row is await store.run("r1")
    assert head is not None and (head.status, head.events, row.events) == ("completed", None, [{"seq": 1}])
    await store.writes.do(lambda db: db.execute(sa.text("DELETE FROM agentd_runs")))
    assert await store.run("r1") is None, "a deleted run is not read from memory"


async def begun(store: RunStore, node: str) -> tuple[RunRecord, list[StepRecord]]:
    found = await store.begin("r1", node)
    assert found is not None
    return found[:2]


async def test_a_node_whose_run_was_taken_over_records_nothing_more(store: RunStore) -> None:
    await store.add_run(RUN, SESSION)
    frozen, _ = await begun(store, "frozen")
    lost = StoreJournal(store, frozen, [], Steps())
    await lost.step("turn-0", acts)
    taken, recorded = await begun(store, "other")
    assert recorded == [StepRecord("turn-0", {"n": 1})]
    with pytest.raises(TakenOver):
        await lost.step("turn-1", acts)
    assert not await store.finish(ended(frozen, 1), NOW)
    assert await store.finish(ended(taken, 1), NOW)


async def test_a_run_has_begun_when_it_is_taken_on_unless_another_of_its_session_is_under_way(store: RunStore) -> None:
    first, number = await store.add_run(RUN, SESSION, "one")
    assert (first.status, first.node, first.attempt, number) == ("running", "one", 0, 1)
    second, number = await store.add_run(replace(RUN, run_id="r2"), SESSION, "two")
    assert (second.status, second.node, number) == ("queued", None, 2)
    assert await store.add_run(replace(RUN, prompt="Lain"), SESSION, "three") == (first, 0)
    assert await store.finish(ended(first, 3), NOW)
    found = await store.begin("r2", "two")
    assert found is not None
    assert found[0].attempt == 3
    assert await store.finish(ended(found[0], 2), NOW)
    third, number = await store.add_run(replace(RUN, run_id="r3"), SESSION, "one")
    assert (third.status, third.attempt, number) == ("running", 5, 3)


async def test_recoveries_count_from_the_last_finished_step_and_a_stop_counts_against_nobody(store: RunStore) -> None:
    await store.add_run(RUN, SESSION)

    async def began_again() -> int:
        found = await store.begin("r1", "one")
        assert found is not None
        return found[2]

    assert [await began_again() for _ in range(3)] == [0, 1, 2]
    assert await store.add_step("r1", "one", 0, "turn-0", {"n": 1})
    assert await began_again() == 1
    for _ in range(3):
        await store.stopped(["r1", "none"])
        assert await began_again() == 1
    assert await began_again() == 2
    assert [row.run_id for row in await store.runs_where(recovered=2)] == ["r1"]
    assert await store.runs_where(recovered=3) == []
    await store.sessions.delete("s1")
    assert await store.runs_where(recovered=1) == []


async def test_a_step_and_an_end_whose_commit_was_not_heard_of_count_once(store: RunStore) -> None:
    await store.add_run(RUN, SESSION)
    row, _ = await begun(store, "one")
    for _ in range(2):
        assert await store.add_step("r1", "one", 0, "turn-0", {"n": 1})
    assert (await begun(store, "one"))[1] == [StepRecord("turn-0", {"n": 1})]
    for _ in range(2):
        assert await store.finish(ended(row, 3), NOW)
    session = await store.sessions.get("s1")
    assert session is not None
    assert session.attempts == 3


async def test_an_end_leaves_no_step_behind(store: RunStore, tmp_path: Path) -> None:
    await store.add_run(RUN, SESSION)
    row, _ = await begun(store, "one")
    await store.add_step("r1", "one", 0, "turn-0", {"n": 1})
    await store.finish(ended(row, 1), NOW)
    with sqlite_engine(tmp_path / "agentd.db").connect() as db:
        assert db.execute(sa.text("SELECT count(*) FROM agentd_steps")).scalar() == 0


async def test_writes_of_one_moment_are_each_answered_for_themselves(store: RunStore) -> None:
    rows = [replace(RUN, run_id=f"r{number}") for number in range(40)]
    broken = replace(RUN, run_id="broken", owner=None)  # type: ignore[arg-type]
    taken = await asyncio.gather(*(store.add_run(row, SESSION) for row in [*rows, broken]), return_exceptions=True)
    assert [number for _, number in taken[:-1]] == list(range(1, 41))
    assert isinstance(taken[-1], sa.exc.IntegrityError)


async def test_what_waits_when_the_store_closes_is_committed_before(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    rows = [replace(RUN, run_id=f"r{number}") for number in range(200)]
    waiting = [asyncio.create_task(store.add_run(row, SESSION)) for row in rows]
    await asyncio.sleep(0)  # all have asked
    await asyncio.to_thread(store.close)
    assert [number for _, number in await asyncio.wait_for(asyncio.gather(*waiting), 300)] == list(range(1, 201))


def test_what_dbos_waits_for_without_a_word_is_in_the_log_once_a_minute(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "dbos.db")
    wait_in_dbos(engine)
    with engine.connect() as db, capture_logs() as said:
        db.execute(sa.text("PRAGMA query_only = ON"))
        for _ in range(3):
            with pytest.raises(sa.exc.OperationalError, match="database is locked"):
                db.execute(sa.text("CREATE TABLE made (here INT)"))
    assert [(one["event"], "read-only" in one["reason"]) for one in said] == [("store.waiting", True)]
