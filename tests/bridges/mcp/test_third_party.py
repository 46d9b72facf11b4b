"""Servers that others wrote: any MCP server from npm or PyPI plugs in by three lines of configuration (issue 3)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agentd.messages import ServerSettings
from tests.bridges.mcp.conftest import PATIENCE, OpenBridge, do, request, state, until_state
from tests.bridges.mcp.test_http import at
from tests.ports import free_port

NODE_MODULES = Path(__file__).parents[2] / "node_modules"
EVERYTHING = NODE_MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"


@pytest.fixture(scope="module")
def node() -> str:
    """The Node of tests/package.json."""
    found = next((str(path) for path in NODE_MODULES.glob("node-linux-*/bin/node")), None)
    assert found is not None, "the tests' npm programs are missing; run: python -m tests.prepare"
    return found


async def test_the_time_server_from_pypi(bridge: OpenBridge) -> None:
    host = await bridge(
        ServerSettings(name="pypi", command="mcp-server-time", args=("--local-timezone", "Asia/Jakarta"))
    )
    outcome = await do(host, "pypi", "get_current_time", timezone="Asia/Jakarta")
    assert outcome.output["timezone"] == "Asia/Jakarta"
    outcome = await do(host, "pypi", "get_current_time", timezone="Nowhere/City")
    assert (outcome.success, outcome.error_type) == (False, "tool_execution")


async def test_the_everything_server_from_npm(bridge: OpenBridge, node: str, tmp_path: Path) -> None:
    settings = ServerSettings(name="npm", command=node, args=(str(EVERYTHING), "stdio"), artifacts_dir=str(tmp_path))
    host = await bridge(settings)
    assert state(host, "npm").protocol_version == "2025-11-25"
    assert state(host, "npm").instructions
    assert (await do(host, "npm", "echo", message="halo")).output == "Echo: halo"
    assert (await do(host, "npm", "get-structured-content", location="New York")).output["conditions"]
    (picture,) = (await do(host, "npm", "get-tiny-image")).artifacts
    assert picture.media_type == "image/png"
    told: list[float] = []
    call = request(host, "npm", "trigger-long-running-operation", duration=1, steps=5)
    outcome = await host.call(call, lambda progress, *_: told.append(progress))
    assert outcome.success
    assert told == [1, 2, 3, 4, 5]
    assert (await do(host, "npm", "get-sum", a="no number", b=1)).error_type == "tool_execution"


async def test_the_everything_server_over_http_after_a_restart(bridge: OpenBridge, node: str) -> None:
    """The old protocol over HTTP has sessions, which end with the server."""
    port = free_port()

    async def start() -> asyncio.subprocess.Process:
        env = {"PORT": str(port)}
        process = await asyncio.create_subprocess_exec(
            node,
            str(EVERYTHING),
            "streamableHttp",
            env=env,
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE):
            while b"listening" not in await process.stderr.readline():
                pass
        return process

    process = await start()
    try:
        host = await bridge(at(port))
        assert (await do(host, "remote", "echo", message="halo")).output == "Echo: halo"
        process.kill()
        await process.wait()
        process = await start()
        await until_state(host, "remote", "up", restarts=1)
        assert (await do(host, "remote", "echo", message="lagi")).output == "Echo: lagi"
    finally:
        process.kill()
        await process.wait()
