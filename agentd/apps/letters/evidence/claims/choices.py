"""What is said of religion, marital status, sex and every other field of fixed choices."""

from __future__ import annotations

from collections.abc import Iterator

from agentd.agent.text import fold
from agentd.apps.letters.evidence import choices
from agentd.apps.letters.evidence.case import Case, clear, values
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.settling import Claim

_CHOICES = frozenset({"agama", "status_perkawinan", "jenis_kelamin", "kewarganegaraan"})


def choice(field: Field, case: Case) -> Iterator[Claim]:
    """A choice under its label or as the whole of what a clause says (`saya muslim`)."""
    wanted = choices.canonical(str(field.value), field.enum)
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label or (segment.corrected and segment.follows == field.label)
        only = statement.asked == {field.label}
        if not labelled and segment.label is not None and segment.label not in _CHOICES:
            continue
        found = choices.chosen(segment.words, field.enum, bare=not (labelled or (only and len(segment.words) <= 2)))
        if labelled and not clear(choices.before(segment.words, field.enum)):
            continue
        yield from values(statement, [value for value in found if value is not None], wanted, labelled=labelled)


def between(field: Field, case: Case) -> tuple[str, ...]:
    """The choices that the citizen's last words on the field only begin: `status cerai` says not which."""
    for statement in reversed(case.of(field.person)):
        segment = statement.segment
        found = choices.begun(segment.words, field.enum) if segment.label in (None, field.label) else ()
        if found:
            return found
    return ()


def sex(field: Field) -> str | None:
    meant = choices.meanings(fold(str(field.value)))
    if meant & choices.meanings(("perempuan",)):
        return "p"
    return "l" if meant & choices.meanings(("pria",)) else None
