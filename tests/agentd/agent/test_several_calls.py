"""Several calls in one turn of a model: look-ups are all made, one after the other; of other calls only the first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent.brief import Conclusion, RunLimits
from agentd.messages import ToolInfo
from agentd.testing import MemoryJournal, MemoryTools
from tests.agentd.agent.test_loop import TIME, Talk, call, final

ROUTE = ToolInfo(name="find_route", server="bus", annotations={"readOnlyHint": True})


def shown(ended: Conclusion) -> str:
    """The conversation that the model read."""
    return "".join(message.content for message in ended.so_far.messages)


@pytest.mark.parametrize(
    "written", ["{0}{1}", "[{0}, {1}]", "{0}\n{0}\n{1}", '{0}{1}{{"action":"final","response":"!"}}']
)
async def test_look_ups_of_one_turn_are_all_made_in_order_and_the_model_reads_each_result(written: str) -> None:
    """Hosted models write several look-ups at once; only the first was made, and the others cost a turn each."""
    tools = MemoryTools({"get_current_time": lambda _: "08.00", "find_route": lambda _: "Line 4"}, [TIME, ROUTE])
    both = written.format(json.dumps(call("get_current_time")), json.dumps(call("find_route", to="Bekasi")))
    talk = Talk(both, final("Pukul 08.00, jalur 4."), tools=tools)
    ended = await talk.run()
    assert (ended.response, ended.so_far.attempts) == ("Pukul 08.00, jalur 4.", 2)
    assert [(step.tool, step.output) for step in ended.so_far.steps] == [
        ("get_current_time", "08.00"),
        ("find_route", "Line 4"),
    ]
    assert "08.00" in shown(ended) and "Line 4" in shown(ended)


@pytest.mark.parametrize("first", [call("make_letter", nama="Budi"), call("get_current_time")])
async def test_a_call_with_effects_that_follows_another_in_its_turn_is_not_made_and_the_model_is_told_so(
    first: dict[str, Any],
) -> None:
    talk = Talk(json.dumps(first) + json.dumps(call("make_letter", nama="Siti")), final("Satu per satu."))
    ended = await talk.run()
    assert [made.input for made in talk.tools.calls] == [first["input"]]
    assert ended.response == "Satu per satu." and "Not called: make_letter." in shown(ended)


async def test_after_a_look_up_that_failed_the_model_decides_on_the_others_of_its_turn() -> None:
    unknown = "".join(json.dumps(call(name)) for name in ("nothing", "nobody", "never", "get_current_time"))
    talk = Talk(unknown, final("Maaf."))
    ended = await talk.run()
    assert (ended.status, len(ended.so_far.steps)) == ("completed", 1)
    assert "Not called: nobody, never, get_current_time." in shown(ended)


async def test_more_look_ups_than_a_run_may_make_end_no_run() -> None:
    many = "".join(json.dumps(call("get_current_time", number=number)) for number in range(9))
    ended = await Talk(many, final("Cukup."), limits=RunLimits(max_steps=3)).run()
    assert (ended.status, len(ended.so_far.steps)) == ("completed", 3)


async def test_a_run_killed_between_two_look_ups_of_a_turn_makes_the_second_alone() -> None:
    both = json.dumps(call("get_current_time")) + json.dumps(call("get_current_time", zone="WIT"))
    talk = Talk(both, final("Selesai"))
    whole = await talk.run()
    again = Talk(both, final("Selesai"))
    again.journal = MemoryJournal(dict(list(talk.journal.records.items())[:1]))
    ended = await again.run()
    assert [made.input for made in again.tools.calls] == [{"zone": "WIT"}]
    assert ended.record()["messages"] == whole.record()["messages"]
