"""What every ServerHost keeps, asked of the in-memory twin and of the MCP bridge with a real server behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agentd.messages import ServerSettings
from agentd.ports import ServerHost
from agentd.testing import MemoryServers
from bridges.mcp import McpToolHost
from tests import warm
from tests.contract.test_tool_host import SERVER


def settings() -> ServerSettings:
    return ServerSettings(name="memory", command=warm.python(), args=(str(SERVER),))


@pytest.fixture(params=["memory", "mcp"])
async def host(request: pytest.FixtureRequest) -> AsyncIterator[ServerHost]:
    made = MemoryServers({"echo": dict}) if request.param == "memory" else McpToolHost([settings()])
    async with made:
        yield made


async def test_once_ready_the_catalogue_has_the_servers_and_their_tools(host: ServerHost) -> None:
    catalogue = await host.ready()
    assert [(server.name, server.state) for server in catalogue.servers] == [("memory", "up")]
    assert "echo" in {tool.name for tool in catalogue.tools}
    assert host.catalogue() == catalogue


async def test_a_server_that_is_configured_no_more_is_gone_with_its_tools_and_can_come_back(host: ServerHost) -> None:
    before = await host.ready()
    await host.reconfigure([])
    assert (host.catalogue().servers, host.catalogue().tools) == ((), ())
    await host.reconfigure([settings()])
    after = await host.ready()
    assert {tool.name for tool in after.tools} == {tool.name for tool in before.tools}
