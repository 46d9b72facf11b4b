"""Whose a street is that no name of a field stands before: the citizen's, a business's, the KTP's, nobody's known."""

from __future__ import annotations

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.lexicon import SELF
from agentd.apps.letters.evidence.lines import Line
from agentd.apps.letters.evidence.segments import HOMES, SEPARATORS
from agentd.apps.letters.languages import phrases

_BUSINESS = phrases().business
_SITES = phrases().sites
_PREMISES = phrases().premises
_LIES = phrases().lies
_STILL = phrases().still
_CLITICS = phrases().clitics
_NEAR = 8
"""Words between the word for the card and the street that it says."""


def whose(line: Line, at: int, home: str, *, business: bool, still: bool) -> str:
    """The name that a street stands under: `kantor saya di Jl. …` is the office's, `rumah saya di Jl. …` the citizen's.

    `home`: the citizen's; `business`: one was spoken of last, and `still`: what was said before is so now.
    """
    words = line.words
    if words[at] in _PREMISES:
        return "alamat_usaha"
    if _on_the_card(line, at):
        return "alamat_ktp"
    clause = line.sentence.clause(at)
    opened = clause.start + (words[clause.start] in SEPARATORS)
    before = [word for word in words[max(opened, at - 5) : at] if word not in _LIES]
    owned = len(before) > 1 and (before[-1] in SELF or before[-1] in _CLITICS) and before[-2].isalpha()
    if owned and _BUSINESS.intersection(before):
        return "alamat_usaha"
    if business and SELF.isdisjoint(before):
        if _SITES.intersection(before):
            return "alamat_usaha" if still else "x:alamat"
        if not before and opened < at:
            return "x:alamat"
    return home if not owned or before[-2] in HOMES or before[-2] in FILLERS else "x:alamat"


def _on_the_card(line: Line, at: int) -> bool:
    """`KTP saya masih Bekasi, Jl. Anggrek No. 2`: where the KTP says, not where anybody lives."""
    card = max((before for before in range(max(0, at - _NEAR), at) if line.words[before] == "ktp"), default=at)
    between = range(card + 1, at)
    named = any(line.words[near] in _STILL or line.raws[near][0].isupper() for near in between)
    return named and not any(line.words[near].isdecimal() for near in between)
