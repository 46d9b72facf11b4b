"""Measures how soon a new server can be called after client.toml is saved, under `agentd serve --watch`.

Five times, one after the other, three lines are saved; `named` is until Tools.list names the server, `tools` until its
tools can be called, which takes the start of its process; `bare` is how long the SDK's own client takes for that start,
beside the same daemon, in turns. `agentd tools add` tells the running daemon at once and waits for no look. Issue 21:
1 s.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from lab.bench._timing import median
from tests.daemon import HEAD, SERVERS, Daemon, final, server_entry

TIMES = 5
LOOK_S = 0.02


def run() -> dict[str, Any]:
    """Seconds: median and worst."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(Path(folder), [final("Halo")], HEAD + SERVERS["time"])
        daemon.words = ("--watch",)
        daemon.start()
        try:
            rounds = [(asyncio.run(_bare()), *_added(daemon, number)) for number in range(TIMES)]
        finally:
            daemon.kill(signal.SIGTERM)
    bare, named, there = zip(*rounds, strict=True)
    beyond = [ours - theirs for theirs, _, ours in rounds]
    return {
        "times": TIMES,
        "named_s": median(named),
        "named_worst_s": round(max(named), 2),
        "tools_s": median(there),
        "tools_worst_s": round(max(there), 2),
        "bare_s": median(bare),
        "tools_beyond_bare_s": median(beyond),
        "tools_to_bare": median(ours / theirs for theirs, _, ours in rounds),
    }


async def _bare() -> float:
    """Seconds until the SDK's client has the tools of a server that it starts."""
    began = time.perf_counter()
    async with Client(
        stdio_client(StdioServerParameters(command=sys.executable, args=["-m", "servers.time"]))
    ) as client:
        await client.list_tools()
        return time.perf_counter() - began


def _added(daemon: Daemon, number: int) -> tuple[float, float]:
    with daemon.config.open("a") as file:
        file.write(server_entry(f"another{number}", "-m", "servers.time"))
    began, name = time.perf_counter(), f"another{number}"
    return _when(lambda: name in _states(daemon), began), _when(lambda: _states(daemon).get(name) == "up", began)


def _when(there: Callable[[], bool], began: float) -> float:
    while not there():
        time.sleep(LOOK_S)
    return time.perf_counter() - began


def _states(daemon: Daemon) -> dict[str, str]:
    return {one["name"]: one["state"] for one in daemon.call("Tools.list")["servers"]}
