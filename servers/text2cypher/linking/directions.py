"""Which end of a self-relationship a question is about. Uses only the lexicon's phrases, no graph.

A course that "has prerequisites" is at the arrow's end, one that "is a prerequisite" at its start; likewise the course
after "needs" and the one after "prerequisite of".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from servers.text2cypher.linking.values import Mention

End = Literal["start", "end"]


@dataclass(frozen=True)
class Directions:
    """Regular expressions for one relationship: directly before a value, and for the thing asked about."""

    value_is_end: str
    value_is_start: str
    asked_is_end: str
    asked_is_start: str


def ends_of_values(masked: str, mentions: Sequence[Mention], known: Sequence[Directions]) -> dict[str, End]:
    """{stored value: the end it stands at}, for values whose wording says so."""
    found: dict[str, End] = {}
    last = 0
    for mention in mentions:
        before = masked[max(last - 1, 0) : mention.start].lower()
        for held in known:
            if re.search(rf"(?:{held.value_is_start})\W*$", before):
                found[mention.value] = "start"
            elif re.search(rf"(?:{held.value_is_end})\W*$", before):
                found[mention.value] = "end"
        last = mention.end
    return found


def end_of_asked(masked: str, known: Sequence[Directions]) -> End | None:
    """The end of the thing asked about, if the wording says so."""
    lower = masked.lower()
    for held in known:
        if re.search(held.asked_is_start, lower):
            return "start"
        if re.search(held.asked_is_end, lower):
            return "end"
    return None
