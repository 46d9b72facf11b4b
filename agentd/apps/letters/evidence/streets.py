"""Whether a street without a label is the citizen's home, or of unknown owner."""

from __future__ import annotations

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.lexicon import SELF
from agentd.apps.letters.evidence.lines import Line
from agentd.apps.letters.evidence.segments import HOMES, SEPARATORS
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_NEAR = 8
"""The most words between the word for the card and the street on it."""


def whose(line: Line, at: int, home: str, *, business: bool) -> str:
    """The label of a street: `kantor saya di Jl. …` isn't the home, `rumah saya di Jl. …` is.

    `home`: the label of the citizen's home; `business`: a business was mentioned last.
    """
    words, clause = line.words, line.sentence.clause(at)
    opened = clause.start + (words[clause.start] in SEPARATORS)
    before = [word for word in words[max(opened, at - 5) : at] if word not in _PACK.lies]
    owned = len(before) > 1 and (before[-1] in SELF or before[-1] in _PACK.clitics) and before[-2].isalpha()
    theirs = SELF.isdisjoint(before) and (not _PACK.sites.isdisjoint(before) or (not before and opened < at))
    if words[at] in _PACK.premises:
        return "alamat_usaha"
    if (business and theirs) or _on_the_card(line, at):
        return "x:alamat"
    return home if not owned or before[-2] in HOMES or before[-2] in FILLERS else "x:alamat"


def _on_the_card(line: Line, at: int) -> bool:
    """Whether a street is what the KTP says rather than a home: `KTP saya masih Bekasi, Jl. Anggrek No. 2`."""
    card = max((before for before in range(max(0, at - _NEAR), at) if line.words[before] == "ktp"), default=at)
    between = range(card + 1, at)
    named = any(line.words[near] in _PACK.still or line.raws[near][0].isupper() for near in between)
    return named and not any(line.words[near].isdecimal() for near in between)
