"""`python -m lab.drill [PART …]`: what is tried on a daemon, and what was lost. Exit 1 when anything was.

The part `kills`: hundreds of runs while the daemon is killed -9, at random moments and at each named point of issuing a
letter; then a table of what was lost, repeated or doubled. The part `nodes`: the same with three daemons, each killed.
The other parts are the faults (mcp_faults.py, provider_faults.py, machine_faults.py), the texts of hostile.py, and the
attacks of attacks.py, door.py, register.py, signing.py, guards.py, office.py, citizens.py, faces.py and deadly.py. The
texts go first and alone, because they are timed; all other parts go on side by side, because most of a drill is
waiting. The whole is written into docs/drills.md; named parts are only printed.

Each run of both calls four tools: the time, a note, a letter, a note. A daemon that is killed is started again; it
finishes by itself what it had taken on. A caller whose call was cut off asks again under the same run_id.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import signal
import sys
import tempfile
import time
import urllib.error
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from lab.bench.__main__ import machine
from lab.drill.attacks import ATTACKS as OUTSIDERS
from lab.drill.attacks import attack_table
from lab.drill.beside import Row, table
from lab.drill.citizens import citizens
from lab.drill.count import OFFICE, TURNS, Found
from lab.drill.deadly import deadly
from lab.drill.door import door
from lab.drill.faces import faces
from lab.drill.guards import guards
from lab.drill.hostile import BYTES, TEXTS, curve_table, hostile_texts
from lab.drill.machine_faults import clock_leaps, database_gone, databases_locked, disk_full
from lab.drill.mcp_faults import mcp_faults
from lab.drill.nodes import AHEAD_S, LEASE_S, REST_S, RUNS, three_nodes, two_clocks
from lab.drill.office import logs, office
from lab.drill.page import ABOUT, SHARED
from lab.drill.provider_faults import provider_faults
from lab.drill.register import register
from servers.certificate.finishing import CRASH_POINTS
from tests.daemon import Daemon
from tests.e2e.test_main_job import WORDS

CONFIG = f"""{OFFICE}
[[servers]]
name = "certificate"
command = "python3"
args = ["-m", "lab.drill.fuse", "-m", "servers.certificate"]
daemon_pid_file = "@PID@"
certificate_crash_at = "@POINT@"

[agent]
deadline_s = 3600.0
max_recoveries = 1000000
"""
"""Lives here are shorter than a server's start, and no run is to blame for their ends: none is parked for it."""
SHORT_LIFE_S, LONG_LIFE_S = 0.2, 2.0
POINT_WAIT_S = 30.0
NOISE = ("Traceback", "run.broke", "after shutdown", "never retrieved", '"level": "critical"')
STOPS = 12


class Drill:
    """One drill over one state folder."""

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
        """Lives that end by a kill, in a mixed order, then one to the end."""
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
        """One life of the daemon, ended by its named point or at some moment."""
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
        """An ordinary stop, which ends well and says nothing of an error."""
        began = time.monotonic()
        code = process.kill(self._end)
        self.found.stops.append(time.monotonic() - began)
        log = (process.folder / "stderr.log").read_text()
        (process.folder / "stderr.log").write_text("")
        noise = [line for line in log.splitlines() if any(word in line for word in NOISE)]
        self.found.unclean += [f"exit code {code}"] * bool(code) + noise

    def _start(self, point: str) -> bool:
        """Start the daemon. False when it died before it was ready: what it recovered reached the point at once."""
        filled = self._config
        for place, text in (("@NOTES@", self._notes), ("@PID@", self._pid), ("@POINT@", point)):
            filled = filled.replace(place, str(text))
        self._daemon.config.write_text(filled)
        try:
            self._daemon.start()
        except AssertionError:
            if not point or not self._daemon.died(POINT_WAIT_S) or not self._daemon.was_killed:
                raise
            return False
        return True

    def _submit(self, share: int) -> None:
        """Take on so many more runs; a call that the kill cut off stays in the list and is made again later."""
        for run_id in self._waiting[:share]:
            try:
                self._daemon.call("Agent.start", prompt=WORDS, run_id=run_id, session_id=f"of-{run_id}")
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
                return
            self._waiting.remove(run_id)

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


