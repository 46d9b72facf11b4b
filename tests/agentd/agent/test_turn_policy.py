"""The port behind which apps say what a model may do in a turn: composed policies only ever narrow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import UNRESTRICTED, Offer, Turn, TurnPolicies, UnsupportedAnswer
from agentd.messages import ToolCall, ToolInfo
from tests.agentd.agent.test_loop import Talk, final

TURN = Turn(request="Halo", toolset=Toolset((), ()))
TOOLS = tuple(ToolInfo(name=name, server="s") for name in ("a", "b", "c"))


@dataclass(frozen=True)
class Without:
    """Takes one tool away and objects to its name in an answer."""

    name: str

    def offer(self, _: Turn, offer: Offer) -> Offer:
        return replace(offer, tools=tuple(tool for tool in offer.tools if tool.name != self.name))

    def check_answer(self, _: Turn, answer: str) -> None:
        if self.name in answer:
            raise UnsupportedAnswer(f"it names {self.name}", f"without {self.name}")

    def supports(self, call: ToolCall) -> bool:
        return self.name not in call.input


def test_each_policy_narrows_what_the_one_before_left() -> None:
    both = TurnPolicies((Without("a"), Without("b")))
    assert [tool.name for tool in both.offer(TURN, Offer(TOOLS)).tools] == ["c"]


def test_an_answer_must_pass_every_policy_and_the_first_objection_counts() -> None:
    both = TurnPolicies((Without("x"), Without("y")))
    both.check_answer(TURN, "z")
    with pytest.raises(UnsupportedAnswer) as objection:
        both.check_answer(TURN, "y and x")
    assert objection.value.instead == "without x"


def test_a_waiting_call_stands_while_every_policy_supports_it() -> None:
    both = TurnPolicies((Without("x"), Without("y")))
    calls = [ToolCall(tool=TOOLS[0], input={name: 1}, run_id="r", session_id="s", step=1) for name in "xyz"]
    assert [both.supports(call) for call in calls] == [False, False, True]


def test_without_policies_everything_may_be_called_and_said() -> None:
    assert UNRESTRICTED.offer(TURN, Offer(TOOLS)) == Offer(TOOLS)
    UNRESTRICTED.check_answer(TURN, "Surat sudah terbit.")


async def test_the_loop_asks_once_more_and_then_says_what_the_policy_says_instead() -> None:
    talk = Talk(final("x"), final("x again"), policy=Without("x"))
    ended = await talk.run()
    assert (ended.status, ended.response) == ("completed", "without x")
    assert ("model.delta", {"restart": True, "text": "without x"}) in talk.told
