"""Tools of other hands with unusual schemas, or none: they are listed, called and answered about all the same."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent.policies import PolicedTools
from agentd.agent.toolset import assemble
from agentd.agent.turn_policy import Offer, Turn
from agentd.apps.letters.evidence.reading.readings import SessionReadings
from agentd.apps.letters.explain import explained, mistakes
from agentd.apps.letters.policies.grounding import Grounded
from agentd.apps.letters.policies.lookups import LookUps
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import Said, ToolCall, ToolInfo
from agentd.testing import MemoryTools

ODD: list[dict[str, Any]] = [
    {},
    {"type": "object", "properties": 5},
    {"type": "object", "properties": {"x": True, "y": False, "nik": None}, "required": ["x", "ghost"]},
    {"type": "object", "properties": {"who": {"type": "object", "properties": 5}, "what": {"type": "object"}}},
    {"type": "object", "properties": {"x": {"enum": []}, "y": {"type": ["string", {"a": 1}], "format": {"a": 1}}}},
    {"type": "object", "properties": {"x": {"x-agentd-kind": {"a": 1}, "x-agentd-about": ["b"], "x-agentd-time": [1]}}},
    {"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/x"}}},
]


@pytest.mark.parametrize("official", [True, False])
@pytest.mark.parametrize("schema", ODD, ids=str)
async def test_an_odd_schema_breaks_no_turn(schema: dict[str, Any], official: bool) -> None:
    tool = ToolInfo(name="meta", server="other", input_schema=schema, official=official)
    host, readings = MemoryTools({"meta": lambda _: {"ok": True}}, [tool]), SessionReadings()
    said = (Said(by="citizen", order=0, text="Saya Budi, NIK 3171234567890123"),)
    turn = Turn("Saya Budi", assemble(host.catalogue(), None), session_id="s", said=said)
    policy = LetterTurns(readings)
    policy.offer(turn, Offer(tools=(tool,)))
    policy.check_answer(turn, "Halo, ada yang bisa dibantu?")
    call = ToolCall(tool=tool, input={"x": "Budi"}, run_id="r", session_id="s", step=1, said=said)
    outcome = await PolicedTools(host, [Grounded(readings), LookUps()]).call(call)
    assert outcome.success or outcome.error_type == "grounding"
    assert all(isinstance(line, str) for line in explained(tool))
    assert all(mistake.text for mistake in mistakes(tool))
