"""Does a daemon grow under long mixed work?

The work is counter_day.py's, at a moderate rate. Samples cover memory, file descriptors, threads, processes and the
disk space of conversations. The medians of the second and the last quarter are compared; caches and pools fill in the
first. Conversations are kept for a sixth of the duration, so that purging is always active; at the end all are purged.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from lab.figures.record import Found
from tests.daemon import AGENTD, TOKEN, Daemon

MINUTES = float(os.environ.get("MINUTES", "60"))
"""Duration of the soak; `make soak` takes 5."""
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
    for worker in workers:
        worker.start()
    samples: list[Sample] = []
    loads: list[float] = []
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        samples.append(Sample.of(daemon.process.pid, daemon.state))
        loads.append(os.getloadavg()[0])
        time.sleep(SAMPLE_S)
    for worker in workers:
        worker.ending.set()
    for worker in workers:
        worker.join()
    done, failed = (sum((getattr(one, of) for one in workers), Counter[str]()) for of in ("done", "failed"))
    active = daemon.call("System.health")["runs"]["active"]
    purged = _purged(daemon)
    figures = {
        "minutes": round(seconds / 60, 1),
        "load_median": round(statistics.median(loads), 1),
        **{f"times: {name.replace('_', ' ')}": times for name, times in sorted(done.items())},
        "failed": failed.total(),
        "runs active at the end": active,
        "disk of conversations after a purge of all, MB": round(disk(daemon.state), 1),
        "disk of what is kept (letters, their book, the audit trail), MB": round(disk(daemon.state, kept=True), 1),
    }
    wrong = [f"{name}: {times} times" for name, times in failed.items()]
    wrong += [*["runs left active"] * bool(active), *["the purge at the end failed"] * (not purged)]
    rows = held(samples)
    wrong += [f"{row['held']}: {row['2nd quarter']}, then {row['last quarter']}" for row in rows if row["grew"]]
    return Found.of({**figures, "held": rows}, wrong=wrong)


def _purged(daemon: Daemon) -> bool:
    """Purge all conversations with the command; return whether it succeeded."""
    words = ["purge", "--older-than", "0m", "--config", str(daemon.config), "--state", str(daemon.state)]
    listen = daemon.url.removeprefix("http://")
    env = {**os.environ, "AGENTD_TOKEN": TOKEN, **daemon.env}
    return subprocess.run([AGENTD, *words, "--listen", listen], env=env, check=False, stdout=sys.stderr).returncode == 0


def held(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """One row for each of ALLOWED: its medians in the second and the last quarter, and whether it grew."""
    quarter = max(len(samples) // 4, 1)
    second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    rows = []
    for attribute, (name, allowed) in ALLOWED.items():
        before, after = (statistics.median(getattr(one, attribute) for one in part) for part in (second, last))
        most = max(getattr(one, attribute) for one in samples)
        shown = {"2nd quarter": round(before, 1), "last quarter": round(after, 1), "most": round(most, 1)}
        rows.append({"held": name, **shown, "grew": after > before * allowed})
    return rows
