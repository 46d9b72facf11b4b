"""The data types for the pieces of a message: words under one label, of one person, in one mood."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from agentd.apps.letters.languages import phrases

ADDRESSES = frozenset({"alamat", "alamat_domisili", "alamat_ktp", "alamat_usaha", "x:alamat"})
NEIGHBOURHOOD = frozenset({"rt", "rw", "rtrw"})
SEPARATORS = frozenset({",", ";", "(", ")", "|", "⁂", "•", "\t"})
"""Characters that end a clause."""
STREETS = phrases().streets
HOMES = phrases().homes
"""Words for the citizen's home: in `rumah saya di …` the address is the citizen's, in `kantor saya di …` it isn't."""


class Mood(Enum):
    """How the words of a segment are meant."""

    SAID = "asserted"
    DENIED = "denied, past or planned"
    TAKEN_BACK = "said to be wrong"
    OPEN = "asked, supposed, an example, a report or a doubt"


class Claim(NamedTuple):
    """One statement about a field: whether it gives the value in question, and what it does to earlier statements.

    `message` is the message's order. `replaces`: it names a value, so that an earlier one no longer counts; False if it
    only adds detail.
    """

    message: int
    mood: Mood
    supports: bool
    replaces: bool = True
    corrected: bool = False
