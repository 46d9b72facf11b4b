"""Measures how long an install and a start take, the daemon's memory then, and what 10,000 open sessions add.

`install` is `make install` of a fresh clone with the package cache of this machine, `environment` what it puts on the
disk. A start is `agentd serve` with five servers, to its ready line and until all servers are up; the medians count.
The sessions are opened over the wire, each with one turn of a scripted model, and stay open; memory is the daemon's
resident set without its servers, `more` than at the ready line.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp

from lab.bench._timing import median
from lab.drill.soak import Sample
from lab.figures.record import ROOT
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, final, running, server_entry
from tests.e2e.register import REGISTER

ROUNDS = 5
OPEN, ABREAST = 10_000, 50
BOOKS = "".join(
    server_entry(name, "-m", f"servers.{module}")
    for name, module in (("mysql_mcp_server", "mysql"), ("placeholder_mcp_server", "placeholder"))
)


def run() -> dict[str, Any]:
    """Seconds, megabytes, file descriptors and sessions per second, as the names say."""
    with tempfile.TemporaryDirectory() as name:
        return {**_installed(Path(name) / "clone"), **_starts(Path(name)), **_sessions(Path(name))}


def _installed(folder: Path) -> dict[str, Any]:
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(folder)], check=True)
    began = time.perf_counter()
    subprocess.run(["make", "--silent", "install"], cwd=folder, check=True, stdout=sys.stderr)
    took = time.perf_counter() - began
    used = sum(path.stat().st_size for path in (folder / ".venv").rglob("*") if not path.is_symlink()) / 2**20
    return {"install_s": round(took, 1), "environment_mb": round(used)}


def _starts(folder: Path) -> dict[str, Any]:
    ready, up = [], []
    config = HEAD + SERVERS["time"] + SERVERS["certificate"] + REGISTER + BOOKS
    for number in range(ROUNDS):
        daemon = Daemon(folder / f"start{number}", [final("Baik.")], config)
        began = time.perf_counter()
        daemon.start()
        try:
            ready.append(time.perf_counter() - began)
            while any(server["state"] != "up" for server in daemon.call("Tools.list")["servers"]):
                time.sleep(0.05)
            up.append(time.perf_counter() - began)
        finally:
            daemon.kill(15)
    return {"start_ready_s": median(ready), "start_five_servers_up_s": median(up)}


def _sessions(folder: Path) -> dict[str, Any]:
    with running(folder / "sessions", final("Baik."), config=HEAD + SERVERS["time"]) as daemon:
        assert daemon.process is not None
        pid = daemon.process.pid
        before = Sample.of(pid)
        began = time.perf_counter()
        asyncio.run(_open(daemon, OPEN))
        took = time.perf_counter() - began
        after = Sample.of(pid)
        listed = len(daemon.call("Session.list", limit=100)["sessions"])
        disk = sum(path.stat().st_size for path in daemon.state.glob("*.db*")) / 2**20
    if listed < 100:
        raise SystemExit("the sessions of the bench are not open")
    return {
        "ready_mb": round(before.memory_mb),
        "sessions_open": OPEN,
        "sessions_10000_more_mb": round(after.memory_mb - before.memory_mb, 1),
        "sessions_10000_disk_mb": round(disk, 1),
        "sessions_more_descriptors": after.descriptors - before.descriptors,
        "sessions_opened_per_second": round(OPEN / took),
    }


async def _open(daemon: Daemon, many: int) -> None:
    shown = {"Authorization": f"Bearer {TOKEN}"}
    waiting = iter(range(many))
    async with aiohttp.ClientSession(headers=shown) as client:

        async def some() -> None:
            for _ in waiting:
                made = await _call(client, daemon, "Session.create", {})
                await _call(client, daemon, "Agent.run", {"prompt": "Halo", "session_id": made["session_id"]})

        await asyncio.gather(*(some() for _ in range(ABREAST)))


async def _call(client: aiohttp.ClientSession, daemon: Daemon, method: str, params: dict[str, Any]) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with client.post(f"{daemon.url}/rpc", json=body) as response:
        return (await response.json())["result"]
