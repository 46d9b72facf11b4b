"""Statements that would never end, or fill the memory, on SQLite: each ends by its limits, the next one is served."""

from __future__ import annotations

import asyncio
import os
import select
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from servers.common import sqlite_process
from servers.common.database import Database, StatementError, TimeLimitError
from servers.common.sqlite_process import Process, Processes
from tests.servers.common.greedy import ENDLESS, GREEDY, ROWS, file_of


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(tmp_path_factory.mktemp("greedy") / "books.db")


@pytest.fixture
def started() -> list[int]:
    """The ids of all processes that the test's database started."""
    return []


@pytest.fixture
async def database(file: Path, started: list[int], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    class Noted(Process):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.pid)

    monkeypatch.setattr(sqlite_process, "Process", Noted)
    yield Database(f"sqlite+aiosqlite:///{file}")


def runs(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


async def test_every_greedy_statement_ends_and_the_next_honest_one_is_answered(file: Path) -> None:
    assert len(GREEDY) >= 40
    database = Database(f"sqlite+aiosqlite:///{file}")
    ended = {}
    for statement in GREEDY:
        with pytest.raises((TimeLimitError, StatementError)) as stopped:
            await database.fetch(statement, timeout_seconds=0.1)
        ended[statement] = stopped.value
        assert (await database.fetch("SELECT COUNT(*) FROM t")).rows == [(ROWS,)]
    assert [text for text in map(str, ended.values()) if "syntax" in text or "no such" in text] == []
    assert sum(isinstance(error, TimeLimitError) for error in ended.values()) > 20


async def test_a_statement_that_needs_more_memory_than_it_may_have_is_told_so(database: Database) -> None:
    sorts = "SELECT a.y || b.y || hex(randomblob(4000)) FROM t a, t b ORDER BY 1"
    with pytest.raises(StatementError, match="memory"):
        await database.fetch(sorts, timeout_seconds=120)
    assert (await database.fetch("SELECT 1")).rows == [(1,)]


async def test_a_statement_that_is_stopped_takes_its_process_with_it(database: Database, started: list[int]) -> None:
    await database.fetch("SELECT 1")
    before = set(started)
    with pytest.raises(TimeLimitError):
        await database.fetch(ENDLESS, timeout_seconds=0.2)
    gone = [pid for pid in before if not runs(pid)]
    assert len(gone) == 1
    assert (await database.fetch("SELECT 1")).rows == [(1,)]


async def test_a_cancelled_caller_leaves_no_statement_running(database: Database, started: list[int]) -> None:
    await database.fetch("SELECT 1")
    before = list(started)
    task = asyncio.create_task(database.fetch(ENDLESS, timeout_seconds=600))
    await asyncio.sleep(0)  # it begins; whether it got to its process or not, nothing may be left
    await asyncio.wait({task}, timeout=0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [pid for pid in before if runs(pid)] != before


def test_a_daemon_that_stops_while_a_file_is_opened_logs_no_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {*threading.enumerate()}
    uncaught: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", uncaught.append)

    async def stopped(after_s: float) -> None:
        task = asyncio.create_task(Database(f"sqlite+aiosqlite:///{file}").fetch("SELECT 1"))
        await asyncio.wait({task}, timeout=after_s)
        task.cancel()  # and the loop closes

    for after_s in (0, 0.01, 0.02, 0.03):
        asyncio.run(stopped(after_s))
    for thread in {*threading.enumerate()} - before:
        thread.join(10)
    assert uncaught == []


async def test_honest_statements_share_a_process_and_nothing_carries_over(
    database: Database, started: list[int]
) -> None:
    first = len(started)
    for _ in range(5):
        assert (await database.fetch("SELECT COUNT(*) FROM t")).rows == [(ROWS,)]
    assert len(started) - first <= 2
    with pytest.raises(StatementError):
        await database.fetch("CREATE TEMP TABLE mine (a)")
    with pytest.raises(StatementError):
        await database.fetch("SELECT * FROM mine")


async def test_what_is_cut_costs_no_process(database: Database, started: list[int]) -> None:
    await database.fetch("SELECT 1")
    before = list(started)
    assert (await database.fetch("SELECT * FROM t", max_rows=3)).cut
    assert (await database.fetch("SELECT 1")).cut is None
    assert started == before


async def test_ten_million_rows_give_their_first_thousand_and_their_count(tmp_path: Path) -> None:
    """Rows are streamed: what lies beyond the limit is not read, and a total needs no more memory than a row."""
    large = tmp_path / "large.db"
    with closing(sqlite3.connect(large)) as opened:
        opened.execute(
            "CREATE VIEW ledger AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) "
            "SELECT i AS entry, i * 0.5 AS amount FROM n"
        )
    database = Database(f"sqlite+aiosqlite:///{large}")
    rows = await database.fetch("SELECT * FROM ledger")
    assert (len(rows.rows), rows.rows[-1][0]) == (1000, 1000)
    assert "first 1000 rows" in str(rows.cut)
    assert (await database.fetch("SELECT COUNT(*) FROM ledger", timeout_seconds=300)).rows == [(10_000_000,)]


async def test_many_statements_at_once_are_all_answered(database: Database) -> None:
    answers = await asyncio.gather(*(database.fetch(f"SELECT {number}") for number in range(30)))
    assert [answer.rows[0][0] for answer in answers] == list(range(30))


def test_a_process_knows_no_environment_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFICE_SECRET", "hush")
    process = Process()
    try:
        with closing(sqlite3.connect(":memory:")), pytest.raises(sqlite3.OperationalError):
            process.ask("open", "/nowhere/at/all.db", 1.0)
        assert b"hush" not in Path(f"/proc/{process.pid}/environ").read_bytes()
    finally:
        process.end()
    assert not process.alive


def test_processes_end_with_whoever_started_them(file: Path) -> None:
    program = (
        "import sys, os, signal; from servers.common.sqlite_process import Process\n"
        "process = Process(); process.ask('open', sys.argv[1], 1.0); print(process.pid, flush=True)\n"
        "import threading; threading.Thread(target=process.ask, args=('execute', 1, sys.argv[2], ())).start()\n"
        "sys.stdin.read(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(file), ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdin is not None and parent.stdout is not None
    with parent.stdin, parent.stdout:
        pid = int(parent.stdout.readline())
        watch = os.pidfd_open(pid)
        try:
            parent.stdin.close()
            parent.wait(300)
            assert select.select([watch], [], [], 300)[0], "it outlived the server"
        finally:
            os.close(watch)


def test_a_dropped_database_ends_its_processes() -> None:
    processes = Processes()
    process = processes.take()
    pid = process.pid
    processes.give_back(process)
    assert runs(pid)
    del processes
    assert not runs(pid)
