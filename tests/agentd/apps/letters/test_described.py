"""A field whose schema says nothing takes its kind and words from its meaning, and says so (issue 17, "Fields")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentd.agent.policies import PolicedTools
from agentd.apps.letters.app import Letters
from agentd.apps.letters.evidence.fields.field import form
from agentd.apps.letters.explain import explained
from agentd.apps.letters.policies.described import Described, described
from agentd.apps.letters.policies.grounding import Grounded
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import ToolInfo
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import call

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "whereto": {"type": "string", "description": "the town to travel to"},
        "remarks": {"type": "string"},
        "kickoff": {"type": "string", "title": "Kick-off"},
    },
}
TRIP = ToolInfo(name="book_bus", server="bus", official=True, description="Book a bus.", input_schema=SCHEMA)


class Nearest:
    """A meaning that knows one text: near `destination`, and as near to two senses where it is unsure."""

    def __init__(self, *, ahead: float = 0.05) -> None:
        self.asked: list[str] = []
        self._ahead = ahead

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(query)
        known = "whereto" in query
        return [
            0.9 if known and "destination" in text else 0.9 - self._ahead if known and "city" in text else 0.8
            for text in texts
        ]


async def test_a_silent_field_takes_kind_and_words_of_the_nearest_sense_and_says_where_from() -> None:
    meaning = Nearest()
    found = await described(TRIP, meaning)
    assert meaning.asked == ["whereto: the town to travel to", "remarks"]
    shapes = form(found.input_schema).shapes
    assert (shapes["whereto"].kind, shapes["remarks"].kind, shapes["kickoff"].kind) == ("place", "text", "text")
    lines = list(explained(found))
    assert "  kind    place  [embeddings: destination]" in lines
    assert any(line.startswith("  labels  whereto") and "tujuan" in line for line in lines)


async def test_a_sense_that_is_not_clearly_nearest_is_none() -> None:
    assert await described(TRIP, Nearest(ahead=0.005)) is TRIP


async def test_a_tool_of_which_nothing_is_derived_is_looked_at_once_too() -> None:
    meaning = Nearest(ahead=0.005)
    known = Described(meaning)
    assert await known.learn(TRIP) is TRIP and await known.learn(TRIP) is TRIP
    assert len(meaning.asked) == 2, "a tool is looked at once"


async def test_what_was_derived_judges_the_call_and_still_does_when_it_waits_for_a_yes() -> None:
    meaning = Nearest()
    known = Described(meaning)
    tools = MemoryTools({"book_bus": lambda _: {"ok": True}}, [TRIP])
    host, turns = PolicedTools(tools, [Grounded(described=known)]), LetterTurns(described=known)
    said = call({"whereto": "Medan"}, "Saya mau ke Medan.", tool=TRIP)
    assert not (await PolicedTools(tools, [Grounded()]).call(said)).success
    assert (await host.call(said)).success and turns.supports(said)
    assert not (await host.call(call({"whereto": "Medan"}, "Saya dari Medan.", tool=TRIP))).success
    assert len(meaning.asked) == 2, "a tool is looked at once"


async def test_what_is_read_from_a_fields_meaning_is_no_mistake_of_its_schema() -> None:
    read = await Letters.read_schema(TRIP, Nearest())
    assert any("embeddings: destination" in line for line in read.lines) and read.mistakes == ()
