"""Counts a drill's results: lost runs, repeated finished steps, duplicate letters. It injects no faults itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final
from tests.e2e.test_main_job import LETTER

TURNS = (call("get_current_time"), call("take_note", text="a"), LETTER, call("take_note", text="b"), final("Selesai."))
"""The model's turns in each run."""
CALLS = len(TURNS) - 1
OFFICE = f"""{HEAD}
[[tools]]
name = "get_current_time"
server = "time"

[[tools]]
name = "take_note"
server = "notes"
approval = "never"

[[tools]]
name = "{LETTER["tool"]}"
server = "certificate"
approval = "never"

{SERVERS["time"]}
[[servers]]
name = "notes"
command = "python3"
args = ["-m", "lab.drill.notes"]
workdir = "{Path(__file__).parents[2]}"
start_timeout_s = 120
notes_file = "@NOTES@"
"""
"""The configuration without the letters' server; NOTES is the path of the file that collects the notes."""
END_WAIT_S = 600.0


@dataclass
class Found:
    """What the drill counted."""

    runs: int
    random_kills: int = 0
    stops: list[float] = field(default_factory=list)
    """Duration of each ordinary stop, in seconds."""
    unclean: list[str] = field(default_factory=list)
    """Stops with a non-zero exit code, and log lines that a stop must not leave."""
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
        return not (self.lost or self.repeated or self.doubled or self.unclean)

    def counts(self) -> dict[str, str | int | float]:
        """{label for people: count}."""
        return {
            "runs taken on": self.runs,
            **({"kills -9 at random moments": self.random_kills} if self.random_kills else {}),
            **({"kills -9 at named points": f"{len(self.points)} ({', '.join(self.points)})"} if self.points else {}),
            **self._stopped(),
            "notes cut off and taken again under their key": self.begun_again,
            "letters issued": self.letters,
            "runs lost": len(self.lost),
            "finished steps repeated": self.repeated,
            "letters doubled": self.doubled,
            "seconds": round(self.seconds),
        }

    def _stopped(self) -> dict[str, str | int | float]:
        if not self.stops:
            return {}
        label = "ordinary stops at random moments; the slowest took"
        return {label: f"{len(self.stops)}; {max(self.stops):.1f} s", "unclean stops": len(self.unclean)}

    def judge(self, ids: Iterable[str], asked: Daemon, notes: Path, letters: Path) -> None:
        """Wait for every run by polling `asked`, then count runs, notes, and the letters in the archive."""
        until = time.monotonic() + END_WAIT_S
        for run_id in ids:
            outcome = _ended(asked, run_id, until)
            good = [step for step in outcome.get("steps", ()) if step["success"]]
            if outcome.get("status") != "completed" or len(good) != CALLS:
                bad = [f"{step['tool']}: {step['message']}" for step in outcome.get("steps", ()) if not step["success"]]
                said = "; ".join([*bad, (outcome.get("error") or {}).get("message", "")])
                self.lost.append(f"{run_id}: {outcome.get('status')}, {len(good)} of {CALLS} calls made; {said}")
            self.doubled += max(len(outcome.get("artifacts", ())) - 1, 0)
        self.letters = len(list(letters.rglob("*.pdf")))
        self.doubled += max(self.letters - self.runs, 0)
        self._count_steps(notes)

    def _count_steps(self, notes: Path) -> None:
        """A step has finished when a later step of its run starts; if it appears after that, it was repeated."""
        furthest: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        for line in notes.read_text().splitlines():
            run_id, _, step = line.rpartition(":")
            self.repeated += int(step) < furthest[run_id]
            furthest[run_id] = max(furthest[run_id], int(step))
            seen[line] += 1
        self.begun_again = sum(times - 1 for times in seen.values())


def filled(config: str, **values: object) -> str:
    """The configuration with each `@NAME@` replaced."""
    for name, value in values.items():
        config = config.replace(f"@{name}@", str(value))
    return config


def _ended(asked: Daemon, run_id: str, until: float) -> dict[str, Any]:
    """The run's outcome once it has ended, or its current state when the time is up."""
    try:
        while (outcome := asked.call("Agent.get", run_id=run_id))["status"] in ("queued", "running"):
            if time.monotonic() > until:
                break
            time.sleep(0.1)
    except RpcFailed as error:
        return {"status": f"not there: {error}"}
    return dict(outcome)
