"""The clocks and statistics that the benches share. It measures nothing by itself."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import psutil


def median(values: Iterable[float], digits: int = 2) -> float:
    return round(statistics.median(values), digits)


def p95(values: Sequence[float], digits: int = 1) -> float:
    """The value that 95 of a hundred do not exceed."""
    return round(sorted(values)[int(len(values) * 0.95)], digits)


def timed_ms(work: Callable[[], object], times: int = 1, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Milliseconds of each call."""
    taken = []
    for _ in range(times):
        began = clock()
        work()
        taken.append((clock() - began) * 1000)
    return taken


async def awaited_ms(work: Callable[[], Awaitable[object]], times: int = 1) -> list[float]:
    """`timed_ms` of a coroutine function."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def cpu_ms(pid: int) -> float:
    """CPU milliseconds that the process has used so far, over all its threads."""
    return 1000 * float(sum(psutil.Process(pid).cpu_times()[:2]))


def peak_mib() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_process(module: str, *words: str, **environ: str) -> Any:
    """What `python -m lab.bench.MODULE WORDS` prints, read as JSON."""
    command = [sys.executable, "-m", f"lab.bench.{module}", *words]
    return json.loads(
        subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=600, env={**os.environ, **environ}).stdout
    )
