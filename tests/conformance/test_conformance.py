"""The Model Context Protocol's own conformance suite, on the bridge as a client and on our servers' base as a server.

What doesn't apply is in expected-failures.yml, with the reason. `make conformance` runs this alone.
"""

from __future__ import annotations

import asyncio
import os
import re
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests import warm

ROOT = Path(__file__).parents[2]
NODE_MODULES = ROOT / "tests" / "node_modules"
SUITE = NODE_MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
EXPECTED = Path(__file__).with_name("expected-failures.yml")


async def suite(*arguments: str) -> tuple[int, str]:
    """Run the suite; its exit code and all it said."""
    node = next(NODE_MODULES.glob("node-linux-*/bin/node"), None)
    assert node is not None, "the tests' npm programs are missing; run: python -m tests.prepare"
    process = await asyncio.create_subprocess_exec(
        str(node), str(SUITE), *arguments, stdout=PIPE, stderr=STDOUT, cwd=ROOT, env={**os.environ, "NO_COLOR": "1"}
    )
    async with asyncio.timeout(300):
        output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


@pytest.mark.parametrize("scenario", ["initialize", "tools_call", "sse-retry"])
async def test_the_bridge_passes_every_scenario_for_clients_that_applies(scenario: str) -> None:
    command = f"{warm.python()} -m tests.conformance.client"
    code, output = await suite("client", "--command", command, "--scenario", scenario, "--timeout", "120000")
    assert code == 0, output
    assert "OVERALL: PASSED" in output, output


async def test_a_server_on_our_base_passes_every_scenario_for_servers_that_applies() -> None:
    server = await asyncio.create_subprocess_exec(
        warm.python(), "-m", "tests.conformance.server", stderr=PIPE, cwd=ROOT
    )
    try:
        assert server.stderr is not None
        line = (await asyncio.wait_for(server.stderr.readline(), 300)).decode()
        url = re.search(r"http://\S+", line)
        assert url is not None, line
        drain = asyncio.create_task(server.stderr.read())
        code, output = await suite("server", "--url", url.group(), "--expected-failures", str(EXPECTED))
        assert code == 0, output
        assert "✓ tools-call-mixed-content" in output
    finally:
        server.kill()
        await server.wait()
    await drain
