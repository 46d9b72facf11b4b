"""The pieces a message is read into: some words under one label, of one person, in one mood. Shapes only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from agentd.apps.letters.evidence.address import Address
from agentd.apps.letters.evidence.address import read as address
from agentd.apps.letters.evidence.dates import Found, dates
from agentd.apps.letters.evidence.digits import runs
from agentd.apps.letters.languages import phrases

ADDRESSES = frozenset({"alamat", "alamat_domisili", "alamat_ktp", "alamat_usaha", "x:alamat"})
BIRTH = frozenset({"lahir", "tanggal_lahir", "tempat_lahir"})
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


@dataclass
class Segment:
    """Some words of one message under one label. `label` None: none; `follows`: the label before a comma."""

    label: str | None
    person: str | None
    mood: Mood
    sentence: int
    clause: int
    follows: str | None = None
    form: bool = False
    corrected: bool = False
    restated: bool = False
    implied: bool = False
    own: bool = False
    turned: bool = False
    words: list[str] = field(default_factory=list)
    raws: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    tail: Sequence[str] = ()
    at: int = 0

    @property
    def empty(self) -> bool:
        """Nothing but marks."""
        return not any(word[0].isalnum() for word in self.words)

    @cached_property
    def runs(self) -> list[str]:
        """The long numbers in it."""
        return [digits for _, _, digits in runs(self.words, 8)]

    @cached_property
    def dates(self) -> list[Found]:
        """The dates in it."""
        return dates(self.words)

    @cached_property
    def address(self) -> Address:
        """All of it as an address."""
        return address(self.words)


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
