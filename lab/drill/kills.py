"""Hundreds of runs while the daemon is killed with -9, at random moments and at each named point of issuing a letter.

Each run calls four tools: the time, a note, a letter, a note. A killed daemon is restarted and must finish the accepted
runs by itself. A caller whose call was interrupted retries with the same run_id. A second variant uses ordinary stops
(SIGTERM) instead of kills.
"""

from __future__ import annotations

import http.client
import random
import signal
import sys
import time
import urllib.error
from pathlib import Path

from lab.drill.count import OFFICE, TURNS, Found, filled
from servers.certificate.issuing.finishing import CRASH_POINTS
from tests.daemon import Daemon
from tests.e2e.test_main_job import WORDS

CONFIG = f"""{OFFICE}
[[servers]]
name = "certificate"
command = "python3"
args = ["-m", "lab.drill.fuse", "-m", "servers.certificate"]
workdir = "{Path(__file__).parents[2]}"
start_timeout_s = 120
daemon_pid_file = "@PID@"
certificate_crash_at = "@POINT@"

[agent]
deadline_s = 3600.0
max_recoveries = 1000000
"""
"""Daemons live shorter than a server's start here and no run causes their deaths, so no run may be parked."""
SHORT_LIFE_S, LONG_LIFE_S = 0.2, 2.0
POINT_WAIT_S = 300.0
"""Seconds to wait for a named point, enough for a busy machine; a point not reached by then never will be."""
NOISE = ("Traceback", "run.broke", "after shutdown", "never retrieved", '"level": "critical"')
RUNS, KILLS, STOPS = 200, 6, 12


class Drill:
    """One drill on one state folder."""

    def __init__(
        self,
        folder: Path,
        runs: int,
        chance: random.Random,
        end: signal.Signals = signal.SIGKILL,
        config: str = CONFIG,
    ) -> None:
        self._end, self._config = end, config
        self._notes, self._pid = folder / "notes", folder / "pid"
        self._notes.touch()
        self._chance = chance
        self._waiting = [f"drill-{number:04}" for number in range(runs)]
        self._daemon = Daemon(folder, TURNS, config="")
        self._daemon.started = lambda pid: self._pid.write_text(str(pid))
        self.found = Found(runs)
        self._ids = tuple(self._waiting)

    def run(self, random_kills: int, points: tuple[str, ...]) -> Found:
        """Run lives that end by a kill, in random order, then one until everything is done."""
        began = time.monotonic()
        ends: list[str | None] = [*points, *[None] * random_kills]
        self._chance.shuffle(ends)
        share = -(-len(self._waiting) // max(len(ends), 1))
        for number, point in enumerate(ends, start=1):
            self._say(f"life {number} of {len(ends)}: until {point or 'some moment'}")
            self._live(point, share)
        self._say("the last life: everything to its end")
        self._start("")
        try:
            self._submit(len(self._waiting))
            self.found.judge(self._ids, self._daemon, self._notes, self._daemon.state / "letters")
        finally:
            self._daemon.kill(signal.SIGTERM)
        self.found.seconds = time.monotonic() - began
        return self.found

    def _live(self, point: str | None, share: int) -> None:
        """Run one life of the daemon, ended at its named point or at a random moment."""
        process = self._daemon
        if self._start(point or ""):
            self._submit(share)
            if point is None:
                time.sleep(self._chance.uniform(SHORT_LIFE_S, LONG_LIFE_S))
        if point is not None and process.died(POINT_WAIT_S) and process.was_killed:
            self.found.points.append(point)
            return
        if self._end is signal.SIGKILL:
            self.found.random_kills += 1
            process.kill(signal.SIGKILL)
        else:
            self._stop(process)

    def _stop(self, process: Daemon) -> None:
        """Stop the daemon normally; record a bad exit code or errors in its log as unclean."""
        began = time.monotonic()
        code = process.kill(self._end)
        self.found.stops.append(time.monotonic() - began)
        log = (process.folder / "stderr.log").read_text()
        (process.folder / "stderr.log").write_text("")
        noise = [line for line in log.splitlines() if any(word in line for word in NOISE)]
        self.found.unclean += [f"exit code {code}"] * bool(code) + noise

    def _start(self, point: str) -> bool:
        """Start the daemon. False when it died before it was ready because recovered work reached the point at once."""
        self._daemon.config.write_text(filled(self._config, NOTES=self._notes, PID=self._pid, POINT=point))
        try:
            self._daemon.start()
        except AssertionError:
            if not point or not self._daemon.died(POINT_WAIT_S) or not self._daemon.was_killed:
                raise
            return False
        return True

    def _submit(self, share: int) -> None:
        """Submit `share` more runs; a call that the kill interrupted stays in the list and is retried later."""
        for run_id in self._waiting[:share]:
            try:
                self._daemon.call("Agent.start", prompt=WORDS, run_id=run_id, session_id=f"of-{run_id}")
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
                return
            self._waiting.remove(run_id)

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def kills(folder: Path, seed: int) -> Found:
    """200 runs, six kills at random moments and one at each named point. Creates `folder`."""
    folder.mkdir()
    return Drill(folder, RUNS, random.Random(seed)).run(KILLS, CRASH_POINTS)


def stops(folder: Path, seed: int) -> Found:
    """The same with ordinary stops, after which no run may be parked. Creates `folder`."""
    folder.mkdir()
    config = CONFIG.replace("max_recoveries = 1000000\n", "")
    return Drill(folder, RUNS // 2, random.Random(seed), signal.SIGTERM, config).run(STOPS, ())
