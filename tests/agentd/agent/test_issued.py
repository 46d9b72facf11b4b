"""What a citizen hears of a letter that was issued, or that was agreed to and was not, whatever a model says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentd.agent.brief import Progress
from agentd.agent.turn_policy import UNRESTRICTED
from agentd.messages import Consent, ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from agentd.testing import MemoryTools
from tests.agentd.agent.test_loop import LETTER, Talk, call, final

OFFICIAL = LETTER.model_copy(update={"official": True})
DONE = "Surat nomor 1 sudah terbit."


def issuing(*turns: Any, answers: tuple[bool, ...] = (True,)) -> Talk:
    class Office(MemoryTools):
        async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
            await super().call(call)
            return ToolOutcome(success=answers[len(self.calls) - 1], message=DONE, output={"number": "1"})

    return Talk(*turns, tools=Office({"make_letter": lambda _: {}}, [OFFICIAL]), policy=UNRESTRICTED)


@pytest.mark.parametrize("then", ["no action", {"error": "unavailable"}, call("list_tools")])
async def test_a_letter_that_was_issued_is_told_of_whatever_becomes_of_the_model(then: Any) -> None:
    ended = await issuing(call("make_letter", nama="Budi"), *[then] * 9).run()
    assert (ended.status, ended.response) == ("completed", DONE)


async def test_a_letter_that_failed_after_another_is_no_success() -> None:
    turns = call("make_letter", nama="Budi"), call("make_letter", nama="Ani"), "no action"
    assert (await issuing(*turns, answers=(True, False)).run()).status == "failed"


async def test_a_model_that_calls_for_a_letter_again_makes_nobody_agree_twice() -> None:
    talk = issuing(call("make_letter", nama="Budi", rt="3"), call("make_letter", rt="3", nama="Budi"))
    ended = await talk.run()
    assert (ended.status, ended.response, len(talk.tools.calls)) == ("completed", DONE, 1)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ({"message": "The server was lost", "error_type": "tool_execution"}, "kendala"),
        ({"message": "Kantor sedang tutup.", "output": {"reason": "closed"}}, "Kantor sedang tutup."),
    ],
)
async def test_no_model_is_asked_about_an_agreed_letter_that_came_to_nothing(outcome: Any, told: str) -> None:
    talk = Talk(final("Surat Anda selesai."), tools=MemoryTools({"make_letter": dict}, [OFFICIAL]))

    async def lost(call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        return ToolOutcome(success=False, **outcome)

    talk.tools.call = lost  # type: ignore[method-assign]
    await _is_told(talk, told)


async def test_no_model_is_asked_about_an_agreed_letter_whose_tool_has_gone() -> None:
    await _is_told(Talk(final("Surat Anda selesai."), tools=MemoryTools({}, [])), "kendala")


async def _is_told(talk: Talk, told: str) -> None:
    """The citizen agrees to a letter, and the answer says `told`, without a turn of the model."""
    pending = {"tool": "make_letter", "arguments": {"nama": "Budi"}}
    consent = Consent(approval_id="a", **pending, by="citizen")
    resumed = {**Progress([], []).record(), "pending": pending}
    talk.brief = replace(talk.brief, resumed=resumed, consent=consent)
    ended = await talk.run()
    assert (ended.status, ended.so_far.turns, told in (ended.response or "")) == ("completed", 0, True)
