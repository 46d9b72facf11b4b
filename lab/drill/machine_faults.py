"""Parts of the drill: a full disk, locked databases, a database that stops, jumps of the clock."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psycopg

from lab.drill.beside import Act, Matrix, Row, warmed_up
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed
from tests.e2e.test_database_troubles import full, gone, locked
from tests.postgresql import postgresql_server


def disk_full(folder: Path) -> list[Row]:
    """Let no file of the daemon grow."""
    with warmed_up(folder, HEAD + SERVERS["time"]) as daemon:
        return [Matrix(daemon).row("disk full under a run", _refused(full))]


def databases_locked(folder: Path) -> list[Row]:
    """Let another program lock both databases."""
    with warmed_up(folder, HEAD + SERVERS["time"]) as daemon:
        return [Matrix(daemon).row("databases locked under a run", _refused(locked))]


def clock_leaps(folder: Path) -> list[Row]:
    """Kill the daemon in a run and restart it in another year."""
    leaps = {
        "kill -9 in a run, then the clock three years ahead": "2029-11-21T08:00:00+00:00+",
        "kill -9 in a run, then the clock nine years back": "2020-02-29T23:59:58+00:00+",
    }
    with warmed_up(folder, HEAD + SERVERS["time"]) as daemon:
        matrix = Matrix(daemon)
        return [matrix.row(tried, _killed_and_started(clock)) for tried, clock in leaps.items()]


def _refused(fault: Callable[[Any], AbstractContextManager[None]], of: Any = None) -> Act:
    """While the fault lasts (on `of`, else on the daemon) a new run is refused; the current one waits and ends."""

    def act(daemon: Daemon) -> str:
        with fault(of or daemon):
            try:
                daemon.call("Agent.start", prompt="Halo juga")
            except RpcFailed as error:
                assert daemon.request("/healthz").status == 200
                return f"{error.type}: {error.error['message']}"
        raise AssertionError("a run was taken on")

    return act


def _killed_and_started(clock: str) -> Act:
    def act(daemon: Daemon) -> str:
        daemon.kill()
        daemon.env["AGENTD_CLOCK"] = clock
        daemon.start()
        return "nothing: it goes on"

    return act


def database_gone(folder: Path) -> list[Row]:
    """Stop PostgreSQL during a run and start it again."""

    def rows(_: Daemon) -> int:
        with psycopg.connect(database.url) as db:
            counted = db.execute("SELECT count(*) FROM agentd_runs").fetchone()
            assert counted is not None
            return int(counted[0])

    with postgresql_server() as database:
        config = f'{HEAD}{SERVERS["time"]}[store]\nurl = "{database.url}"\nnode = "one"\n'
        with warmed_up(folder, config) as daemon:
            return [Matrix(daemon, rows).row("database gone under a run", _refused(gone, database))]
