"""The methods beyond Agent.run: runs, sessions, tools, models, configuration; and every error on the wire."""

from __future__ import annotations

import pytest

from agentd.errors import BY_TYPE, AgentdError
from agentd.messages import Caller
from tests.agentd.memory_runs import MemoryRun
from tests.agentd.rpc.test_methods import Desk
from tests.agentd.twins import KIOSK, STAFF

CHAT = Caller(id="page", scopes=frozenset({"chat"}))


async def test_tools_are_listed_with_their_servers_state() -> None:
    listed = await Desk().result("Tools.list")
    assert [set(tool) for tool in listed["tools"]] == [
        {"name", "server", "description", "input_schema", "annotations"}
    ] * 2
    assert listed["servers"][1] == {
        "name": "certificate",
        "state": "down",
        "error": "the command was not found",
        "protocol_version": None,
    }


async def test_a_tool_call_answers_a_step_and_null_input_is_empty() -> None:
    for params in ({"tool": "GET_CURRENT_TIME"}, {"tool": "get_current_time", "input": None}):
        step = await Desk().result("Tools.call", params, KIOSK)
        assert (step["tool"], step["server"], step["input"], step["success"]) == ("get_current_time", "time", {}, True)


async def test_models_are_listed_in_the_order_they_are_asked() -> None:
    listed = await Desk().result("Models.list")
    assert listed["default_provider"] == "llamacpp"
    assert listed["providers"][0]["models"] == [{"name": "qwen", "display_name": None}]


@pytest.mark.parametrize("method", ["Analytics.ask", "Graph.ask"])
async def test_the_offices_data_is_for_staff(method: str) -> None:
    for caller in (KIOSK, CHAT):
        assert (await Desk().error(method, {"question": "Berapa?"}, caller))["data"]["type"] == "forbidden"
    assert (await Desk().result(method, {"question": "Berapa?", "run_id": "r-9"}, STAFF))["run_id"] == "r-9"
    assert (await Desk().error(method, {"question": ""}, STAFF))["data"]["field"] == "question"


async def test_the_configuration_is_for_admin() -> None:
    for caller in (KIOSK, CHAT, STAFF):
        assert (await Desk().error("Config.reload", {}, caller))["data"]["type"] == "forbidden"


async def test_events_over_http_are_elsewhere_and_the_error_says_where() -> None:
    error = await Desk().error("Events.subscribe", {"run_id": "r-1", "after": 3})
    assert "GET /events?run_id=r-1&after=3" in error["message"]


@pytest.mark.parametrize("kind", BY_TYPE)
async def test_every_error_of_the_table_reaches_the_wire_with_its_code_and_words(kind: str) -> None:
    error_class = BY_TYPE[kind]

    async def fail(run: MemoryRun) -> str:
        raise error_class(None, retry_after_s=2)

    error = await Desk(fail).error("Agent.run", {"prompt": "halo"})
    assert error["code"] == error_class.code
    assert error["data"]["user_message"] == error_class().user_message("id")
    assert error["data"]["retry_after_s"] == 2
    assert isinstance(error_class(), AgentdError)
