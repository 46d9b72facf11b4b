"""Tools.call outside a run. Design, "More of the wire": at a server that is not up it is `tool_execution`, never
`unknown_tool`; an official tool is called so by staff and admin, never by a kiosk."""

from __future__ import annotations

from typing import cast

import pytest

from agentd.agent.toolset import Toolset
from agentd.audit import AuditTrail
from agentd.errors import Forbidden, ToolExecution, UnknownTool
from agentd.messages import Caller, ServerState, ToolInfo
from agentd.runs.questions import Questions
from agentd.runs.tool_api import DirectTools
from agentd.testing import MemoryTools

STAFF = Caller(id="siti", scopes=frozenset({"staff"}))
NOTHING_OF_THEIRS = (cast("AuditTrail", None), cast("Questions", None))


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
    direct = DirectTools(tools, lambda _caller: Toolset(tools=(), servers=states), *NOTHING_OF_THEIRS)
    with pytest.raises(refused):
        await direct.call("echo", {}, server, STAFF)
    assert tools.calls == []


@pytest.mark.parametrize("name", ["make_letter", "Office__make_letter"])
async def test_no_name_of_an_official_tool_lets_a_visitor_call_it_directly(name: str) -> None:
    letter = ToolInfo(name="make_letter", server="office", official=True, approval="citizen")
    tools = MemoryTools({"make_letter": lambda _: {}}, [letter])
    direct = DirectTools(tools, lambda _caller: Toolset(tools=(letter,), servers=()), *NOTHING_OF_THEIRS)
    with pytest.raises(Forbidden):
        await direct.call(name, {}, None, Caller(id="kiosk-1", scopes=frozenset({"kiosk"})))
    assert tools.calls == []


def test_an_unknown_name_says_which_servers_are_not_up_and_may_have_it() -> None:
    tools = Toolset(
        tools=(), servers=(ServerState(name="late", state="starting"), ServerState(name="here", state="up"))
    )
    with pytest.raises(UnknownTool, match=r"no tool `echo`; these servers are not up and may have it: late$"):
        tools.resolve("echo")
