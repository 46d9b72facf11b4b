"""What is said of NIK, KK, telephone and amounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.apps.letters.evidence import digits
from agentd.apps.letters.evidence import numbers as reading
from agentd.apps.letters.evidence.case import Case, bound, clear, values
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.settling import Claim


def identity(field: Field, case: Case) -> Iterator[Claim]:
    """NIK and KK. Sixteen digits without a label are a NIK, unless the agent asked for the KK."""
    wanted = digits.sixteen(str(field.value))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label
        of_kk = statement.asked & {"nik", "kk"} == {"kk"}
        if labelled and not clear(_before(segment.words)):
            continue
        if labelled or (segment.label in (None, "nama") and of_kk == (field.kind == "kk")):
            found = [run for run in segment.runs if len(run) == 16]
            yield from values(statement, found, wanted, labelled=labelled)


def _before(words: Sequence[str]) -> Sequence[str]:
    """What stands before the first digit."""
    return words[: next((at for at, word in enumerate(words) if word.isdecimal() or word in reading.SPOKEN), 0)]


def phone(field: Field, case: Case) -> Iterator[Claim]:
    wanted = digits.phone(str(field.value))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label
        if clear(_before(segment.words)) if labelled else segment.label is None and _alone(statement):
            found = [digits.phone(run) for run in segment.runs if len(run) < 16]
            yield from values(statement, found, wanted, labelled=labelled)


def _alone(statement: Statement) -> bool:
    """Whether nothing but the citizen is named beside a number without a label: `klinik 021…` is the clinic's."""
    return statement.segment.own or bool(statement.asked) or clear(statement.segment.words)


def number(field: Field, case: Case) -> Iterator[Claim]:
    wanted = reading.value(str(field.value))
    for statement in case.of(field.person):
        if bound(statement, field) and clear(_before(statement.segment.words)):
            found = reading.amounts(statement.segment.words)
            yield from values(statement, found, wanted, labelled=statement.segment.label == field.label)
