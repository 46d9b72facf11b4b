"""Whose a street without a label is: the citizen's, a business's, the one on the KTP, or of unknown owner."""

from __future__ import annotations

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.lines import Line
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SELF
from agentd.apps.letters.evidence.reading.persons import MY
from agentd.apps.letters.evidence.reading.segments import HOMES, SEPARATORS
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_PLACING = _PACK.lies | _PACK.toward
BUSINESS = _PACK.business.union(f"{word}{end}" for word in _PACK.business for end in _PACK.clitics)
_THINGS = BUSINESS | (HOMES - _PACK.sites)
_NEAR = 8
"""The most words between the word for the card and the street on it."""


def whose(line: Line, at: int, home: str, *, business: bool, still: bool) -> str:
    """The label of a street: `kantor saya di Jl. …` is the office's, `rumah saya di Jl. …` the citizen's.

    `home`: the label of the home; `business`: a business was mentioned last; `still`: what was said before holds now.
    """
    words = line.words
    if words[at] in _PACK.premises:
        return "alamat_usaha"
    if _on_the_card(line, at):
        return "alamat_ktp"
    clause = line.sentence.clause(at)
    opened = clause.start + (words[clause.start] in SEPARATORS)
    before = [word for word in words[max(opened, at - 5) : at] if word not in _PACK.lies]
    owned = len(before) > 1 and (before[-1] in SELF or before[-1] in _PACK.clitics) and before[-2].isalpha()
    thing = next((near for near in range(at - 1, opened - 1, -1) if words[near] in _THINGS), at)
    sells = words[thing] in BUSINESS
    if sells and (owned or not MY.isdisjoint(words[opened:thing])):
        return "alamat_usaha"
    if business and SELF.isdisjoint(before):
        if not _PACK.sites.isdisjoint(words[opened:at]):
            return "alamat_usaha" if still else "x:alamat"
        said = next((near for near in range(at, 0, -1) if words[near] in BUSINESS), at)
        if not before and not _PACK.lies.isdisjoint(words[said:at]):
            return "x:alamat"  # `lapak saya di Pasar Senen, Jl. …`
    if sells or _something_happens(line, opened, at):
        return "x:alamat"
    return home if not owned or before[-2] in HOMES or before[-2] in FILLERS else "x:alamat"


def _something_happens(line: Line, opened: int, at: int) -> bool:
    """Whether something other than living is done there: `dompet saya hilang di Jl. …`, `saya mau ke Jl. …`."""
    words = line.words
    if at == opened or words[at - 1] not in _PLACING:
        return False
    silent = _PLACING | _PACK.clitics
    head = next(
        (near for near in range(at - 1, opened - 1, -1) if words[near][0].isalnum() and words[near] not in silent), at
    )
    lives = words[head] in SELF | HOMES | FILLERS | RELATING or words[head].isdecimal() or line.raws[head][0].isupper()
    return head < at and not lives


def _on_the_card(line: Line, at: int) -> bool:
    """Whether a street is what the KTP says rather than a home: `KTP saya masih Bekasi, Jl. Anggrek No. 2`."""
    card = max((before for before in range(max(0, at - _NEAR), at) if line.words[before] == "ktp"), default=at)
    between = range(card + 1, at)
    named = any(line.words[near] in _PACK.still or line.raws[near][0].isupper() for near in between)
    return named and not any(line.words[near].isdecimal() for near in between)
