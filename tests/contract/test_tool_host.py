"""What every ToolHost keeps, asked of the in-memory twin and of the MCP bridge with a real server behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agentd.messages import ServerSettings, ToolCall, ToolInfo
from agentd.ports import ToolHost
from agentd.testing import MemoryTools
from bridges.mcp import McpToolHost
from tests import warm

SERVER = Path(__file__).parents[1] / "bridges" / "mcp" / "friendly.py"


def call(tool: ToolInfo, /, step: int = 1, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, input=arguments, run_id="run", session_id="session", step=step)


def memory() -> MemoryTools:
    async def hang(_: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    def fail(_: dict[str, Any]) -> None:
        raise ValueError("the drawer is empty")

    return MemoryTools({"echo": lambda given: {"said": given["text"]}, "fail": fail, "hang": hang})


@pytest.fixture(params=["memory", "mcp"])
async def host(request: pytest.FixtureRequest) -> AsyncIterator[ToolHost]:
    if request.param == "memory":
        yield memory()
        return
    settings = ServerSettings(name="memory", command=warm.python(), args=(str(SERVER),))
    async with McpToolHost([settings]) as bridge:
        await bridge.ready()
        yield bridge


def tool(host: ToolHost, name: str) -> ToolInfo:
    found = host.catalogue().tool(name)
    assert found is not None
    return found


async def test_the_catalogue_names_tools_and_their_server(host: ToolHost) -> None:
    catalogue = host.catalogue()
    assert {"echo", "fail", "hang"} <= {tool.name for tool in catalogue.tools}
    assert [(server.name, server.state) for server in catalogue.servers] == [("memory", "up")]
    assert catalogue.version > 0


async def test_a_call_answers_with_the_output(host: ToolHost) -> None:
    outcome = await host.call(call(tool(host, "echo"), text="selamat pagi"))
    assert (outcome.success, outcome.output, outcome.error_type) == (True, {"said": "selamat pagi"}, None)


async def test_a_failure_is_an_outcome_with_the_servers_message(host: ToolHost) -> None:
    outcome = await host.call(call(tool(host, "fail")))
    assert (outcome.success, outcome.error_type) == (False, "tool_execution")
    assert "the drawer is empty" in outcome.message


async def test_an_unknown_tool_is_an_outcome_too(host: ToolHost) -> None:
    outcome = await host.call(call(ToolInfo(name="nonesuch", server="memory")))
    assert (outcome.success, outcome.error_type) == (False, "unknown_tool")
    assert "nonesuch" in outcome.message


async def test_progress_is_told_while_the_tool_works(host: ToolHost) -> None:
    told: list[tuple[float, float | None, str | None]] = []
    await host.call(call(tool(host, "echo"), text="x"), lambda *progress: told.append(progress))
    assert told[0][:2] == (0.0, 1.0)


async def test_a_cancelled_call_is_over_at_once_and_the_host_goes_on(host: ToolHost) -> None:
    told = asyncio.Event()
    task = asyncio.create_task(host.call(call(tool(host, "hang")), lambda *_: told.set()))
    await asyncio.wait_for(told.wait(), 300)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 300)
    assert (await host.call(call(tool(host, "echo"), step=2, text="still here"))).success
