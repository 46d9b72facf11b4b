"""Measures 1,000 readers of one run's events: the server's memory, and how long an event takes to reach all.

The server is a process of its own with the in-memory runs behind the daemon's own HTTP application.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import psutil

from lab.bench._timing import median, server

EVENTS = 20
READERS = 1000


def run() -> dict[str, float]:
    """For 1,000 readers: seconds to connect, additional MB of the server, milliseconds until all have an event."""
    needed = READERS + 100
    hard = max(needed, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the server, a child process, inherits it
    with server(sys.executable, "-m", "lab.bench.streams") as (pid, port):
        return asyncio.run(_measure(port, pid))


async def _measure(port: int, pid: int) -> dict[str, float]:
    call = {"jsonrpc": "2.0", "method": "Agent.start", "params": {"prompt": "halo", "run_id": "r-1"}, "id": 1}
    await _request(port, "POST", "/rpc", json.dumps(call).encode())
    daemon = psutil.Process(pid)
    before = daemon.memory_info().rss
    at = time.perf_counter()
    streams = await asyncio.gather(*(_open(port) for _ in range(READERS)))
    connected = time.perf_counter() - at
    grown = (daemon.memory_info().rss - before) / 2**20
    spans = []
    for number in range(EVENTS):
        at = time.perf_counter()
        await _request(port, "POST", "/speak", str(number).encode())
        await asyncio.gather(*(reader.readuntil(b"model.finished\n") for reader, _ in streams))
        spans.append((time.perf_counter() - at) * 1000)
    for _, writer in streams:
        writer.close()
    return {
        f"sse_{READERS}_readers_connected_s": round(connected, 2),
        f"sse_{READERS}_readers_more_memory_mb": round(grown, 1),
        f"sse_{READERS}_readers_event_to_all_ms": median(spans, 1),
        f"sse_{READERS}_readers_event_to_all_most_ms": round(max(spans), 1),
    }


async def _open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /events?run_id=r-1&after=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.readuntil(b"retry: 1000\n")
    return reader, writer


async def _request(port: int, verb: str, path: str, body: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200"), answer
    writer.close()


async def _serve() -> None:
    from aiohttp import web

    from tests.agentd.twins import wire

    async def speak(_request: web.Request) -> web.Response:
        at.runs.run_of("r-1").emit("model.finished", {"turn": 1})
        return web.Response()

    pages = [web.post("/speak", speak)]
    with tempfile.TemporaryDirectory() as state:
        async with wire(Path(state), work=lambda _run: asyncio.Future(), pages=pages) as at:
            print(at.url.rpartition(":")[2], flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve())
