"""Server CPU per JSON-RPC echo, as a ratio to a bare aiohttp handler with the stdlib json. It tests nothing.

agentd is its whole path: guard, limits, dispatch, pydantic. Each stack is a process of its own that answers the same
echo, one call a request and batches of 20, over kept-alive connections; what counts is the CPU time of that process
alone, so the client may share the machine. The best of several rounds is taken. The peers (lab/bench/peers/rpc_*.py)
are what people use instead, each as its documentation writes it; all run on asyncio's own loop.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lab import peers_python
from lab.bench._timing import server

PARAMS = {"text": "Selamat siang", "number": 7}
BATCH = 20
CALLS, ROUNDS = 800, 10
CONNECTIONS = 16
AGENTD = "agentd"
STACKS = ("aiohttp + json", "aiohttp + orjson", AGENTD, "jsonrpcserver")
PEERS = {
    "pjrpc": "rpc_pjrpc",
    "aiohttp-rpc": "rpc_aiohttp_rpc",
    "openrpc": "rpc_openrpc",
    "fastapi-jsonrpc": "rpc_fastapi_jsonrpc",
}


def run() -> dict[str, Any]:
    """One row per stack: its CPU ÷ the bare handler's, and agentd's ÷ its (above 1: agentd is slower); batches too."""
    costs = _measured([*STACKS, *PEERS])
    (base_one, base_many), (our_one, our_many) = next(iter(costs.values())), costs[AGENTD]
    return {
        "stacks": [
            {
                "stack": name,
                "call_cpu_us": round(one, 1),
                "call_to_bare": round(one / base_one, 2),
                "agentd_to_it_call": round(our_one / one, 2),
                "batch_cpu_us": round(many, 1),
                "batch_to_bare": round(many / base_many, 2),
                "agentd_to_it_batch": round(our_many / many, 2),
            }
            for name, (one, many) in costs.items()
        ],
        "versions": ", ".join(f"{name} {peers_python.version(name)}" for name in ("aiohttp", *PEERS)),
    }


def _measured(stacks: list[str]) -> dict[str, tuple[float, float]]:
    """CPU microseconds of each server per call and per batch. The stacks take turns; the best turn counts."""
    one = json.dumps(_call(1)).encode()
    many = json.dumps([_call(n) for n in range(BATCH)]).encode()
    with ExitStack() as running:
        servers = {name: running.enter_context(server(*_command(name))) for name in stacks}
        for _, port in servers.values():
            asyncio.run(_load(port, one, 500))
        turns: dict[str, list[tuple[float, float]]] = {name: [] for name in stacks}
        for _ in range(ROUNDS):
            for name, (pid, port) in servers.items():
                turns[name].append((_turn(pid, port, one, CALLS), _turn(pid, port, many, CALLS // 4)))
    return {name: (min(turn[0] for turn in taken), min(turn[1] for turn in taken)) for name, taken in turns.items()}


def _command(name: str) -> tuple[str, ...]:
    if name in PEERS:
        return peers_python.python(), str(peers_python.PROGRAMS / f"{PEERS[name]}.py")
    return sys.executable, "-m", "lab.bench.rpc", name


def _call(n: int) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": "echo", "params": PARAMS, "id": n}


def _turn(pid: int, port: int, body: bytes, requests: int) -> float:
    before = _cpu_s(pid)
    asyncio.run(_load(port, body, requests))
    return (_cpu_s(pid) - before) / requests * 1e6


def _cpu_s(pid: int) -> float:
    """CPU seconds of all the process's threads so far, read from Linux's CPU clock of another process."""
    return time.clock_gettime((~pid << 3) | 2)


async def _load(port: int, body: bytes, requests: int) -> None:
    head = f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    async def client(count: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(count):
            writer.write(request)
            header = await reader.readuntil(b"\r\n\r\n")
            assert header.startswith(b"HTTP/1.1 200"), header
            answer = await reader.readexactly(int(header.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
            assert b"Selamat" in answer, answer
        writer.close()

    await asyncio.gather(*(client(requests // CONNECTIONS) for _ in range(CONNECTIONS)))


# ── the stacks ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def _serve(name: str) -> None:
    from lab.bench.peers.serving import serve

    app = {
        "aiohttp + json": _bare_json,
        "aiohttp + orjson": _bare_orjson,
        "agentd": _agentd,
        "jsonrpcserver": _jsonrpcserver,
    }[name]()
    await serve(app)


def _posting(handler: Any) -> Any:
    from aiohttp import web

    app = web.Application()
    app.router.add_post("/rpc", handler)
    return app


def _echoed(message: Any) -> Any:
    if isinstance(message, list):
        return [_echoed(one) for one in message]
    return {"jsonrpc": "2.0", "result": message["params"], "id": message["id"]}


def _bare_json() -> Any:
    from aiohttp import web

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(_echoed(json.loads(await request.read())))

    return _posting(handler)


def _bare_orjson() -> Any:
    import orjson
    from aiohttp import web

    async def handler(request: web.Request) -> web.Response:
        body = orjson.dumps(_echoed(orjson.loads(await request.read())))
        return web.Response(body=body, content_type="application/json")

    return _posting(handler)


def _agentd() -> Any:
    """The whole daemon: guard, access book, rate limiter, metrics, dispatcher, a method with pydantic params."""
    import tempfile

    from agentd.access import Access, RateLimiter, TokenStore
    from agentd.clock import SystemClock
    from agentd.http.guard import Guard
    from agentd.http.routes import application
    from agentd.observability.metrics import Metrics
    from agentd.rpc.dispatch import Dispatcher
    from agentd.rpc.method import ANYONE, Method
    from agentd.rpc.params import Params
    from tests.agentd.twins import services

    class EchoParams(Params):
        text: str
        number: int

    def act(_services: Any, _caller: Any, params: Any) -> Any:
        return {"text": params.text, "number": params.number}

    echo = Method("echo", act, EchoParams, dict, frozenset(ANYONE), "Answer what was asked.", ())

    behind = services()
    book = TokenStore(Path(tempfile.mkdtemp()) / "access.json")
    limiter = RateLimiter(book, 600, SystemClock())
    metrics = Metrics()
    dispatcher = Dispatcher([echo], behind, limiter=limiter, observe=metrics.rpc_answered)
    return application(Guard(Access(book), limiter), behind, dispatcher, metrics=metrics.exposition)


def _jsonrpcserver() -> Any:
    from aiohttp import web
    from jsonrpcserver import Success, async_dispatch

    async def echo(**params: Any) -> Any:
        return Success(params)

    async def handler(request: web.Request) -> web.Response:
        text = await async_dispatch(await request.text(), methods={"echo": echo})
        return web.Response(text=text, content_type="application/json")

    return _posting(handler)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
