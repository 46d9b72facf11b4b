"""What each method asks, answers and refuses (design.md, "Names on the wire"; seed 002, error handling)."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from agentd.errors import BY_TYPE, AgentdError, ConfigError, Problem, ProviderUnavailable
from agentd.messages import AgentStep, Approval, Caller
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.services import Limits
from tests.agentd.memory_runs import MemoryRun, Work, echo
from tests.agentd.twins import ADMIN, KIOSK, METHODS, STAFF, services

CHAT = Caller(id="page", scopes=frozenset({"chat"}))


class Desk:
    """One caller after another at one dispatcher."""

    def __init__(self, work: Work = echo, limits: Limits | None = None, **changes: Any) -> None:
        self.services = services(work, limits, **changes)
        self._dispatcher = Dispatcher(METHODS, self.services)

    async def __call__(self, method: str, params: Any = None, caller: Caller = ADMIN) -> dict[str, Any]:
        call = {"jsonrpc": "2.0", "method": method, "params": {} if params is None else params, "id": 1}
        response: dict[str, Any] = orjson.loads((await self._dispatcher.handle(orjson.dumps(call), caller)).body)
        return response

    async def result(self, method: str, params: Any = None, caller: Caller = ADMIN) -> Any:
        response = await self(method, params, caller)
        assert "result" in response, response
        return response["result"]

    async def error(self, method: str, params: Any = None, caller: Caller = ADMIN) -> dict[str, Any]:
        response = await self(method, params, caller)
        assert "error" in response, response
        error: dict[str, Any] = response["error"]
        assert error["code"] == BY_TYPE[error["data"]["type"]].code
        assert error["data"]["user_message"]
        return error


async def test_a_run_answers_in_the_documented_form() -> None:
    result = await Desk().result("Agent.run", {"prompt": "halo", "run_id": "r-1", "session_id": "s-1"})
    assert result == {
        "run_id": "r-1",
        "session_id": "s-1",
        "status": "completed",
        "response": "halo",
        "provider": None,
        "model": None,
        "fallbacks": [],
        "steps": [],
        "artifacts": [],
        "approval": None,
        "logs": [],
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


async def test_options_reach_the_run() -> None:
    seen: list[MemoryRun] = []

    async def look(run: MemoryRun) -> str:
        seen.append(run)
        return ""

    options = {
        "provider": "gemini",
        "model": "m",
        "system_prompt": "s",
        "max_steps": 3,
        "deadline_s": 5,
        "language": "en",
    }
    await Desk(look).result("Agent.run", {"prompt": "halo", "session_id": "s-1", "options": options})
    given = seen[0].options
    assert {name: getattr(given, name) for name in options} == options
    assert given.session_id == "s-1"


async def test_a_failed_run_is_an_error_with_its_ids_and_steps() -> None:
    async def fail(run: MemoryRun) -> str:
        run.update(steps=(AgentStep(tool="get_current_time", server="time", input={}, success=True),))
        raise ProviderUnavailable("gemini: connect; ollama: connect", reasons={"gemini": "connect"})

    desk = Desk(fail)
    error = await desk.error("Agent.run", {"prompt": "halo", "run_id": "r-1", "session_id": "s-1"})
    assert (error["code"], error["data"]["type"]) == (-32006, "provider_unavailable")
    assert error["data"]["user_message"].startswith("Asisten sedang tidak dapat dihubungi")
    assert (error["data"]["run_id"], error["data"]["session_id"]) == ("r-1", "s-1")
    assert [step["tool"] for step in error["data"]["steps"]] == ["get_current_time"]
    state = await desk.result("Agent.get", {"run_id": "r-1"})
    assert (state["status"], state["error"]["code"]) == ("failed", -32006)


async def test_the_message_to_the_person_follows_the_language_asked_for() -> None:
    async def fail(run: MemoryRun) -> str:
        raise ProviderUnavailable()

    error = await Desk(fail).error("Agent.run", {"prompt": "hello", "options": {"language": "en"}})
    assert error["data"]["user_message"].startswith("The assistant cannot be reached")


@pytest.mark.parametrize("method", ["Agent.run", "Agent.start"])
@pytest.mark.parametrize(
    ("prompt", "told", "person"),
    [
        ("", "prompt is empty", "masih kosong"),
        ("  \n\t ", "prompt is empty", "masih kosong"),
        ("\x00\x07\x1b\u200b", "control or blank characters", "masih kosong"),
        (7, "should be a valid string", "harus berupa teks"),
        (None, "should be a valid string", "harus berupa teks"),
        (["a"], "should be a valid string", "harus berupa teks"),
        ("x" * 1_000_000, "longer than 8192 bytes", "terlalu panjang"),
        ("é" * 4097, "longer than 8192 bytes", "terlalu panjang"),
        ("I need a letter please " * 500, "longer than 8192 bytes", "too long"),
    ],
)
async def test_a_prompt_that_cannot_be_asked_is_refused_kindly(
    method: str, prompt: Any, told: str, person: str
) -> None:
    error = await Desk().error(method, {"prompt": prompt})
    assert (error["code"], error["data"]["field"]) == (-32602, "prompt")
    assert told in error["message"]
    assert person in error["data"]["user_message"]


async def test_a_form_is_no_longer_than_a_prompt() -> None:
    options = {"tool_hint": "generate_letter", "tool_arguments": {"alamat": "é" * 4097}}
    error = await Desk().error("Agent.run", {"prompt": "surat", "options": options})
    assert (error["code"], error["data"]["field"]) == (-32602, "options.tool_arguments")
    assert "longer than 8192 bytes" in error["message"]


async def test_a_missing_prompt_is_named() -> None:
    error = await Desk().error("Agent.run")
    assert error["message"] == "Invalid params: prompt is required"
    assert error["data"]["user_message"].startswith("Pertanyaan belum diisi")


async def test_control_characters_inside_a_prompt_are_dropped() -> None:
    assert (await Desk().result("Agent.run", {"prompt": "a\x00b\x1b\n\tc"}))["response"] == "ab\n\tc"


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"prompt": "a", "sesion_id": "s"}, "sesion_id is unknown; did you mean session_id?"),
        ({"prompt": "a", "options": {"max_step": 3}}, "options.max_step is unknown; did you mean max_steps?"),
        ({"prompt": "a", "zzz": 1}, "zzz is unknown; known here: prompt, session_id, run_id, options"),
        ({"prompt": "a", "options": {"max_steps": "3"}}, "options.max_steps is wrong: it should be a valid integer"),
        (
            {"prompt": "a", "options": {"max_steps": 0}},
            "options.max_steps is wrong: it should be greater than or equal to 1",
        ),
        ({"prompt": "a", "options": {"deadline_s": -1}}, "options.deadline_s is wrong: it should be greater than 0"),
        ({"prompt": "a", "options": {"language": "fr"}}, "options.language is wrong: it should be 'id', 'en' or 'jv'"),
        ({"prompt": "a", "options": 3}, "options is wrong"),
        ({"prompt": "a", "run_id": "../etc"}, "run_id is wrong"),
        ({"prompt": "a", "run_id": ""}, "run_id is wrong"),
        ({"prompt": "a", "session_id": "a\nb"}, "session_id is wrong"),
    ],
)
async def test_wrong_params_are_named_with_what_was_meant(params: Any, told: str) -> None:
    error = await Desk().error("Agent.run", params)
    assert error["code"] == -32602
    assert told in error["message"]


async def test_every_wrong_parameter_is_named_at_once_and_no_value_is_repeated() -> None:
    error = await Desk().error("Agent.approve", {"run_id": "bad id 3174012345678901", "approved": "ya"})
    assert {one["field"] for one in error["data"]["errors"]} == {"run_id", "approval_id", "approved"}
    assert "3174012345678901" not in orjson.dumps(error).decode()


async def test_of_very_many_wrong_params_a_few_are_named_and_the_others_counted() -> None:
    many = await Desk().error("Agent.run", {"prompt": "a", **{f"wrong{number}": 1 for number in range(500)}})
    assert (len(many["data"]["errors"]), many["message"][-14:]) == (20, "; and 480 more")
    for params in ({f"wrong{number}": 1 for number in range(5000)}, {"prompt": "a", "x" * 100_000: 1}):
        assert len(orjson.dumps(await Desk().error("Agent.run", params))) < 1000


def nested(times: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(times - 1):
        value = {"a": [value] if times % 2 else value}
    return value


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Tools.call", {"tool": "get_current_time", "input": nested(200)}),
        ("Agent.approve", {"run_id": "r", "approval_id": "a", "approved": True, "arguments": nested(65)}),
        ("Agent.run", {"prompt": "a", "options": {"tool_hint": "t", "tool_arguments": nested(66)}}),
    ],
)
async def test_arguments_that_no_server_could_read_are_refused(method: str, params: Any) -> None:
    error = await Desk().error(method, params)
    assert error["code"] == -32602 and "is nested more than 64 times" in error["message"]


async def test_arguments_as_deep_as_anybody_needs_are_taken() -> None:
    given = nested(64)
    assert (await Desk().result("Tools.call", {"tool": "get_current_time", "input": given}))["input"] == given


async def test_a_method_without_params_says_so() -> None:
    error = await Desk().error("System.health", {"verbose": True})
    assert "verbose is unknown; there are no parameters here" in error["message"]


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


async def test_a_bad_configuration_is_told_line_by_line_and_without_its_path() -> None:
    async def refuse(by: str) -> dict[str, Any]:
        from pathlib import Path

        raise ConfigError([Problem(Path("/etc/agentd/client.toml"), 7, "unknown key promt_template")])

    error = await Desk(reload=refuse).error("Config.reload")
    assert error["data"]["type"] == "conflict"
    assert "client.toml:7: unknown key promt_template" in error["message"]
    assert "/etc" not in orjson.dumps(error).decode()
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
