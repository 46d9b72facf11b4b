"""Counts COD agents' answers that would claim an action, for an agent whose tools did nothing. Judges no evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from agentd.agent.toolset import Toolset
from agentd.apps.letters.claims import false_claim
from agentd.messages import ToolInfo
from lab.eval.evidence.cod import Dialogue

TOOLS = (
    ("transfer_money", "Transfer money to another user."),
    ("add_alarm", "Set a new alarm."),
    ("play_song", "Play the selected song on the device."),
    ("schedule_visit", "Schedule a visit to a property."),
)
"""The services' transactions, as their schemas describe them."""


def table(dialogues: Sequence[Dialogue]) -> Iterator[str]:
    """A Markdown table: turns that report an action (NOTIFY_SUCCESS; not always in words) against all others."""
    toolset = Toolset(
        tuple(ToolInfo(name=name, server="services", official=True, description=told) for name, told in TOOLS), ()
    )
    said: Counter[str] = Counter()
    withheld: Counter[str] = Counter()
    for turn in (turn for dialogue in dialogues for turn in dialogue["turns"] if turn["speaker"] == "SYSTEM"):
        acts = {act["act"] for frame in turn["frames"] for act in frame["actions"]}
        row = (
            "tells of a deed" if "NOTIFY_SUCCESS" in acts else "asks or offers" if "CONFIRM" not in acts else "sums up"
        )
        said[row] += 1
        withheld[row] += false_claim(turn["utterance"], toolset, ()) is not None
    yield "| an agent that did nothing | answers | withheld |"
    yield "|---|---|---|"
    yield from (f"| {row} | {said[row]} | {withheld[row]} |" for row in sorted(said))
