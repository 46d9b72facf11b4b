"""The code that all agents of a contest share: the terms, the scripted model's turns, and the command loop.

    python PROGRAM FOLDER     each line `RUNS ABREAST CALLS TURN_S` on standard input is answered by one line of JSON

A run makes CALLS calls of the tool get_current_time of `servers.time` and answers. The model takes TURN_S before its
first turn and no time for the others. Durable agents store their state in FOLDER. The script checks each tool result: a
failed call ends the contest. Needs no package.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

TOOL, INPUT, WITNESS = "get_current_time", {"timezone": "Asia/Jakarta", "city": "Jakarta"}, "Jakarta"
SERVER = [os.environ.get("AGENTD_PYTHON", sys.executable), "-m", "servers.time"]
QUESTION, ANSWER = "Pukul berapa sekarang?", "Selesai"
FOLDER = sys.argv[-1]


class Terms:
    """The terms of the command that is being executed."""

    calls = 5
    turn_s = 0.0


terms = Terms()


def wants(results: Sequence[object]) -> bool:
    """The scripted model's decision: True when it wants another call after these results."""
    if results and WITNESS not in str(results[-1]):
        raise SystemExit(f"a call did not bring the time but {results[-1]}")
    return len(results) < terms.calls


async def thinking(results: Sequence[object]) -> bool:
    """`wants`, after the model's delay."""
    if terms.turn_s and not results:
        await asyncio.sleep(terms.turn_s)
    return wants(results)


async def obey(run: Callable[[], Awaitable[str]]) -> None:
    """Execute each line's runs, ABREAST at a time, and print their cost as JSON. `run` returns the final text."""
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        runs, abreast, terms.calls = map(int, line.split()[:3])
        terms.turn_s = float(line.split()[3])
        memory, wall, cpu = _peak_mb(), time.perf_counter(), time.process_time()
        for _ in range(runs // abreast):
            answers = await asyncio.gather(*(run() for _ in range(abreast)))
            if set(answers) != {ANSWER}:
                raise SystemExit(f"a run answered otherwise: {answers[0]!r}")
        spent = {"s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, "more_mb": _peak_mb() - memory}
        print(json.dumps(spent), flush=True)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
