"""Whose a person is, who is named at all, and who is in which role: `my friend's mother`, `almarhum ayah saya`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.lexicon import SALUTATIONS, SELF, Cue, Mark
from agentd.apps.letters.languages import phrases

_APPLICANTS = phrases().applicants
_TOWARD = phrases().toward
_FATES = phrases().fates
DECEASED = "almarhum"
ROLES = frozenset({DECEASED})
SOMEBODY = "?"
"""Somebody who is not named by a relation; the word for them may follow."""
OF_ANOTHER = " of another"
"""Marks somebody of somebody else: `my friend's mother`, `ibu teman saya`. No field is about them."""


def of_another(whose: str | None) -> bool:
    """Whether somebody is somebody else's."""
    return whose is not None and whose.endswith(OF_ANOTHER)


def others(marks: Sequence[Mark], words: Sequence[str], spoken_of: str | None) -> dict[int, str]:
    """Where somebody owns what follows who is no relation: `her NIK`, `the officer's name`."""
    labels = {mark.start for mark in marks if mark.cue is Cue.LABEL}
    known = {mark.end for mark in marks if mark.cue is Cue.RELATION}
    pronouns = (
        mark
        for mark in marks
        if mark.cue is Cue.PRONOUN and words[mark.start] != "nya" and labels & {mark.end, mark.end + 1}
    )
    found = {mark.start: spoken_of or SOMEBODY for mark in pronouns}
    for at in range(1, len(words) - 2):
        chained = words[max(0, at - 3) : at - 1] == ["'", "s"]
        if words[at : at + 2] == ["'", "s"] and not chained and at not in known and labels & {at + 2, at + 3}:
            found[at] = f"{SOMEBODY}{words[at - 1]}"
    return found


def possessed(named: Mapping[int, Mark], at: int, words: Sequence[str]) -> bool:
    """Whether the person is another person's: `friend's mother`, `ibu teman saya`."""
    mark = named[at]
    before = next((one for one in named.values() if 0 < at - one.end <= 2), None)
    if before is not None and "'" in words[before.end : at] and not {before.value, mark.value} & ROLES:
        return before.value not in _APPLICANTS
    after = named.get(mark.end)
    if after is None or SELF.isdisjoint(words[after.end : after.end + 1]):
        return False
    return after.value in persons.OUTSIDERS and mark.value not in ROLES | persons.OUTSIDERS


def names(mark: Mark, words: Sequence[str]) -> bool:
    """Whether a relation owns what is said, rather than being addressed or being the one it is for."""
    at = mark.start - 1
    while at >= 0 and words[at] in ("my", "the", "a", "our"):
        at -= 1
    if at >= 0 and words[at] in _TOWARD:
        return False
    alone = words[mark.start : mark.end] and words[mark.start] in SALUTATIONS
    return persons.strong(mark, words, opens=not alone, form=False, agent=False)


def aliases(words: Sequence[str], marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """`almarhum ayah saya`, `ayah saya sudah meninggal`: who is in a role."""
    found: list[tuple[str, str]] = []
    relations = [mark for mark in marks if mark.cue is Cue.RELATION]
    for before, after in pairwise(relations):
        if after.start - before.end <= 1 and {before.value, after.value} & ROLES:
            role, other = (before.value, after.value) if before.value in ROLES else (after.value, before.value)
            found.append((other, role))
    past = any(mark.cue is Cue.ELSEWHEN for mark in marks)
    for mark in () if past else relations:
        near = words[mark.end : mark.end + 4]
        if _FATES.intersection(near) and mark.value not in ROLES:
            found.append((mark.value, DECEASED))
    return found
