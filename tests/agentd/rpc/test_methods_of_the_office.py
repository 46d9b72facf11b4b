"""The methods beyond Agent.run: runs, sessions, tools, models, configuration; and every error on the wire."""

from __future__ import annotations

import asyncio

import pytest

from agentd.errors import BY_TYPE, AgentdError
from agentd.messages import Approval, Caller
from tests.agentd.memory_runs import MemoryRun
from tests.agentd.rpc.test_methods import Desk
from tests.agentd.twins import ADMIN, KIOSK, STAFF

CHAT = Caller(id="page", scopes=frozenset({"chat"}))


async def test_the_same_run_id_joins_the_run_and_another_prompt_conflicts() -> None:
    done: list[str] = []

    async def once(run: MemoryRun) -> str:
        done.append(run.prompt)
        return "ya"

    desk = Desk(once)
    call = {"prompt": "halo", "run_id": "r-1"}
    assert await desk.result("Agent.run", call) == await desk.result("Agent.run", call)
    assert done == ["halo"]
    assert (await desk.error("Agent.run", {**call, "prompt": "lain"}))["data"]["type"] == "conflict"


async def test_started_followed_cancelled() -> None:
    async def forever(run: MemoryRun) -> str:
        await asyncio.Event().wait()
        return ""

    desk = Desk(forever)
    assert (await desk.result("Agent.start", {"prompt": "halo", "run_id": "r-1"}))["status"] == "running"
    assert (await desk.result("Agent.get", {"run_id": "r-1"}))["status"] == "running"
    assert (await desk.result("Agent.cancel", {"run_id": "r-1"}))["status"] == "cancelled"
    assert (await desk.error("Agent.cancel", {"run_id": "r-1"}))["data"]["type"] == "conflict"
    listed = await desk.result("Agent.list", {"status": "cancelled"})
    assert [run["run_id"] for run in listed["runs"]] == ["r-1"]


async def test_an_approval_is_decided_once() -> None:
    async def ask(run: MemoryRun) -> str:
        pending = Approval(
            approval_id="a-1", tool="t", arguments={"n": 1}, summary="", expires_at="2026-01-05T03:00:00Z"
        )
        run.decided = asyncio.get_running_loop().create_future()
        run.update(status="needs_approval", approval=pending)
        approved, _ = await run.decided
        return "terbit" if approved else "batal"

    desk = Desk(ask)
    waiting = await desk.result("Agent.run", {"prompt": "surat", "run_id": "r-1"})
    assert (waiting["status"], waiting["approval"]["arguments"]) == ("needs_approval", {"n": 1})
    decision = {"run_id": "r-1", "approval_id": "a-1", "approved": True}
    assert (await desk.error("Agent.approve", {**decision, "approval_id": "a-2"}))["data"]["type"] == "not_found"
    assert (await desk.result("Agent.approve", decision))["response"] == "terbit"
    assert (await desk.error("Agent.approve", decision))["data"]["type"] == "conflict"


async def test_ids_of_others_answer_as_not_found() -> None:
    desk = Desk()
    run = await desk.result("Agent.run", {"prompt": "halo"}, KIOSK)
    session = await desk.result("Session.create", {"title": "a"}, KIOSK)
    for method, params in (
        ("Agent.get", {"run_id": run["run_id"]}),
        ("Agent.cancel", {"run_id": run["run_id"]}),
        ("Agent.approve", {"run_id": run["run_id"], "approval_id": "a", "approved": True}),
        *((f"Session.{name}", {"session_id": session["session_id"]}) for name in ("get", "fork", "export", "delete")),
    ):
        foreign = await desk.error(method, params, CHAT)
        unknown = await desk.error(
            method, {**params, **dict.fromkeys(params.keys() & {"run_id", "session_id"}, "none")}, CHAT
        )
        assert foreign == unknown
        assert foreign["data"]["type"] == "not_found"
    assert (await desk.result("Agent.list", {}, CHAT)) == {"runs": []}
    assert (await desk.result("Session.list", {}, CHAT))["sessions"] == []


async def test_sessions_are_paged_newest_first() -> None:
    desk = Desk()
    for n in range(3):
        await desk.result("Session.create", {"title": str(n)})
    page = await desk.result("Session.list", {"limit": 2})
    assert [one["title"] for one in page["sessions"]] == ["2", "1"]
    rest = await desk.result("Session.list", {"limit": 2, "before": page["next"]})
    assert ([one["title"] for one in rest["sessions"]], rest["next"]) == (["0"], None)


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


@pytest.mark.parametrize("name", ["generate_surat_keterangan_domisili", "Generate_Surat_Keterangan_DOMISILI"])
async def test_an_official_tool_is_called_directly_by_staff_only(name: str) -> None:
    for caller in (KIOSK, CHAT):
        assert (await Desk().error("Tools.call", {"tool": name}, caller))["data"]["type"] == "forbidden"
    for caller in (STAFF, ADMIN):
        assert (await Desk().result("Tools.call", {"tool": name}, caller))["success"]


async def test_an_unknown_tool_is_typed() -> None:
    error = await Desk().error("Tools.call", {"tool": "translate"})
    assert (error["code"], error["data"]["type"]) == (-32001, "unknown_tool")
    assert error["data"]["user_message"] == "Layanan yang diminta belum tersedia di sini."


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
