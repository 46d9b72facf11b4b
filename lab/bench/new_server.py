"""How soon a new server is there after its lines are saved: `agentd serve --watch` looks at client.toml by itself.

Five times, one after the other, three lines are saved; `named` is until Tools.list names the server, `tools` until its
tools can be called, which takes the start of its process. `agentd tools add` tells the running daemon at once and waits
for no look. Issue 21: 1 s.
"""

from __future__ import annotations

import json
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.daemon import HEAD, SERVERS, Daemon, final

TIMES = 5
LINES = '[[servers]]\nname = "another{number}"\ncommand = "python3"\nargs = ["-m", "servers.time"]\n'


def run() -> dict[str, Any]:
    """Seconds."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(Path(folder), [final("Halo")], HEAD + SERVERS["time"])
        daemon.words = ("--watch",)
        daemon.start()
        try:
            named, there = zip(*(_added(daemon, number) for number in range(TIMES)), strict=True)
        finally:
            daemon.kill(signal.SIGTERM)
    return {
        "times": TIMES,
        "named_s": round(statistics.median(named), 2),
        "named_worst_s": round(max(named), 2),
        "tools_s": round(statistics.median(there), 2),
        "tools_worst_s": round(max(there), 2),
        "limit_s": 1.0,
    }


def _added(daemon: Daemon, number: int) -> tuple[float, float]:
    with daemon.config.open("a") as file:
        file.write(LINES.format(number=number))
    began, name = time.perf_counter(), f"another{number}"
    return _when(lambda: name in _states(daemon), began), _when(lambda: _states(daemon).get(name) == "up", began)


def _when(there: Callable[[], bool], began: float) -> float:
    while not there():
        time.sleep(0.01)
    return time.perf_counter() - began


def _states(daemon: Daemon) -> dict[str, str]:
    return {one["name"]: one["state"] for one in daemon.call("Tools.list")["servers"]}


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
