"""`python -m lab.drill.soak [--minutes 5]`: does a daemon grow under long mixed work? Exit 1 if so.

Work: runs with tools, sessions forked, exported and deleted, streams cut in the middle, cancelled runs, calls of tools,
reloads that add and remove a server. Memory (of the daemon alone), file descriptors, threads and processes are sampled;
the medians of the second and of the last quarter are compared: the first quarter is for caches and pools to fill.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, RpcFailed, call, final

WORKERS = 4
SAMPLE_S = 1.0
RELOAD_EVERY = 15
"""Rounds of the first worker between two reloads."""
SLOW = json.dumps({"text": json.dumps(final("Selesai")), "after_ms": 50})
TURNS = (call("get_current_time"), SLOW)
ALLOWED = {"memory MB": 1.10, "file descriptors": 1.10, "threads": 1.10, "processes": 1.0}
"""How much the last quarter may have of what the second had."""


@dataclass(frozen=True)
class Sample:
    """What the daemon holds at one moment."""

    memory: float
    descriptors: int
    threads: int
    processes: int

    @classmethod
    def of(cls, pid: int) -> Sample:
        """Read from /proc; processes are the daemon's and all below it."""
        proc = Path("/proc") / str(pid)
        pages = int((proc / "statm").read_text().split()[1])
        return cls(
            memory=pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            descriptors=len(list((proc / "fd").iterdir())),
            threads=len(list((proc / "task").iterdir())),
            processes=1 + len(_below(pid)),
        )


def _below(pid: int) -> list[int]:
    found: list[int] = []
    for task in (Path("/proc") / str(pid) / "task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                found += [int(child), *_below(int(child))]
    return found


class Worker(threading.Thread):
    """One caller who does a bit of everything, again and again."""

    def __init__(self, number: int, daemon: Daemon, until: float) -> None:
        super().__init__(name=f"worker-{number}")
        self.number = number
        self.done: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._agentd = daemon
        self._until = until

    def run(self) -> None:
        """Round after round; a refusal is counted by its type."""
        while time.monotonic() < self._until:
            for act in (self._talk, self._cut_a_stream, self._cancel, self._call, self._reload):
                try:
                    act()
                    self.done[act.__name__.removeprefix("_")] += 1
                except RpcFailed as error:
                    self.failed[f"{act.__name__.removeprefix('_')}: {error.type}"] += 1
                except Exception as error:
                    self.failed[f"{act.__name__.removeprefix('_')}: {type(error).__name__}"] += 1

    def _talk(self) -> None:
        session = self._agentd.call("Session.create")["session_id"]
        for _ in range(2):
            self._agentd.call("Agent.run", prompt="Selamat siang", session_id=session)
        forked = self._agentd.call("Session.fork", session_id=session)["session_id"]
        self._agentd.call("Session.export", session_id=forked)
        for one in (session, forked):
            self._agentd.call("Session.delete", session_id=one)

    def _cut_a_stream(self) -> None:
        run_id = self._agentd.call("Agent.start", prompt="Halo")["run_id"]
        with self._agentd.request(f"/events?run_id={run_id}") as response:
            response.readline()
        self._agentd.call("Agent.run", prompt="Halo", run_id=run_id)

    def _cancel(self) -> None:
        run_id = self._agentd.call("Agent.start", prompt="Halo")["run_id"]
        with suppress(RpcFailed):  # it may have ended first
            self._agentd.call("Agent.cancel", run_id=run_id)

    def _call(self) -> None:
        self._agentd.call("Tools.call", tool="get_current_time")

    def _reload(self) -> None:
        if self.number == 0 and self.done["talk"] % RELOAD_EVERY == 1:
            whole = HEAD + SERVERS["time"]
            self._agentd.config.write_text(whole + SERVERS["certificate"])
            self._agentd.call("Config.reload")
            self._agentd.config.write_text(whole)
            self._agentd.call("Config.reload")


def soak(folder: Path, minutes: float) -> bool:
    """Run it and print the table. True when nothing grew and nothing failed."""
    daemon = Daemon(folder, TURNS, HEAD + SERVERS["time"], {"AGENTD_TOKEN": TOKEN}).start()
    assert daemon.process is not None
    pid = daemon.process.pid
    until = time.monotonic() + minutes * 60
    workers = [Worker(number, daemon, until) for number in range(WORKERS)]
    samples: list[Sample] = []
    try:
        for worker in workers:
            worker.start()
        while time.monotonic() < until:
            samples.append(Sample.of(pid))
            time.sleep(SAMPLE_S)
        for worker in workers:
            worker.join()
        health = daemon.call("System.health")
    finally:
        daemon.kill(15)
    done, failed = (sum((getattr(worker, of) for worker in workers), Counter[str]()) for of in ("done", "failed"))
    print("work: " + ", ".join(f"{name} {times}" for name, times in sorted(done.items())))
    print("failed: " + (", ".join(f"{name} ×{times}" for name, times in sorted(failed.items())) or "none"))
    print(f"active runs at the end: {health['runs']['active']}")
    return _flat(samples) and not failed and health["runs"]["active"] == 0


def _flat(samples: list[Sample]) -> bool:
    quarter = max(len(samples) // 4, 1)
    second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    flat = True
    print(f"{'':<18}{'2nd quarter':>12}{'last quarter':>14}{'most':>8}")
    for (name, allowed), attribute in zip(ALLOWED.items(), Sample.__dataclass_fields__, strict=True):
        before, after = (statistics.median(getattr(one, attribute) for one in part) for part in (second, last))
        most = max(getattr(one, attribute) for one in samples)
        grew = after > before * allowed
        flat &= not grew
        print(f"{name:<18}{before:>12.0f}{after:>14.0f}{most:>8.0f}{'   grew' if grew else ''}")
    return flat


def main() -> int:
    """0 when it stays as it was."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.drill.soak", description="Work for long; see whether it grows."
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentd-soak-") as folder:
        return 0 if soak(Path(folder), given.minutes) else 1


if __name__ == "__main__":
    sys.exit(main())