PAGE = Path(__file__).parents[2] / "docs" / "drills.md"
KILLS, STOPPED, NODES, CLOCKS, HOSTILE = "kills", "stops", "nodes", "clocks", "hostile"
FAULTS: dict[str, Callable[[Path], list[Row]]] = {
    **{"mcp": mcp_faults, "providers": provider_faults, "disk": disk_full, "locks": databases_locked},
    **{"database": database_gone, "clock": clock_leaps},
}
ATTACKS = {
    **{"office": office, "logs": logs},
    **OUTSIDERS,
    **{"door": door, "register": register, "guards": guards, "citizens": citizens, "deadly": deadly},
    "faces": faces,
}
EVERY = (KILLS, STOPPED, NODES, CLOCKS, HOSTILE, *FAULTS, *ATTACKS)


def _kills(folder: Path, given: argparse.Namespace, seed: int) -> Found:
    """The part that is told on its own. `folder` is made."""
    folder.mkdir()
    return Drill(folder, given.runs, random.Random(seed)).run(given.kills, CRASH_POINTS)


def _stops(folder: Path, given: argparse.Namespace, seed: int) -> Found:
    """The part with ordinary stops. `folder` is made."""
    folder.mkdir()
    config = CONFIG.replace("max_recoveries = 1000000\n", "")
    return Drill(folder, given.runs // 2, random.Random(seed), signal.SIGTERM, config).run(STOPS, ())


def main() -> int:
    """Run the drill and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m lab.drill", description="Do harm to a daemon; count what is lost.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these of: {', '.join(EVERY)}")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=6, help="at random moments, beside one at each named point")
    parser.add_argument("--seed", type=int, default=None, help="repeat the moments of an earlier drill")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in EVERY]:
        parser.error(f"there is no part {', '.join(unknown)}; there are: {', '.join(EVERY)}")
    seed = given.seed if given.seed is not None else random.randrange(10_000)
    load, began = os.getloadavg()[0], time.monotonic()
    parts = given.parts or EVERY
    with tempfile.TemporaryDirectory(prefix="agentd-drill-") as name, ThreadPoolExecutor(len(parts)) as all_:
        folder = Path(name)
        texts = hostile_texts(folder / HOSTILE) if HOSTILE in parts else []
        curve = curve_table() if texts else ""
        killing = all_.submit(_kills, folder / KILLS, given, seed) if KILLS in parts else None
        stopping = all_.submit(_stops, folder / STOPPED, given, seed) if STOPPED in parts else None
        clocked = all_.submit(two_clocks, folder / CLOCKS) if CLOCKS in parts else None
        noded = all_.submit(three_nodes, folder / NODES) if NODES in parts else None
        faulty = [all_.submit(FAULTS[part], folder / part) for part in FAULTS if part in parts]
        attacked = [all_.submit(ATTACKS[part], folder / part) for part in ATTACKS if part in parts]
        attacks = [attack for future in attacked for attack in future.result()]
        rows = [row for future in faulty for row in future.result()]
        found = killing.result() if killing else None
        stops = stopping.result() if stopping else None
        clocks = clocked.result() if clocked else None
        nodes = noded.result() if noded else None
    page = ABOUT.format(
        machine=machine(),
        at=datetime.now(UTC).isoformat(timespec="minutes"),
        load=load,
        shared=SHARED if load > (os.cpu_count() or 1) else "",
        seconds=time.monotonic() - began,
        parts=", ".join(f"`{part}`" for part in EVERY),
        runs=given.runs,
        seed=seed,
        kills=found.table() if found else "",
        stops=stops.table() if stops else "",
        skew=AHEAD_S,
        clocks=clocks.table() if clocks else "",
        lease=LEASE_S,
        rest=REST_S,
        node_runs=RUNS,
        nodes=nodes.table() if nodes else "",
        faults=table(rows),
        texts=TEXTS,
        bytes=BYTES,
        hostile=table(texts),
        curve=curve,
        attacks=attack_table(attacks),
    )
    print(page)
    if not given.parts:
        PAGE.write_text(page, encoding="utf-8")
    counted = [each for each in (found, stops, nodes, clocks) if each is not None]
    for line in (line for each in counted for line in (*each.lost, *each.unclean)):
        print(f"lost: {line}", file=sys.stderr)
    for row in (*rows, *texts, *attacks):
        if not row.right:
            print(f"wrong: {row}", file=sys.stderr)
    right = all(each.right for each in counted) and all(row.right for row in (*rows, *texts, *attacks))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
