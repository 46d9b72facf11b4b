"""The loop as a conversation: what the model writes, what the tools answer, what the citizen gets (seed 002)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent import prompts
from agentd.agent.brief import Brief, Conclusion, RunLimits
from agentd.agent.loop import Agent
from agentd.agent.toolset import Toolset, assemble
from agentd.agent.turn_policy import TurnPolicy
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import (
    LIVE_ONLY,
    AgentOptions,
    ChatMessage,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolInfo,
    ToolOutcome,
)
from agentd.ports import ProgressSink, TextSink
from agentd.testing import MemoryJournal, MemoryTools, ScriptedModel

TIME = ToolInfo(name="get_current_time", server="time", annotations={"readOnlyHint": True}, description="The time")
LETTER = ToolInfo(name="make_letter", server="certificate", description="A letter")


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"action": "call_tool", "tool": tool, "input": arguments}


def final(text: str) -> dict[str, Any]:
    return {"action": "final", "response": text}


class Talk:
    """One run with scripted turns, everything it told, and what it came to."""

    def __init__(
        self, *turns: Any, tools: MemoryTools | None = None, policy: TurnPolicy | None = None, **brief: Any
    ) -> None:
        self.policy = policy or LetterTurns()
        self.model = ScriptedModel.of(*turns)
        self.tools = tools or MemoryTools(
            {"get_current_time": lambda _: {"greeting": "pagi"}, "make_letter": lambda _: {"number": "1"}},
            [TIME, LETTER],
        )
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.journal = MemoryJournal()
        settings = {"prompt": "Halo", "toolset": assemble(self.tools.catalogue(), None), **brief}
        self.brief = Brief(run_id="r", session_id="s", prefix=(ChatMessage(role="system", content="x"),), **settings)

    async def run(self) -> Conclusion:
        return await Agent(
            self.model, self.tools, self.brief, self.journal, lambda k, d: self.told.append((k, d)), self.policy
        ).run()


async def test_a_tool_is_called_and_its_result_leads_to_the_answer() -> None:
    talk = Talk(call("get_current_time"), final("Selamat pagi!"))
    ended = await talk.run()
    assert (ended.status, ended.response) == ("completed", "Selamat pagi!")
    assert [(step.tool, step.server, step.output) for step in ended.so_far.steps] == [
        ("get_current_time", "time", {"greeting": "pagi"})
    ]
    assert [kind for kind, _ in talk.told if kind not in LIVE_ONLY] == [
        "model.started",
        "model.finished",
        "tool.started",
        "tool.finished",
        "model.started",
        "model.finished",
    ]


LOST, EMPTY = "The server `certificate` was lost: it ended by SIGKILL.", "Nomor antrean sudah habis."


@pytest.mark.parametrize(
    ("message", "output", "says"),
    [(LOST, None, "Layanan yang dipakai sedang mengalami kendala."), (EMPTY, EMPTY, EMPTY)],
)
async def test_a_form_whose_call_failed_is_answered_in_the_servers_words_or_in_ours_for_citizens(
    message: str, output: str | None, says: str
) -> None:
    class Failing(MemoryTools):
        async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
            return ToolOutcome(success=False, message=message, output=output, error_type="tool_execution")

    form = AgentOptions(tool_hint="make_letter", tool_arguments={"nama": "Budi"})
    ended = await Talk(tools=Failing({"make_letter": len}, [LETTER]), options=form).run()
    assert ended.response.startswith(says) and ended.so_far.steps[0].message == message


async def test_a_read_only_call_shares_its_turns_record_and_one_with_effects_has_its_own() -> None:
    talk = Talk(call("get_current_time"), call("make_letter", nama="Budi"), final("Selesai"))
    await talk.run()
    assert list(talk.journal.records) == ["turn-0", "turn-1", "call-1", "turn-2"]


async def test_a_killed_run_repeats_no_recorded_step_and_ends_the_same() -> None:
    talk = Talk(call("get_current_time"), call("make_letter", nama="Budi"), final("Selesai"))
    whole = await talk.run()
    for kept in range(4):
        again = Talk(call("get_current_time"), call("make_letter", nama="Budi"), final("Selesai"))
        again.journal = MemoryJournal(dict(list(talk.journal.records.items())[:kept]))
        ended = await again.run()
        assert (ended.response, ended.record()["messages"]) == (whole.response, whole.record()["messages"])
        assert len(again.tools.calls) == 2 - min(2, max(0, kept) if kept < 2 else kept - 1)


async def test_policies_see_what_a_model_cites_and_the_tool_and_the_steps_do_not() -> None:
    talk = Talk(call("make_letter", nik="1") | {"quotes": {"nik": "NIK saya 1"}}, final("Selesai."), day="2026-03-02")
    ended = await talk.run()
    made = talk.tools.calls[0]
    assert (made.input, made.quotes) == ({"nik": "1"}, {"nik": "NIK saya 1"})
    assert [step.input for step in ended.so_far.steps] == [{"nik": "1"}]
    assert made.said[0].day == "2026-03-02"


async def test_the_key_of_a_call_is_its_run_and_step() -> None:
    talk = Talk(call("get_current_time"), call("make_letter", nama="Budi"), final("Selesai"))
    await talk.run()
    assert [made.key for made in talk.tools.calls] == ["r:1", "r:2"]


async def test_tool_names_match_without_case_and_null_input_is_empty() -> None:
    talk = Talk({"action": "call_tool", "tool": "GET_current_TIME", "input": None}, final("ok"))
    ended = await talk.run()
    assert ended.so_far.steps[0].tool == "get_current_time"
    assert ended.so_far.steps[0].input == {}


async def test_an_unreadable_turn_is_repaired_once_with_the_reason() -> None:
    talk = Talk("Tentu, saya bantu!", final("ok"))
    ended = await talk.run()
    assert (ended.status, ended.so_far.attempts) == ("completed", 2)


async def test_without_a_valid_action_the_run_ends_as_invalid_response() -> None:
    talk = Talk("bukan json")
    ended = await talk.run()
    assert ended.status == "failed"
    assert ended.error is not None
    assert ended.error.type == "invalid_response"
    assert [fallback.kind for fallback in ended.so_far.fallbacks] == ["bad_output"]


async def test_an_unknown_tool_is_told_to_the_model_first_and_ends_the_run_when_called_again() -> None:
    corrected = await Talk(call("cuaca"), final("Maaf, itu belum tersedia.")).run()
    assert corrected.status == "completed"
    assert corrected.so_far.steps[0].success is False
    stubborn = await Talk(call("cuaca")).run()
    assert stubborn.error is not None
    assert stubborn.error.type == "unknown_tool"


async def test_a_failing_tool_ends_the_run_after_three_failures_with_its_own_message() -> None:
    def broken(_: dict[str, Any]) -> None:
        raise RuntimeError("printer kosong")

    tools = MemoryTools({"make_letter": broken}, [LETTER])
    ended = await Talk(*(call("make_letter", n=n) for n in range(9)), tools=tools).run()
    assert ended.error is not None
    assert (ended.error.type, ended.error.message) == ("tool_execution", "printer kosong")
    assert len(ended.so_far.steps) == 3


async def test_the_ninth_tool_call_ends_the_run_and_list_tools_counts() -> None:
    turns = [call("list_tools"), *(call("get_current_time", n=n) for n in range(20))]
    ended = await Talk(*turns).run()
    assert ended.error is not None
    assert ended.error.type == "max_steps"
    assert len(ended.so_far.steps) == 8
    assert ended.so_far.steps[0].output["tools"][0]["name"] == "get_current_time"


async def test_with_no_tools_the_agent_answers_from_the_model_alone() -> None:
    ended = await Talk(final("Halo juga"), tools=MemoryTools(), toolset=Toolset((), ())).run()
    assert ended.response == "Halo juga"


async def test_the_answer_streams_as_it_is_written() -> None:
    talk = Talk(final('Kata "kutip" dan \n baris — €'))
    ended = await talk.run()
    text = "".join(data["text"] for kind, data in talk.told if kind == "model.delta")
    assert text == ended.response


async def test_a_token_budget_ends_the_run_with_its_own_error() -> None:
    ended = await Talk(call("get_current_time"), call("get_current_time", a=1), limits=RunLimits(max_tokens=3)).run()
    assert ended.error is not None
    assert ended.error.type == "budget_exceeded"
    assert "terlalu panjang" in ended.error.user_message("id"), "its tokens are used up, not its time"


@pytest.mark.parametrize("number", ["3175064501900003", "0812-3456-7890"])
async def test_logs_hold_no_citizens_numbers(number: str) -> None:
    ended = await Talk(call("make_letter", nik=number), call(number), final("ok")).run()
    assert number not in "\n".join(ended.so_far.logs)
    assert any("Memanggil tool make_letter di server certificate: berhasil" in line for line in ended.so_far.logs)


async def test_what_grounding_refused_is_not_shown_to_the_model_again() -> None:
    """Seen from the embedded model: values that it had invented stood in its context and came back in every call."""
    refused = {"missing": ["nik", "orang_tua.nama"], "labels": ["NIK", "nama orang tua"]}
    given = {"nama": "Budi", "nik": "3175000000000000", "orang_tua": {"nama": "Invented", "umur": "60"}}
    outcome = ToolOutcome(success=False, message="Mohon sebutkan: NIK.", output=refused, error_type="grounding")
    turns = prompts.exchange(prompts.Called("make_letter", given, outcome, "id", "Nama saya Budi"))
    assert json.loads(turns[0].content)["input"] == {"nama": "Budi", "orang_tua": {"umur": "60"}}
    assert "3175000000000000" not in turns[1].content and "Invented" not in turns[1].content
    assert json.loads(turns[1].content)["request"] == "Nama saya Budi"


async def test_what_the_office_refuses_is_told_in_its_words_and_not_offered_again_in_the_run() -> None:
    refusal = ToolOutcome(
        success=False, message="NIK: tidak cocok.", output={"error": "invalid_fields"}, error_type="tool_execution"
    )

    class Refusing(MemoryTools):
        async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
            return refusal

    official = LETTER.model_copy(update={"official": True, "meta": {}})
    tools = Refusing({"make_letter": dict}, [official])
    talk = Talk(call("make_letter", nik="1"), call("make_letter", nik="1"), tools=tools)
    schemas: list[str] = []
    turn = talk.model.turn

    async def seen(request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        schemas.append(json.dumps(request.json_schema))
        return await turn(request, on_text)

    talk.model.turn = seen  # type: ignore[method-assign]
    ended = await talk.run()
    assert "make_letter" in schemas[0] and "make_letter" not in schemas[1]
    assert "ask the citizen to correct it: NIK: tidak cocok." in ended.record()["messages"][2]["content"]
    assert ended.error is not None and ended.error.data["user_message"] == "NIK: tidak cocok."


async def test_a_providers_safety_block_is_told_kindly_and_ends_no_run_as_an_error() -> None:
    ended = await Talk('{"error": "blocked"}').run()
    assert (ended.status, ended.error) == ("completed", None)
    assert ended.response.startswith("Mohon maaf, pesan ini tidak dapat saya jawab.")
    assert ended.so_far.logs[0].startswith("Penyaring keamanan model menolak menjawab: ")
