"""The client.toml that ships: staff questions work at once, and the counter's model hears of no data tool."""

from __future__ import annotations

import shutil
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


THREE_LINES = """
[[servers]]
name = "weather"
command = "weather-server"
"""


@pytest.mark.parametrize("scope", ["kiosk", "chat", "staff", "admin"])
@pytest.mark.parametrize(
    ("more", "agents", "callers"),
    [
        ("", {"kiosk", "chat", "staff", "admin"}, {"kiosk", "chat", "staff", "admin"}),
        ('for = ["staff"]', {"staff"}, {"staff", "admin"}),
        ('for = ["kiosk", "chat"]', {"kiosk", "chat"}, {"kiosk", "chat", "staff", "admin"}),
        ("for = []", set(), {"staff", "admin"}),
    ],
)
def test_three_lines_give_a_tool_to_everybody_and_for_says_to_whom(
    tmp_path: Path, scope: Scope, more: str, agents: set[str], callers: set[str]
) -> None:
    """Issue 21: a server with name and command is in the agents' prompts; who may see it is said where it stands."""
    shutil.copy(SHIPPED, tmp_path / "client.toml")
    with (tmp_path / "client.toml").open("a") as file:
        file.write(THREE_LINES + more)
    settings = config.load(tmp_path / "client.toml", state=str(tmp_path))
    tool = ToolInfo(name="get_weather", server="weather")
    there = Catalogue(
        tools=(*CATALOGUE.tools, tool), servers=(*CATALOGUE.servers, ServerState(name="weather", state="up"))
    )
    caller = Caller(id="somebody", scopes=frozenset({scope}))
    prompt = agent_profile(settings, there, caller, AgentOptions()).prefix[0].content
    assert ("- get_weather()" in prompt) is (scope in agents)
    by_model = {each.name for each in toolset_for(settings, there, caller).tools}
    by_hand = toolset_for(settings, there, caller, "person")
    assert ("get_weather" in by_model) is (scope in agents)
    assert ("get_weather" in {each.name for each in by_hand.tools}) is (scope in callers)
    assert ("weather" in {server.name for server in by_hand.servers}) is (scope in callers)


@pytest.mark.parametrize("scope", ["kiosk", "staff", "admin"])
def test_an_officers_agent_alone_asks_the_books(tmp_path: Path, scope: Scope) -> None:
    settings = config.load(SHIPPED, state=str(tmp_path))
    books = ToolInfo(name="ask_books", server="analytics", meta={"agentd/scope": "staff"})
    there = Catalogue(tools=(books,), servers=(ServerState(name="analytics", state="up"),))
    caller = Caller(id="somebody", scopes=frozenset({scope}))
    assert bool(toolset_for(settings, there, caller).tools) is (scope == "staff")
