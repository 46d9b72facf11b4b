"""Measures the bridge against a bare SDK session, the start of servers, and how long a giant message delays others.

Issue 3: the agent's overhead at most 1 ms of CPU a step above a bare MCP client; five servers ready in at most their
CPU time ÷ cores + 20 %. Both sides call the same server, `servers.time`, alternately in one run.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from agentd.messages import ServerSettings, ToolCall
from bridges.mcp import McpToolHost, ServerLimits
from lab.bench._timing import cost_ms, longest_pause_ms, median

CALLS = 300
ROUNDS = 7
ABREAST = 32
SERVERS = 5
GIANT = Path(__file__).parents[2] / "tests" / "bridges" / "mcp" / "hostile" / "giant.py"
_ARGS = ("-m", "servers.time")


def run() -> dict[str, Any]:
    """The figures; each name ends in its unit."""
    return asyncio.run(_calls()) | asyncio.run(_ready()) | asyncio.run(_giant())


async def _calls() -> dict[str, Any]:
    settings = ServerSettings(name="time", command=sys.executable, args=_ARGS)
    bare_server = StdioServerParameters(command=sys.executable, args=list(_ARGS))
    async with McpToolHost([settings]) as host, Client(stdio_client(bare_server)) as client:
        (tool,) = (await host.ready()).tools
        call = ToolCall(tool=tool, input={"city": "Jakarta"}, run_id="bench", session_id="bench", step=1)
        await client.list_tools()

        async def ours() -> bool:
            return (await host.call(call)).success

        async def theirs() -> bool:
            return not (await client.call_tool(tool.name, call.input)).is_error

        pairs = [(await _series(theirs, 1), await _series(ours, 1)) for _ in range(ROUNDS)]
        crowds = [(await _series(theirs, ABREAST), await _series(ours, ABREAST)) for _ in range(ROUNDS)]
    return {
        "mcp_call_sdk_ms": median((wall for (wall, _), _ in pairs), 3),
        "mcp_call_bridge_ms": median((wall for _, (wall, _) in pairs), 3),
        "mcp_call_bridge_extra_cpu_ms": median((ours[1] - theirs[1] for theirs, ours in pairs), 3),
        "mcp_call_bridge_ratio": median((ours[0] / theirs[0] for theirs, ours in pairs), 3),
        "mcp_calls_abreast_sdk_per_second": round(1000 / median((wall for (wall, _), _ in crowds), 3)),
        "mcp_calls_abreast_bridge_per_second": round(1000 / median((wall for _, (wall, _) in crowds), 3)),
        "mcp_calls_abreast_ratio": median((theirs[0] / ours[0] for theirs, ours in crowds), 3),
    }


async def _series(one: Callable[[], Awaitable[bool]], abreast: int) -> tuple[float, float]:
    """Milliseconds per call: wall clock, and CPU of this process."""

    async def some() -> None:
        if not all(await asyncio.gather(*(one() for _ in range(abreast)))):
            raise SystemExit("a call of the bench failed")

    return await cost_ms(some, CALLS // abreast, abreast)


async def _ready() -> dict[str, Any]:
    settings = [ServerSettings(name=f"time{n}", command=sys.executable, args=_ARGS) for n in range(SERVERS)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    async with McpToolHost(settings) as host:
        catalogue = await host.ready()
        wall = time.perf_counter() - began
        if any(server.state != "up" for server in catalogue.servers):
            raise SystemExit("a server of the bench did not start")
        closing = time.perf_counter()
    closed = time.perf_counter() - closing
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "mcp_five_servers_ready_s": round(wall, 3),
        "mcp_five_servers_cpu_s": round(cpu, 3),
        "mcp_five_servers_ready_ratio": round(wall / (cpu / (os.cpu_count() or 1)), 3),
        "mcp_five_servers_closed_s": round(closed, 3),
    }


async def _giant() -> dict[str, Any]:
    """Longest pause of the event loop while a message arrives: one that is rejected, one just below the size limit."""
    settings = ServerSettings(name="giant", command=sys.executable, args=(str(GIANT),))
    async with McpToolHost([settings]) as host:
        tool = (await host.ready()).tool("do")
        assert tool is not None
        figures = {}
        for name, size in (("100_mb_refused", 100_000_000), ("8_mb_taken", ServerLimits().message_bytes - 1000)):
            call = ToolCall(tool=tool, input={"bytes": size}, run_id="bench", session_id="bench", step=1)
            ticker = asyncio.create_task(longest_pause_ms())
            outcome = await host.call(call)
            ticker.cancel()
            if outcome.success is (size > ServerLimits().message_bytes):
                raise SystemExit(f"the bench's giant message went wrong: {outcome.message}")
            figures[f"mcp_message_{name}_s"] = round(outcome.duration_ms / 1000, 3)
            figures[f"mcp_message_{name}_longest_pause_ms"] = await ticker
    return figures
