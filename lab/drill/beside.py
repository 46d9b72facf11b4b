"""Injects a fault into a daemon during a bystander's run. A row records what the caller received, whether that run
ended well, and the daemon's resources before and after. Faults: mcp_faults.py, provider_faults.py, clock_leaps.py.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.drill.soak import Sample
from tests.daemon import Daemon, call, final

SLOW_FINAL = json.dumps({"text": json.dumps(final("Selesai")), "after_ms": 1500})
BYSTANDER = (call("get_current_time"), SLOW_FINAL)
SETTLE_S = 60.0
SLACK = 6
"""How many more file descriptors are allowed after a fault, for a pool that opened another connection."""


@dataclass(frozen=True)
class Held:
    """Resources the daemon holds at one moment; `rows` counts the rows of runs."""

    processes: int
    files: int
    rows: int

    @classmethod
    def of(cls, daemon: Daemon) -> Held:
        assert daemon.process is not None
        seen = Sample.of(daemon.process.pid)
        with closing(sqlite3.connect(daemon.state / "agentd.db", timeout=30)) as db:
            rows = int(db.execute("SELECT count(*) FROM agentd_runs").fetchone()[0])
        return cls(seen.processes, seen.descriptors, rows)


@dataclass(frozen=True)
class Row:
    """One fault: what was done, the response, the runs in progress and those lost, resources before and after."""

    tried: str
    heard: str
    runs: int
    lost: int
    before: Held
    after: Held

    @property
    def right(self) -> bool:
        """True when nothing was lost, no process or open file is left over, and each run has exactly one row."""
        more = self.after.files - self.before.files
        return (
            not self.lost
            and self.after.processes == self.before.processes
            and more <= SLACK
            and self.after.rows - self.before.rows == self.runs
        )

    def cells(self) -> dict[str, str | int | float | bool | None]:
        """The fault as a row of the table."""
        pairs = {"processes": "processes", "files open": "files", "rows of runs": "rows"}
        counted = {name: f"{getattr(self.before, of)} → {getattr(self.after, of)}" for name, of in pairs.items()}
        return {"tried": self.tried, "heard": self.heard, "runs lost": f"{self.lost} of {self.runs}", **counted}


Act = Callable[[Daemon], str]


class Matrix:
    """Faults injected into one daemon, one after the other."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def row(self, tried: str, act: Act, own_runs: int = 0) -> Row:
        """Inject the fault beside a bystander's run; the `own_runs` that the act itself starts must end well, too."""
        before = Held.of(self._daemon)
        run_id = self._daemon.call("Agent.start", prompt="Halo")["run_id"]
        try:
            heard, failed = act(self._daemon), 0
        except AssertionError as error:
            heard, failed = f"wrong: {error}", 1
        outcome = self._daemon.call("Agent.run", prompt="Halo", run_id=run_id)
        lost = failed + (outcome["status"] != "completed" or not all(step["success"] for step in outcome["steps"]))
        return Row(tried, heard, 1 + own_runs, lost, before, self._settled(before))

    def _settled(self, before: Held) -> Held:
        """Resources once restarted processes are up and ended ones are gone, or when SETTLE_S has passed."""
        until = time.monotonic() + SETTLE_S
        while True:
            now = Held.of(self._daemon)
            if (now.processes == before.processes and now.files <= before.files + SLACK) or time.monotonic() > until:
                return now
            time.sleep(0.2)


@contextmanager
def warmed_up(folder: Path, config: str) -> Iterator[Daemon]:
    """A daemon that has already answered, so that its pools are open and its caches full."""
    daemon = Daemon(folder, BYSTANDER, config).start()
    try:
        for _ in range(2):
            daemon.call("Agent.run", prompt="Halo")
        yield daemon
    finally:
        daemon.kill(15)
