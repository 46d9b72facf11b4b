"""A database that is locked, full or of a newer agentd: one clear error each; the daemon recovers by itself."""

from __future__ import annotations

import json
import resource
import sqlite3
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, final, running
from tests.postgresql import PostgreSQL, postgresql_server
from tests.waiting import until

FULL_AT = 4_000
"""Bytes beyond which nothing is written to a file: less than the first page of a journal."""
SLOW_TURN = {"text": '{"action":"call_tool","tool":"get_current_time","input":{}}', "after_ms": 1500}


@contextmanager
def locked(daemon: Daemon) -> Iterator[None]:
    """Another program writes to both databases and does not end."""
    with ExitStack() as held:
        for name in ("agentd.db", "dbos.db"):
            connection = held.enter_context(closing(sqlite3.connect(daemon.state / name, isolation_level=None)))
            connection.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def full(daemon: Daemon) -> Iterator[None]:
    """No file of the daemon's may grow any more."""
    assert daemon.process is not None
    pid, unlimited = daemon.process.pid, resource.RLIM_INFINITY
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (FULL_AT, unlimited))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))


def stands(daemon: Daemon) -> tuple[int, str, str]:
    """The status of /readyz; how the daemon stands by it and by System.health."""
    try:
        answer: Any = daemon.request("/readyz")
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, json.load(answer)["status"], daemon.call("System.health")["status"]


@pytest.mark.parametrize(("trouble", "said"), [(locked, "locked"), (full, "disk")], ids=["locked", "full"])
def test_a_caller_is_told_and_the_run_under_way_waits_and_ends(
    trouble: Callable[[Daemon], AbstractContextManager[None]], said: str, tmp_path: Path
) -> None:
    with running(tmp_path, SLOW_TURN, final("Selesai"), config=HEAD + SERVERS["time"]) as daemon:
        run_id = daemon.call("Agent.start", prompt="Halo")["run_id"]
        with trouble(daemon):
            with pytest.raises(RpcFailed) as refused:
                daemon.call("Agent.start", prompt="Halo juga")
            assert (refused.value.type, refused.value.error["code"]) == ("busy", -32008)
            assert said in refused.value.error["message"]
            assert "penyimpanan" in refused.value.error["data"]["user_message"].lower()
            assert daemon.request("/healthz").status == 200
            assert stands(daemon) == (503, "degraded", "degraded")
        assert stands(daemon) == (200, "ok", "ok")
        outcome = daemon.call("Agent.run", prompt="Halo", run_id=run_id)
        assert (outcome["status"], outcome["response"]) == ("completed", "Selesai")
        assert [step["success"] for step in outcome["steps"]] == [True]
        assert daemon.call("Agent.run", prompt="Halo juga")["status"] == "completed"


def test_a_caller_is_told_also_where_the_log_is_on_the_full_disk(tmp_path: Path) -> None:
    (tmp_path / "stderr.log").symlink_to("/dev/full")
    with running(tmp_path, final("Selesai"), config=HEAD + SERVERS["time"]) as daemon:
        with locked(daemon), pytest.raises(RpcFailed) as refused:
            daemon.call("Agent.run", prompt="Halo")
        assert refused.value.type == "busy"
        assert daemon.call("Agent.run", prompt="Halo juga")["status"] == "completed"


def test_a_database_of_a_newer_agentd_is_left_alone(tmp_path: Path) -> None:
    with running(tmp_path, final("Halo"), config=HEAD) as daemon:
        daemon.kill(15)
        with closing(sqlite3.connect(daemon.state / "agentd.db")) as newer, newer:
            newer.execute("INSERT INTO agentd_schema VALUES (99)")
        with pytest.raises(AssertionError):
            daemon.start()
    assert "written by a newer agentd (schema 99" in (tmp_path / "stderr.log").read_text()


@contextmanager
def gone(database: PostgreSQL) -> Iterator[None]:
    """It crashed, and somebody starts it again."""
    database.stop()
    yield
    database.start()


@contextmanager
def read_only(database: PostgreSQL) -> Iterator[None]:
    """Nobody may write, as on a server that became a standby."""
    with psycopg.connect(database.url, autocommit=True) as administrator:
        administrator.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        administrator.execute("SELECT pg_reload_conf()")
        yield
        administrator.execute("SET default_transaction_read_only = off")
        administrator.execute("ALTER SYSTEM RESET default_transaction_read_only")
        administrator.execute("SELECT pg_reload_conf()")


@pytest.mark.parametrize(("trouble", "said"), [(gone, "can't be reached"), (read_only, "read-only")])
def test_a_shared_database_that_can_not_be_written_for_a_while_loses_no_run(
    trouble: Callable[[PostgreSQL], AbstractContextManager[None]], said: str, tmp_path: Path
) -> None:
    with postgresql_server() as database:
        config = f'{HEAD}{SERVERS["time"]}[store]\nurl = "{database.url}"\nnode = "one"\n'
        with running(tmp_path, SLOW_TURN, final("Selesai"), config=config) as daemon:
            run_id = daemon.call("Agent.start", prompt="Halo")["run_id"]
            with trouble(database):
                until(lambda: stands(daemon)[0] == 503, "the server's connections know that nothing is written")
                with pytest.raises(RpcFailed) as refused:
                    daemon.call("Agent.start", prompt="Halo juga")
                assert refused.value.type == "busy"
                assert said in refused.value.error["message"]
                assert daemon.request("/healthz").status == 200
                assert stands(daemon) == (503, "degraded", "degraded")
            outcome = daemon.call("Agent.run", prompt="Halo", run_id=run_id)
            assert (outcome["status"], outcome["response"]) == ("completed", "Selesai")
            assert daemon.call("Agent.run", prompt="Halo juga")["status"] == "completed"


def test_a_start_while_the_shared_database_is_read_only_says_so_and_ends(tmp_path: Path) -> None:
    with postgresql_server() as database:
        config = f'{HEAD}[store]\nurl = "{database.url}"\nnode = "one"\n'
        with running(tmp_path, final("Halo"), config=config) as daemon:
            daemon.kill(15)
            with read_only(database), pytest.raises(AssertionError):
                daemon.start()
            said = (tmp_path / "stderr.log").read_text()
            assert "is read-only; connect to the primary server" in said and "process.uncaught" not in said
            assert daemon.start().call("Agent.run", prompt="Halo")["status"] == "completed"
