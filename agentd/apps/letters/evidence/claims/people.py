"""What is said of names, and of how somebody stands to the applicant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import fold
from agentd.apps.letters.evidence import names
from agentd.apps.letters.evidence.case import Case, claim
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import person
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.settling import Claim


def name(field: Field, case: Case) -> Iterator[Claim]:
    """A name under its label, after `saya`, as the answer to the question for it, or first in a list with a NIK."""
    wanted = names.key(str(field.value))
    held: set[str] = set()
    """Every name that counted so far, its words joined: two spellings of one are the same (`names.same`)."""
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label
        free = segment.label is None
        before = names.leading(statement.previous_words) if segment.corrected else []
        instead = any("".join(old) in held for old in before)
        corrected = free and segment.corrected and (segment.follows == field.label or instead)
        purpose = segment.label == "keperluan" and statement.next_nik and field.label == "nama"
        if not (labelled or free or purpose):
            continue
        answers = statement.answers == field.label
        named = field.person not in (None, CITIZEN) and field.label == "nama"
        listed = statement.listed or (statement.next_nik and names.alone(segment.raws))
        by_itself = field.label == "nama" and (segment.intro or (statement.first and listed) or purpose or named)
        if not (labelled or answers or corrected or by_itself):
            continue
        found = names.leading(_after_colon(segment.raws) if purpose else segment.raws)
        if not labelled:
            found = [name for name in found if names.plausible(name)]
        if not found:
            continue
        held |= {"".join(name) for name in found}
        supports = any(names.same(name, wanted) for name in found)
        clear = labelled or corrected or answers
        yield claim(statement, supports=supports, replaces=clear and not names.within(found[-1], wanted))


def _after_colon(raws: Sequence[str]) -> Sequence[str]:
    """`untuk mengurus BPJS: Agus Setiawan, NIK …`: the list of data begins after the colon."""
    return raws[raws.index(":") + 1 :] if ":" in raws else raws


def relation(field: Field, case: Case) -> Iterator[Claim]:
    """How somebody else stands to the applicant (`anak`): that relation must have been spoken of."""
    relation = person(fold(str(field.value)))
    if relation is not None and relation in case.talk.people:
        yield Claim(-1, Mood.SAID, True, replaces=False)  # no one message says it
