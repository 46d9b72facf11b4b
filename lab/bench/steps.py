"""Measures a durable agent step against a bare MCP client.

Issue 4: a step (scripted model, read-only tool of a real server) ≤ 2.1 ms where libraries without durability take
2.2–3.6. The daemon is a process of its own, without the wire. 200 runs at once: agents.py; 10⁵ sessions: growth.py.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentd import config
from agentd.access import LOCAL
from agentd.daemon import Daemon
from agentd.messages import AgentOptions
from agentd.startup import started
from lab.bench._timing import cost_ms, in_a_process, median, print_json

CALLS, RUNS, ROUNDS = 5, 20, 7
TIME = '{"action":"call_tool","tool":"get_current_time","input":{}}'
FINAL = '{"action":"final","response":"Selesai"}'
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
    return dict(in_a_process("steps"))


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


if __name__ == "__main__":
    print_json(_steps())
