"""How a citizen's request stands, by its run and by what an officer saw (the statuses of OpenSID)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agentd.apps.residents.requests import Request, Requests, Status, status_of
from agentd.messages import Caller, ToolInfo
from agentd.runs.records import PendingApproval, RunBrief, RunRecord, SessionRecord
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.runs.visibility import kept
from agentd.testing import ManualClock

TOOL = "generate_surat_alamat"


def request(status: Status = "under_review", **requirements: bool | None) -> Request:
    return Request(
        request_id="p1",
        code="7KQ2-M9XB-4TRA-HW3E",
        run_id="r1",
        session_id="s1",
        owner="screen",
        key_hash=None,
        tool=TOOL,
        title="Surat Alamat",
        series="SA",
        day="2026-01-05",
        number=1,
        level="declared",
        requirements=requirements,
        status=status,
        created_at="2026-01-05T02:00:00.000+00:00",
    )


def run(status: str, *agreed: str, made: bool | None = None) -> RunRecord:
    approval = PendingApproval(
        approval_id="a1",
        tool=TOOL,
        arguments={},
        summary="",
        rule="staff",
        expires_at="2026-01-06T02:00:00.000+00:00",
        approvals=tuple({"by": by, "at": ""} for by in agreed),
    )
    steps = [] if made is None else [{"tool": TOOL, "success": made}]
    return RunRecord(
        run_id="r1",
        session_id="s1",
        owner="screen",
        kind="agent",
        prompt="",
        brief=RunBrief(),
        status=status,
        created_at="2026-01-05T02:00:00.000+00:00",
        outcome={"steps": steps},
        approval=approval,
    )


@pytest.mark.parametrize(
    ("asked", "found", "stands"),
    [
        (request(ktp=None, kk=None), run("needs_approval", "screen"), "under_review"),
        (request(ktp=True, kk=None), run("needs_approval", "screen"), "under_review"),
        (request(ktp=True, kk=False), run("needs_approval", "screen"), "incomplete"),
        (request(ktp=True), run("needs_approval", "screen", "siti"), "waiting_signature"),
        (request(), run("running"), "waiting_signature"),
        (request(), run("queued"), "waiting_signature"),
        (request(kk=False), run("completed", made=True), "ready"),
        (request(), run("completed", made=False), "cancelled"),
        (request(), run("completed"), "cancelled"),
        (request(), run("failed"), "cancelled"),
        (request(), run("cancelled"), "cancelled"),
        (request(), run("cancelled", made=True), "ready"),
        (request(), run("failed", made=False), "cancelled"),
        (request(), None, "cancelled"),
        (request("fetched"), None, "fetched"),
        (request("ready"), None, "ready"),
        (request("cancelled"), run("needs_approval"), "cancelled"),
    ],
)
def test_a_request_stands_as_its_run_and_its_documents_do(asked: Request, found: Any, stands: Status) -> None:
    assert status_of(asked, found) == stands


@pytest.mark.parametrize(("zone", "numbers"), [("Asia/Jakarta", ["S-001", "S-001"]), ("UTC", ["S-001", "S-002"])])
async def test_queue_numbers_begin_again_with_the_offices_day(tmp_path: Path, zone: str, numbers: list[str]) -> None:
    clock = ManualClock(datetime(2026, 3, 5, 16, 59, tzinfo=UTC))  # a minute to midnight in Jakarta
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    requests = Requests(store, clock, ZoneInfo(zone))
    for number in (1, 2):
        row = replace(run("needs_approval"), run_id=f"r{number}")
        assert row.approval is not None
        await requests.open(row, row.approval, ToolInfo(name="surat", server="forms"))
        clock.advance(120)
    staff = Caller(id="desk", scopes=frozenset({"staff"}))
    assert [one.queue_number for one in reversed(await requests.list(staff, 9))] == numbers
    store.close()


async def test_neither_others_nor_what_has_ended_hides_whom_a_list_is_for(tmp_path: Path) -> None:
    clock, store = ManualClock(), RunStore(sqlite_engine(tmp_path / "agentd.db"))
    requests, keys = Requests(store, clock, ZoneInfo("UTC")), ["first" * 5, "later" * 5]
    for number, key in enumerate(keys, 1):
        waits = replace(run("needs_approval"), run_id=f"r{number}", session_id=f"s{number}")
        assert waits.approval is not None
        await store.add_run(waits, SessionRecord(f"s{number}", "screen", "2026", "2026", key_hash=kept(key)))
        await requests.open(waits, waits.approval, ToolInfo(name="surat", server="forms"))
        clock.advance(120)
    staff = Caller(id="desk", scopes=frozenset({"staff"}))
    visitors = [Caller(id="screen", scopes=frozenset({"kiosk"}), session_key=key) for key in (*keys, None)]
    assert [[one.run_id for one in await requests.list(one, 1)] for one in visitors] == [["r1"], ["r2"], []]
    await store.sessions.delete("s2")  # its run with it
    waiting, ended = await requests.list(staff, 1, "under_review"), await requests.list(staff, 1, "cancelled")
    assert ([one.run_id for one in waiting], [one.run_id for one in ended]) == (["r1"], ["r2"])
    store.close()


async def test_what_is_ticked_at_once_is_all_ticked(tmp_path: Path) -> None:
    clock, store = ManualClock(), RunStore(sqlite_engine(tmp_path / "agentd.db"))
    requests, staff = Requests(store, clock, ZoneInfo("UTC")), Caller(id="desk", scopes=frozenset({"staff"}))
    waits = run("needs_approval")
    assert waits.approval is not None
    await store.add_run(waits, SessionRecord("s1", "screen", "2026", "2026"))
    wanted = ["KTP", "KK", "Surat RT", "Foto"]
    letter = ToolInfo(name=TOOL, server="forms", meta={"agentd/requirements": wanted})
    opened = await requests.open(waits, waits.approval, letter)
    found = await requests.get(opened.request, staff)
    ticks = [requests.check(found, one, seen=True) for one in wanted]
    await asyncio.gather(*ticks, requests.list(staff, 9))
    assert sorted(await requests.seen("r1")) == sorted(wanted)
    store.close()


async def test_the_letter_that_is_ready_is_named_when_its_run_is_gone_too_in_a_database_of_before(
    tmp_path: Path,
) -> None:
    clock, file = ManualClock(), tmp_path / "agentd.db"
    older = RunStore(sqlite_engine(file))
    Requests(older, clock, ZoneInfo("UTC"))
    await older.writes.do(lambda db: db.exec_driver_sql("ALTER TABLE agentd_requests DROP COLUMN letter"))
    older.close()

    store = RunStore(sqlite_engine(file))
    requests, staff = Requests(store, clock, ZoneInfo("UTC")), Caller(id="desk", scopes=frozenset({"staff"}))
    waits = run("needs_approval")
    assert waits.approval is not None
    await store.add_run(waits, SessionRecord("s1", "screen", "2026", "2026"))
    await requests.open(waits, waits.approval, ToolInfo(name=TOOL, server="forms"))
    made = {"tool": TOOL, "success": True, "output": {"number": "001/SA/2026"}}
    await store.finish(replace(run("completed"), outcome={"steps": [made]}), "2026")
    await requests.settle("s1")
    await store.sessions.delete("s1")
    (ready,) = await requests.list(staff, 9)
    assert (ready.status, ready.letter) == ("ready", "001/SA/2026")
    handed = await requests.hand_over(ready)
    assert (handed.status, handed.letter) == ("fetched", None)
    store.close()
