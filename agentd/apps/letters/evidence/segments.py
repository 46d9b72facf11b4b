"""The pieces a message is read into: some words under one label, of one person, in one mood. Shapes only."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from agentd.apps.letters.languages import phrases

ADDRESSES = frozenset({"alamat", "alamat_domisili", "alamat_ktp", "alamat_usaha", "x:alamat"})
NEIGHBOURHOOD = frozenset({"rt", "rw", "rtrw"})
SEPARATORS = frozenset({",", ";", "(", ")", "|", "⁂", "•", "\t"})
"""What ends a clause."""
STREETS = phrases().streets
HOMES = phrases().homes
"""Where a citizen may live: `rumah saya di …` is about the citizen, `kantor saya di …` is not."""


class Mood(Enum):
    """How the words of a segment were meant."""

    SAID = "asserted"
    DENIED = "denied, past or planned"
    TAKEN_BACK = "said to be wrong"
    OPEN = "asked, supposed, an example, a report or a doubt"


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
