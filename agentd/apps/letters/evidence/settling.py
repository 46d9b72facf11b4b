"""Which of several statements about one field holds: the last, unless it was taken back or contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agentd.apps.letters.evidence.segments import Mood


class Claim(NamedTuple):
    """One statement about a field: whether it says the value in question, and what it does to earlier ones.

    `message` numbers the message it stands in. `replaces`: it names a value, so that another named before is no longer
    meant; a statement that only adds detail doesn't.
    """

    message: int
    mood: Mood
    supports: bool
    replaces: bool = True
    corrected: bool = False


def holds(claims: Iterable[Claim]) -> bool:
    """Whether the value stands after everything that was said, in order.

    Two different values in one message without a correction between them contradict each other: neither stands.
    """
    stands = False
    said_in: int | None = None
    other_in: int | None = None
    for claim in claims:
        if claim.mood is Mood.TAKEN_BACK:
            stands, other_in = False, None
        elif claim.mood is Mood.DENIED:
            stands = stands and not claim.supports
        elif claim.mood is Mood.SAID and claim.supports:
            stands = claim.corrected or other_in != claim.message
            said_in = claim.message
        elif claim.mood is Mood.SAID and claim.replaces:
            stands = False
            other_in = None if claim.corrected else claim.message
            if claim.corrected or said_in != claim.message:
                said_in = None
    return stands
