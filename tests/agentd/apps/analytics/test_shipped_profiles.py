"""The client.toml that ships: staff questions work at once, and the counter's model hears of no data tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd import config
from agentd.messages import AgentOptions, Caller, Catalogue, Scope, ServerState, ToolInfo
from agentd.profiles import agent_profile, toolset_for

SHIPPED = Path(__file__).parents[4] / "config" / "client.toml"
CATALOGUE = Catalogue(
    tools=(
        ToolInfo(name="get_current_time", server="time"),
        ToolInfo(name="verify_letter", server="certificate"),
        ToolInfo(name="execute_sql_query", server="mysql_mcp_server"),
    ),
    servers=tuple(ServerState(name=name, state="up") for name in ("time", "certificate", "mysql_mcp_server")),
)


def test_the_workflows_servers_are_configured(tmp_path: Path) -> None:
    names = {server.name for server in config.load(SHIPPED, state=str(tmp_path)).servers}
    assert {"mysql_mcp_server", "sim_testgeluran_server", "graphiti_server", "placeholder_mcp_server"} <= names


@pytest.mark.parametrize("scope", ["kiosk", "staff", "admin"])
def test_no_model_at_the_counter_is_told_of_data_tools(tmp_path: Path, scope: Scope) -> None:
    settings = config.load(SHIPPED, state=str(tmp_path))
    caller = Caller(id="somebody", scopes=frozenset({scope}))
    prompt = "".join(message.content for message in agent_profile(settings, CATALOGUE, caller, AgentOptions()).prefix)
    assert "get_current_time" in prompt
    assert "execute_sql_query" not in prompt
    there = {tool.name for tool in toolset_for(settings, CATALOGUE, caller, "person").tools}
    assert ("execute_sql_query" in there) is (scope != "kiosk")
