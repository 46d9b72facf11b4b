"""Measures a durable agent step against a bare MCP client, and 200 runs at once.

Issue 4: a step (scripted model, read-only tool of a real server) ≤ 2.1 ms where libraries without durability take
2.2–3.6; 200 runs of a model that takes 1 s once ≤ 2 s, with five calls each ≤ 5 s, ≤ 30 MB more memory. Each scenario
is a daemon in a process of its own, without the wire. What 10⁵ sessions cost is growth.py's.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from agentd import config
from agentd.access import LOCAL
from agentd.daemon import Daemon
from agentd.messages import AgentOptions
from agentd.startup import started
from lab.bench._timing import cost_ms, in_a_process, median, peak_mib, print_json

CALLS, RUNS, ROUNDS = 5, 20, 7
CROWD = 200
TIME = '{"action":"call_tool","tool":"get_current_time","input":{}}'
FINAL = '{"action":"final","response":"Selesai"}'
SLOW = json.dumps({"text": FINAL, "after_ms": 1000})
SLOW_CALL = json.dumps({"text": TIME, "after_ms": 1000})
CONFIG = """\
default_provider = "scripted"
prompt_template = "Layani warga. {{custom_instruction}} {{language_guidance}} {{tool_guidance}}"

[[providers]]
id = "scripted"
type = "scripted"
script = "script.jsonl"

[[servers]]
name = "time"
command = "python3"
args = ["-m", "servers.time"]
"""


def run() -> dict[str, Any]:
    """The figures; each name ends in its unit."""
    return {key: value for name in SCENARIOS for key, value in in_a_process("steps", name).items()}


@asynccontextmanager
async def daemon(*script: str, settings: str = CONFIG) -> AsyncIterator[Daemon]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "client.toml").write_text(settings)
        (folder / "script.jsonl").write_text("\n".join(script) + "\n")
        async with started(
            config.load(folder / "client.toml", state=str(folder / "state"), environ=os.environ)
        ) as made:
            gc.collect()
            gc.freeze()  # as `agentd serve` does once it is ready
            yield made


async def _steps() -> dict[str, Any]:
    """Alternate rounds: our runs of five calls, the bare client's five calls."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=sys.executable, args=["-m", "servers.time"])
    async with daemon(*[TIME] * CALLS, FINAL) as made, Client(stdio_client(server)) as client:
        await client.list_tools()

        async def ours() -> None:
            outcome = await made.runs.run("Halo", AgentOptions(), LOCAL)
            if [step.success for step in outcome.steps] != [True] * CALLS:
                raise SystemExit("a step of the bench failed")

        async def bare() -> None:
            for _ in range(CALLS):
                await client.call_tool("get_current_time", {})

        pairs = [(await cost_ms(bare, RUNS, CALLS), await cost_ms(ours, RUNS, CALLS)) for _ in range(ROUNDS)]
    return {
        "step_bare_client_ms": median((bare[0] for bare, _ in pairs), 3),
        "step_bare_client_cpu_ms": median((bare[1] for bare, _ in pairs), 3),
        "step_durable_ms": median((ours[0] for _, ours in pairs), 3),
        "step_durable_cpu_ms": median((ours[1] for _, ours in pairs), 3),
    }


async def _crowd(name: str, *script: str) -> dict[str, Any]:
    """Seconds, CPU and additional peak memory for 200 runs started at once, each in a session of its own."""
    async with daemon(*script) as made:
        await made.runs.run("Halo", AgentOptions(), LOCAL)
        before = peak_mib()
        began, cpu = time.perf_counter(), time.process_time()
        outcomes = await asyncio.gather(*(made.runs.run("Halo", AgentOptions(), LOCAL) for _ in range(CROWD)))
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        if any(outcome.status != "completed" for outcome in outcomes):
            raise SystemExit("a run of the bench did not complete")
        more = peak_mib() - before
    return {
        f"runs_200_{name}_s": round(wall, 2),
        f"runs_200_{name}_cpu_s": round(cpu, 2),
        f"runs_200_{name}_more_memory_mb": round(more, 1),
    }


SCENARIOS: dict[str, Callable[[], Coroutine[Any, Any, dict[str, Any]]]] = {
    "steps": _steps,
    "crowd_once": partial(_crowd, "one_turn", SLOW),
    "crowd_calls": partial(_crowd, "five_calls", SLOW_CALL, *[TIME] * (CALLS - 1), FINAL),
}


if __name__ == "__main__":
    print_json(SCENARIOS[sys.argv[1]]())
