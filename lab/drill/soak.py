"""`python -m lab.drill.soak [--minutes 5]`: does a daemon grow under long mixed work? Exit 1 if so.

Each sample is written to a file as it is taken; `--of FILE` prints the table of a soak that was cut short.

The work is counter_day.py's, at a moderate rate. Samples cover memory, file descriptors, threads, processes and the
disk space of conversations. The medians of the second and the last quarter are compared; caches and pools fill in the
first. Conversations are kept for a sixth of the duration, so that purging is always active; at the end all are purged.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from lab.figures.record import Found
from tests.daemon import AGENTD, TOKEN, Daemon

MINUTES = float(os.environ.get("MINUTES", "60"))
"""Duration for `make figures ONLY=soak` (MINUTES=10: shorter)."""
SAMPLE_S = 2.0
KEPT = ("letters", "audit.jsonl", "audit.head")
"""Files that an office keeps permanently: they grow and are no conversations."""
ALLOWED = {
    "memory_mb": ("memory of the daemon, MB", 1.10),
    "below_mb": ("memory of its servers, MB", 1.10),
    "descriptors": ("file descriptors", 1.10),
    "threads": ("threads", 1.10),
    "processes": ("processes", 1.0),
    "disk_mb": ("disk of conversations, MB", 1.10),
}
"""The maximum ratio of the last quarter's median to the second quarter's."""


@dataclass(frozen=True)
class Sample:
    """Resources of the daemon at one moment; `processes` counts the daemon and all its descendants."""

    memory_mb: float
    below_mb: float
    descriptors: int
    threads: int
    processes: int
    disk_mb: float = 0.0

    @classmethod
    def of(cls, pid: int, state: Path | None = None) -> Sample:
        """Take a sample of the processes, and of the state folder if given."""
        process = psutil.Process(pid)
        below = process.children(recursive=True)
        return cls(
            memory_mb=_memory(process),
            below_mb=sum(map(_memory, below)),
            descriptors=process.num_fds(),
            threads=process.num_threads(),
            processes=1 + len(below),
            disk_mb=0.0 if state is None else disk(state),
        )


def disk(state: Path, *, kept: bool = False) -> float:
    """Megabytes in a state folder: of conversations, or with `kept` of what the office keeps."""
    with suppress(FileNotFoundError):  # SQLite creates and deletes files of its own
        tops = [path for path in state.iterdir() if (path.name in KEPT) is kept]
        files = [path for top in tops for path in (top, *top.rglob("*"))]
        return sum(path.stat().st_size for path in files if path.is_file()) / 2**20
    return disk(state, kept=kept)


def _memory(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):
        return float(process.memory_info().rss / 2**20)
    return 0.0


def run(minutes: float = MINUTES) -> Found:
    """Run the soak in a temporary folder; `wrong` lists what grew and what failed."""
    with tempfile.TemporaryDirectory(prefix="agentd-soak-") as folder:
        return soak(Path(folder), minutes)


def soak(folder: Path, minutes: float) -> Found:
    from lab.drill import counter_day  # imports the tests' servers, which a sample does not need

    with counter_day.Service() as service:
        text = counter_day.config(service.url, keep_s=minutes * 60 / 6)
        daemon = Daemon(folder, counter_day.TURNS, text, counter_day.ENVIRONMENT)
        (folder / "plans.jsonl").write_text("\n".join(counter_day.PLANS) + "\n")
        daemon.start()
        try:
            return _watched(daemon, counter_day.workers(daemon, service), minutes * 60)
        finally:
            daemon.kill(15)


def _watched(daemon: Daemon, workers: list[Any], seconds: float) -> Found:
    assert daemon.process is not None
    samples = Path(tempfile.mkstemp(prefix="agentd-soak-", suffix=".jsonl")[1])
    print(f"soak: its samples, as they are taken: {samples}", file=sys.stderr, flush=True)
    for worker in workers:
        worker.start()
    began = time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        _write(samples, passed, Sample.of(daemon.process.pid, daemon.state), workers)
        time.sleep(SAMPLE_S)
    for worker in workers:
        worker.ending.set()
    for worker in workers:
        worker.join()
    _write(samples, seconds, Sample.of(daemon.process.pid, daemon.state), workers)
    active = daemon.call("System.health")["runs"]["active"]
    purged = _purged(daemon)
    found = of_samples(samples)
    end = {
        "runs active at the end": active,
        "disk of conversations after a purge of all, MB": round(disk(daemon.state), 1),
        "disk of what is kept (letters, their book, the audit trail), MB": round(disk(daemon.state, kept=True), 1),
    }
    wrong = [*found.wrong, *["runs left active"] * bool(active), *["the purge at the end failed"] * (not purged)]
    return found.model_copy(update={"figures": {**found.figures, **Found.of(end).figures}, "wrong": wrong})


def _write(samples: Path, passed: float, sample: Sample, workers: Sequence[Any]) -> None:
    """Append a line: the sample, and the totals of what was done and failed so far."""
    totals = {of: sum((getattr(worker, of).copy() for worker in workers), Counter[str]()) for of in ("done", "failed")}
    line = {"seconds": round(passed, 1), "load": round(os.getloadavg()[0], 1), "held": asdict(sample), **totals}
    with samples.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def of_samples(samples: Path) -> Found:
    """The figures of the samples written so far; an incomplete last line is ignored."""
    lines = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines() if line.endswith("}}")]
    last: Mapping[str, Any] = lines[-1]
    rows = _rows([Sample(**line["held"]) for line in lines])
    figures = {
        "minutes": round(last["seconds"] / 60, 1),
        "load_median": round(statistics.median(line["load"] for line in lines), 1),
        **{f"times: {name.replace('_', ' ')}": times for name, times in sorted(last["done"].items())},
        "failed": sum(last["failed"].values()),
    }
    wrong = [f"{row['held']}: {row['2nd quarter']}, then {row['last quarter']}" for row in rows if row["grew"]]
    wrong += [f"{name}: {times} times" for name, times in last["failed"].items()]
    return Found.of({**figures, "held": rows}, wrong=wrong)


def _purged(daemon: Daemon) -> bool:
    """Purge all conversations with the command; return whether it succeeded."""
    words = ["purge", "--older-than", "0m", "--config", str(daemon.config), "--state", str(daemon.state)]
    listen = daemon.url.removeprefix("http://")
    env = {**os.environ, "AGENTD_TOKEN": TOKEN, **daemon.env}
    return subprocess.run([AGENTD, *words, "--listen", listen], env=env, check=False, stdout=sys.stderr).returncode == 0


def _rows(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    quarter = max(len(samples) // 4, 1)
    second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    rows = []
    for attribute, (name, allowed) in ALLOWED.items():
        before, after = (statistics.median(getattr(one, attribute) for one in part) for part in (second, last))
        most = max(getattr(one, attribute) for one in samples)
        shown = {"2nd quarter": round(before, 1), "last quarter": round(after, 1), "most": round(most, 1)}
        rows.append({"held": name, **shown, "grew": after > before * allowed})
    return rows


def main() -> int:
    """Return 0 when nothing grew and nothing failed."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.drill.soak", description="Work for long; see whether it grows."
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--of", type=Path, metavar="FILE", help="run nothing; the table of these samples")
    given = parser.parse_args()
    found = of_samples(given.of) if given.of else run(given.minutes)
    print(found.model_dump_json(indent=1, exclude_defaults=True))
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
