"""Part of the drill: a daemon killed in a run starts again under another clock."""

from __future__ import annotations

from pathlib import Path

from lab.drill.beside import Act, Matrix, Row, warmed_up
from tests.daemon import HEAD, SERVERS, Daemon


def clock_leaps(folder: Path) -> list[Row]:
    """Kill the daemon in a run and restart it in another year."""
    leaps = {
        "kill -9 in a run, then the clock three years ahead": "2029-11-21T08:00:00+00:00+",
        "kill -9 in a run, then the clock nine years back": "2020-02-29T23:59:58+00:00+",
    }
    with warmed_up(folder, HEAD + SERVERS["time"]) as daemon:
        matrix = Matrix(daemon)
        return [matrix.row(tried, _killed_and_started(clock)) for tried, clock in leaps.items()]


def _killed_and_started(clock: str) -> Act:
    def act(daemon: Daemon) -> str:
        daemon.kill()
        daemon.env["AGENTD_CLOCK"] = clock
        daemon.start()
        return "nothing: it goes on"

    return act
