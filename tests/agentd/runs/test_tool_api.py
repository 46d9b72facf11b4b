"""Tools.call at a server that is not up. Design, "More of the wire": it is `tool_execution`, never `unknown_tool`."""

from __future__ import annotations

from typing import cast

import pytest

from agentd.agent.toolset import Toolset
from agentd.audit import AuditTrail
from agentd.errors import ToolExecution, UnknownTool
from agentd.messages import Caller, ServerState
from agentd.runs.questions import Questions
from agentd.runs.tool_api import DirectTools
from agentd.testing import MemoryTools

STAFF = Caller(id="siti", scopes=frozenset({"staff"}))


@pytest.mark.parametrize(
    ("server", "refused"),
    [("gone", ToolExecution), ("starting", ToolExecution), ("here", UnknownTool), ("nonesuch", UnknownTool)],
)
async def test_a_tool_of_a_named_server_is_unknown_only_where_the_server_can_say_so(
    server: str, refused: type[Exception]
) -> None:
    states = (
        ServerState(name="gone", state="down"),
        ServerState(name="starting", state="starting"),
        ServerState(name="here", state="up"),
    )
    tools = MemoryTools()
    nothing_of_theirs = (cast("AuditTrail", None), cast("Questions", None))
    direct = DirectTools(tools, lambda _caller: Toolset(tools=(), servers=states), *nothing_of_theirs)
    with pytest.raises(refused):
        await direct.call("echo", {}, server, STAFF)
    assert tools.calls == []


def test_an_unknown_name_says_which_servers_are_not_up_and_may_have_it() -> None:
    tools = Toolset(
        tools=(), servers=(ServerState(name="late", state="starting"), ServerState(name="here", state="up"))
    )
    with pytest.raises(UnknownTool, match=r"no tool `echo`; these servers are not up and may have it: late$"):
        tools.resolve("echo")
