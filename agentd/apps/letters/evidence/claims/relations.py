"""Claims about a relation field (`hubungan`): the citizen must have mentioned that relation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from agentd.agent.text import fold
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.claims.parts import people
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.reading.lexicon import SELF, Cue, person
from agentd.apps.letters.evidence.reading.persons import CITIZEN, EITHER_WAY, KIN, MY
from agentd.apps.letters.evidence.reading.segments import Claim, Mood


def relation(field: Field, case: Case) -> Iterator[Claim]:
    """Claims about a relation, not tied to one message (order -1).

    What the citizen is to somebody (`hubungan pelapor`) differs from what that person is to the citizen (`suami saya`).
    """
    relation = person(fold(str(field.value)))
    if relation is None or relation not in people(case):
        return
    if field.person != CITIZEN or relation not in KIN - EITHER_WAY or any(_called(relation, case)):
        yield Claim(-1, Mood.SAID, True, replaces=False)


def _called(relation: str, case: Case) -> Iterator[bool]:
    """For each mention of the relation, whether it isn't the citizen's own relative (`saya istrinya`, `anak`)."""
    for turn in case.turns:
        for sentence, *_ in turn.sentences():
            words = sentence.words
            for mark in sentence.marks:
                if mark.cue is Cue.RELATION and mark.value == relation:
                    owners = takewhile(str.isalpha, words[mark.end : mark.end + 2])
                    yield MY.isdisjoint(words[mark.start - 1 : mark.start]) and SELF.isdisjoint(owners)
