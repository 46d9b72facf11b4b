"""`python -m drill [PART …]`: what is tried on a daemon, and what was lost. Exit 1 when anything was.

The part `kills`: hundreds of runs while the daemon is killed -9, at random moments and at each named point of issuing a
letter; then a table of what was lost, repeated or doubled. The other parts are the faults of drill/faults.py. All parts
go on side by side, because most of a drill is waiting, and are written into docs/drills.md.

Each run of `kills` calls four tools: the time, a note, a letter, a note. A daemon that is killed is started again; it
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
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.__main__ import machine
from drill.faults import PARTS, table
from servers.certificate.issuing import CRASH_POINTS
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final
from tests.e2e.test_main_job import LETTER, WORDS

TURNS = (call("get_current_time"), call("take_note", text="a"), LETTER, call("take_note", text="b"), final("Selesai."))
CALLS = len(TURNS) - 1
CONFIG = f"""{HEAD}{SERVERS["time"]}
[[servers]]
name = "notes"
command = "python3"
args = ["-m", "drill.notes"]
notes_file = "@NOTES@"

[[servers]]
name = "certificate"
command = "python3"
args = ["-m", "drill.fuse", "-m", "servers.certificate"]
daemon_pid_file = "@PID@"
certificate_crash_at = "@POINT@"

[[tools]]
name = "get_current_time"
server = "time"

[[tools]]
name = "take_note"
server = "notes"

[[tools]]
name = "{LETTER["tool"]}"
server = "certificate"
approval = "never"

[agent]
deadline_s = 3600.0
"""
SHORT_LIFE_S, LONG_LIFE_S = 0.2, 2.0
POINT_WAIT_S = 30.0
END_WAIT_S = 240.0


@dataclass
class Found:
    """What the drill counted."""

    runs: int
    random_kills: int = 0
    points: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    repeated: int = 0
    begun_again: int = 0
    letters: int = 0
    doubled: int = 0
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """True when nothing was lost, repeated or doubled."""
        return not (self.lost or self.repeated or self.doubled)

    def table(self) -> str:
        """In Markdown, as a person reads it."""
        rows = [
            ("runs taken on", self.runs),
            ("kills -9 at random moments", self.random_kills),
            ("kills -9 at named points", f"{len(self.points)} ({', '.join(self.points)})"),
            ("notes cut off and taken again under their key", self.begun_again),
            ("letters issued", self.letters),
            ("runs lost", len(self.lost)),
            ("finished steps repeated", self.repeated),
            ("letters doubled", self.doubled),
            ("seconds", f"{self.seconds:.0f}"),
        ]
        return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


class Drill:
    """One drill over one state folder."""

    def __init__(self, folder: Path, runs: int, chance: random.Random) -> None:
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
            self._judge()
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
        self.found.random_kills += 1
        process.kill(signal.SIGKILL)

    def _start(self, point: str) -> bool:
        """Start the daemon. False when it died before it was ready: what it recovered reached the point at once."""
        filled = CONFIG
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

    def _judge(self) -> None:
        """Wait for every run, then count."""
        until = time.monotonic() + END_WAIT_S
        for run_id in self._ids:
            outcome = self._ended(run_id, until)
            good = [step for step in outcome.get("steps", ()) if step["success"]]
            if outcome.get("status") != "completed" or len(good) != CALLS:
                bad = [f"{step['tool']}: {step['message']}" for step in outcome.get("steps", ()) if not step["success"]]
                said = "; ".join([*bad, (outcome.get("error") or {}).get("message", "")])
                self.found.lost.append(f"{run_id}: {outcome.get('status')}, {len(good)} of {CALLS} calls made; {said}")
            self.found.doubled += max(len(outcome.get("artifacts", ())) - 1, 0)
        self.found.letters = len(list((self._daemon.state / "letters").rglob("*.pdf")))
        self.found.doubled += max(self.found.letters - self.found.runs, 0)
        self._count_steps()

    def _ended(self, run_id: str, until: float) -> dict[str, Any]:
        """The run's outcome once it has ended, or as it stands when the time is up."""
        try:
            while (outcome := self._daemon.call("Agent.get", run_id=run_id))["status"] in ("queued", "running"):
                if time.monotonic() > until:
                    break
                time.sleep(0.1)
        except RpcFailed as error:
            return {"status": f"not there: {error}"}
        return dict(outcome)

    def _count_steps(self) -> None:
        """A step has finished when a later one of its run began: seen again after that, it was repeated."""
        furthest: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        for line in self._notes.read_text().splitlines():
            run_id, _, step = line.rpartition(":")
            self.found.repeated += int(step) < furthest[run_id]
            furthest[run_id] = max(furthest[run_id], int(step))
            seen[line] += 1
        self.found.begun_again = sum(times - 1 for times in seen.values())

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


PAGE = Path(__file__).parents[1] / "docs" / "drills.md"
KILLS = "kills"
ABOUT = """\
# Drills

Written by `make drill` (`python -m drill`), on {machine}, {at}, load {load:.1f} before, in {seconds:.0f} s.

## Killed again and again

The daemon is killed with `kill -9` while {runs} runs are under way, at random moments and at each named point of
issuing a letter, and started again; seed {seed}. A run calls four tools: the time, a note, a letter, a note.

{kills}

## Faults

Each is done while a bystander's run goes through the same daemon. Processes are the daemon's and all below it, open
files are its descriptors, rows are the runs in its database: before, and once it had settled. What a fault needed for
itself (its server, its provider) is gone again by then. A run that waited for its database goes on by itself when the
cause has gone; that takes up to a minute, because DBOS looks for its database in growing pauses.

{faults}
"""


def _kills(folder: Path, given: argparse.Namespace, seed: int) -> Found:
    """The part that is told on its own. `folder` is made."""
    folder.mkdir()
    found = Drill(folder, given.runs, random.Random(seed)).run(given.kills, CRASH_POINTS)
    for line in found.lost:
        print(f"lost: {line}", file=sys.stderr)
    return found


def main() -> int:
    """Run the drill and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m drill", description="Do harm to a daemon; count what is lost.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these of: {', '.join((KILLS, *PARTS))}")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=6, help="at random moments, beside one at each named point")
    parser.add_argument("--seed", type=int, default=None, help="repeat the moments of an earlier drill")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in (KILLS, *PARTS)]:
        parser.error(f"there is no part {', '.join(unknown)}; there are: {', '.join((KILLS, *PARTS))}")
    seed = given.seed if given.seed is not None else random.randrange(10_000)
    load, began = os.getloadavg()[0], time.monotonic()
    parts = given.parts or [KILLS, *PARTS]
    with tempfile.TemporaryDirectory(prefix="agentd-drill-") as name, ThreadPoolExecutor(len(parts)) as all_:
        folder = Path(name)
        killing = all_.submit(_kills, folder / KILLS, given, seed) if KILLS in parts else None
        faulty = [all_.submit(PARTS[part], folder / part) for part in PARTS if part in parts]
        rows = [row for future in faulty for row in future.result()]
        found = killing.result() if killing else None
    page = ABOUT.format(
        machine=machine(),
        at=datetime.now(UTC).isoformat(timespec="minutes"),
        load=load,
        seconds=time.monotonic() - began,
        runs=given.runs,
        seed=seed,
        kills=found.table() if found else "",
        faults=table(rows),
    )
    print(page)
    if not given.parts:
        PAGE.write_text(page, encoding="utf-8")
    for row in rows:
        if not row.right:
            print(f"wrong: {row}", file=sys.stderr)
    return 0 if (found is None or found.right) and all(row.right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
