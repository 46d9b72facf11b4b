"""What each method asks, answers and refuses (design.md, "Names on the wire"; seed 002, error handling)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from agentd.errors import BY_TYPE, Busy, ProviderUnavailable, in_each_language
from agentd.messages import AgentStep, Caller
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import WireLimits
from agentd.rpc.params import Prompt
from tests.agentd.memory_runs import MemoryRun, Work, echo
from tests.agentd.twins import ADMIN, METHODS, services


class Desk:
    """One caller after another at one dispatcher."""

    def __init__(self, work: Work = echo, limits: WireLimits | None = None, **changes: Any) -> None:
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


async def test_an_errors_own_words_follow_the_language_too() -> None:
    async def fail(run: MemoryRun) -> str:
        raise Busy("locked", user_message=in_each_language("database"))

    error = await Desk(fail).error("Agent.run", {"prompt": "hello", "options": {"language": "en"}})
    assert error["data"]["user_message"].startswith("Data cannot be stored")


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


async def test_what_no_text_may_hold_is_taken_out_of_a_prompt() -> None:
    """Half a surrogate pair, which no database keeps, comes from a chat service that cut an emoji in two."""
    assert TypeAdapter(Prompt).validate_python("a\ud83d b") == "a? b"
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
        ({"prompt": "a", "session_id": "a\nb"}, "session_id holds a character that can't be seen (U+000A at place 2)"),
        ({"prompt": "a", "session_id": "\u202ea"}, "a character that can't be seen (U+202E at place 1)"),
        ({"prompt": "a", "session_id": "ab\u200b"}, "U+200B at place 3); leave it out"),
        ({"prompt": "a", "session_id": "a\u3164"}, "U+3164 at place 2"),
        ({"prompt": "a", "session_id": "  "}, "session_id is blank"),
        ({"prompt": "a", "options": {"tool_arguments": {}}}, "options has tool_arguments, which need a tool_hint"),
    ],
)
async def test_wrong_params_are_named_with_what_was_meant(params: Any, told: str) -> None:
    error = await Desk().error("Agent.run", params)
    assert error["code"] == -32602
    assert told in error["message"]


@pytest.mark.parametrize("title", ["", "  ", "a\u200bb", "a\x07"])
async def test_a_title_that_cannot_be_seen_whole_is_refused(title: str) -> None:
    error = await Desk().error("Session.create", {"title": title})
    assert (error["code"], error["data"]["field"]) == (-32602, "title")


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
