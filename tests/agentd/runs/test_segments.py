"""A run's segments as DBOS may bring them back: late, twice, out of order."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from agentd.runs.cluster import Node
from agentd.runs.engine import Engine
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock

NOW = "2026-01-05T02:00:00.000+00:00"
RUN = RunRecord("r1", "s1", "k", "agent", "Halo", RunBrief(), "queued", NOW)
APPROVAL = {"tool": "pay", "arguments": {}, "summary": "Bayar?", "rule": "citizen"}


async def test_an_earlier_segment_found_again_leaves_the_one_under_way_alone(tmp_path: Path) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def execute(context: RunContext) -> Result:
        if context.row.segment == 0:
            return Result("needs_approval", {}, approval=APPROVAL, record={})
        begun.set()
        await go.wait()
        return Result("completed", {"response": "Lunas"})

    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    node = Node(sqlite_engine(tmp_path / "dbos.db"))
    async with Engine(store, node, {"agent": execute}, ManualClock()) as engine:
        await engine.submit(RUN)
        waiting = await engine.wait("r1")
        assert waiting is not None
        await engine.go_on(waiting, waiting)
        await begun.wait()
        assert await engine._execute("r1", 0) == "over"  # as DBOS calls what a kill left unrecorded
        go.set()
        ended = await asyncio.wait_for(engine.wait("r1"), 300)
        assert ended is not None
        assert ended.status == "completed"
    store.close()


async def test_a_run_that_needs_a_missing_extra_ends_with_the_command(tmp_path: Path) -> None:
    async def execute(_: RunContext) -> Result:
        raise ModuleNotFoundError("No module named 'sqlglot'", name="sqlglot.expressions")

    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    node = Node(sqlite_engine(tmp_path / "dbos.db"))
    async with Engine(store, node, {"agent": execute}, ManualClock()) as engine:
        await engine.submit(RUN)
        ended = await engine.wait("r1")
    store.close()
    assert ended is not None and ended.error is not None
    assert "`sqlglot` is not installed; run: pip install 'agentd[analytics]'" in str(ended.error)


async def test_a_run_whose_workflow_cannot_begin_is_cancelled_at_once_and_never_carried_out(tmp_path: Path) -> None:
    executed: list[str] = []

    async def execute(context: RunContext) -> Result:
        executed.append(context.row.run_id)
        return Result("completed", {})

    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    node = Node(sqlite_engine(tmp_path / "dbos.db"))
    async with Engine(store, node, {"agent": execute}, ManualClock()) as engine:
        with closing(sqlite3.connect(tmp_path / "dbos.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            submitted = asyncio.create_task(engine.submit(RUN))
            while await store.run("r1") is None:
                pass
            await asyncio.wait_for(engine.cancel("r1"), 300)
        await submitted
        ended = await engine.wait("r1")
        assert ended is not None
        assert (ended.status, executed) == ("cancelled", [])
    store.close()
