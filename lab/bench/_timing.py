"""The clocks and statistics that the benches share. It measures nothing by itself."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
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


async def cost_ms(work: Callable[[], Awaitable[object]], times: int, each: int = 1) -> tuple[float, float]:
    """Milliseconds, wall clock and CPU of this process, of one of the `each` things that a call of `work` does."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        await work()
    many = times * each
    return (time.perf_counter() - wall) / many * 1000, (time.process_time() - cpu) / many * 1000


async def longest_pause_ms(tick_s: float = 0.001) -> float:
    """How late the event loop was at the worst, until the task is cancelled."""
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(tick_s)
            now = time.perf_counter()
            longest, last = max(longest, now - last - tick_s), now
    except asyncio.CancelledError:
        return round(longest * 1000, 1)


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


@contextmanager
def server(*command: str) -> Iterator[tuple[int, int]]:
    """A server in a process of its own that prints its port once it listens: (its pid, its port)."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, int(process.stdout.readline())
        finally:
            process.terminate()


def print_json(work: Coroutine[Any, Any, Any]) -> None:
    """Run what a process of its own measures, as the daemon runs (uvloop), and print it for `in_a_process`."""
    import uvloop

    from agentd.observability import logging as logs

    logs.configure("error")
    print(json.dumps(uvloop.run(work)))
