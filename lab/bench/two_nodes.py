"""Measures the throughput of two nodes on one PostgreSQL against one node, when runs wait for the model.

Each run calls one tool in two turns of a scripted model that takes 1 s a turn, and a node takes eight runs at a time:
a node's places are full, the machine's processors are not. What is measured is whether the shared queue hands work to
both as soon as a place is free. Where the processors are full two nodes on one machine show nothing, because they share
them with PostgreSQL and with who asks. One node and two take turns; the medians count.
"""

from __future__ import annotations

import json
import signal
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lab.bench._timing import cpu_ms
from tests.daemon import HEAD, SERVERS, Daemon, call, final
from tests.postgresql import postgresql

ROUNDS, CROWD, ABREAST = 3, 96, 8
TURN_MS = 1000
TURNS = [
    json.dumps({"text": json.dumps(turn), "after_ms": TURN_MS}) for turn in (call("get_current_time"), final("Selesai"))
]
STORE = f'\n[store]\nurl = "@URL@"\nnode = "@NODE@"\nconcurrency = {ABREAST}\n'


def run() -> dict[str, Any]:
    """Runs per second of one node and of two, and the ratio."""
    taken: dict[int, list[float]] = {1: [], 2: []}
    used: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name, postgresql() as url:
        nodes = [_node(Path(name), number, url) for number in range(2)]
        for number in range(ROUNDS):
            for many in (1, 2):
                seconds, cpu = _crowd(nodes[:many], f"{number}-{many}")
                taken[many].append(seconds)
                used[many].append(cpu)
    one, two = (CROWD / statistics.median(taken[many]) for many in (1, 2))
    most = ABREAST * 1000 / (len(TURNS) * TURN_MS)
    return {
        "one_node_runs_per_second": round(one, 2),
        "one_node_of_what_its_places_allow_ratio": round(one / most, 2),
        "two_nodes_runs_per_second": round(two, 2),
        "two_to_one_ratio": round(two / one, 2),
        "one_node_run_cpu_ms": round(statistics.median(used[1]) / CROWD, 1),
        "two_nodes_run_cpu_ms": round(statistics.median(used[2]) / CROWD, 1),
    }


def _crowd(nodes: list[Daemon], name: str) -> tuple[float, float]:
    """Send the runs to the nodes in turn: (seconds for all, CPU milliseconds of the nodes)."""
    with ExitStack() as ending:
        for node in nodes:
            node.start()
            ending.callback(node.kill, signal.SIGTERM)
        pool = ending.enter_context(ThreadPoolExecutor(CROWD))
        before, began = _cpu(nodes), time.perf_counter()
        asked = [
            pool.submit(nodes[at % len(nodes)].call, "Agent.run", prompt="Jam berapa?", run_id=f"run-{name}-{at}")
            for at in range(CROWD)
        ]
        if any(future.result()["status"] != "completed" for future in asked):
            raise SystemExit("a run of the bench did not complete")
        return time.perf_counter() - began, _cpu(nodes) - before


def _cpu(nodes: list[Daemon]) -> float:
    return sum(cpu_ms(node.process.pid) for node in nodes if node.process is not None)


def _node(folder: Path, number: int, url: str) -> Daemon:
    name = f"node{number}"
    return Daemon(folder / name, TURNS, HEAD + SERVERS["time"] + STORE.replace("@URL@", url).replace("@NODE@", name))
