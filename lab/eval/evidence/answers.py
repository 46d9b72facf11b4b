"""Counts COD agents' answers that would claim an action, for an agent whose tools did nothing. Judges no evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentd.agent.languages import understood
from agentd.agent.toolset import Toolset
from agentd.apps.letters.claims.by_meaning import meant_claim, sentences_of
from agentd.apps.letters.claims.by_words import false_claim
from agentd.messages import ToolInfo
from bridges.meaning import BundledMeaning
from lab.eval.evidence.cod import Dialogue

TOOLS = (
    ("transfer_money", "Transfer money to another user."),
    ("add_alarm", "Set a new alarm."),
    ("play_song", "Play the selected song on the device."),
    ("schedule_visit", "Schedule a visit to a property."),
)
"""The services' transactions, as their schemas describe them."""


async def table(language: str, dialogues: Sequence[Dialogue]) -> list[str]:
    """A Markdown table: turns that report an action (NOTIFY_SUCCESS; not always in words) against all others."""
    meaning = None if understood(language) else BundledMeaning()
    toolset = Toolset(
        tuple(ToolInfo(name=name, server="services", official=True, description=text) for name, text in TOOLS), ()
    )
    said: Counter[str] = Counter()
    withheld: Counter[str] = Counter()
    for turn in (turn for dialogue in dialogues for turn in dialogue["turns"] if turn["speaker"] == "SYSTEM"):
        acts = {act["act"] for frame in turn["frames"] for act in frame["actions"]}
        row = (
            "tells of a deed" if "NOTIFY_SUCCESS" in acts else "asks or offers" if "CONFIRM" not in acts else "sums up"
        )
        said[row] += 1
        answer = turn["utterance"]
        claim = await meant_claim(sentences_of(answer), meaning, {}) if meaning else false_claim(answer, toolset, ())
        withheld[row] += claim is not None
    head = [f"| an agent that did nothing, {language} | answers | withheld |", "|---|---|---|"]
    return [*head, *(f"| {row} | {said[row]} | {withheld[row]} |" for row in sorted(said))]
