"""What is said of a field under its label, or where its kind and the question settle it: a reader for each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from agentd.agent.text import fold
from agentd.apps.letters.evidence import choices, neighbourhood
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import SELF, Cue, person
from agentd.apps.letters.evidence.persons import CITIZEN, EITHER_WAY, KIN
from agentd.apps.letters.evidence.segments import ADDRESSES, NEIGHBOURHOOD, Claim, Mood


def rt_or_rw(field: Field, case: Case) -> Iterator[Claim]:
    """A neighbourhood number, in an address or by itself; that of the KTP's or a business address is another."""
    wanted = neighbourhood.value(str(field.value))
    place = next((label for label in ("ktp", "usaha") if label in f"{field.path} {field.title}".casefold()), None)
    for statement in case.of(field.person):
        found = _neighbourhood(statement, field.kind, place, case)
        if not found and statement.segment.label in NEIGHBOURHOOD and statement.segment.mood is Mood.TAKEN_BACK:
            yield statement.claim(supports=False)
        yield from (statement.claim(supports=wanted is not None and value == wanted) for value in found)


def _neighbourhood(statement: Statement, kind: str, place: str | None, case: Case) -> Sequence[int]:
    segment = statement.segment
    if statement.asked and all(asked.startswith("field:") for asked in statement.asked):
        return []  # `lapangan RW 3` answers where the event is
    label = segment.label or (segment.follows if segment.corrected else None)
    address_of = label if label in ADDRESSES else segment.follows if segment.follows in ADDRESSES else None
    if place is not None:
        if address_of not in (None, f"alamat_{place}"):
            return []
    elif address_of in ("alamat_usaha", "x:alamat") or (
        address_of == "alamat_ktp" and "alamat_domisili" in case.labels
    ):
        return []
    named = "rt" in segment.words or "rw" in segment.words
    if named and (label in ADDRESSES or label in (None, *NEIGHBOURHOOD)):
        said = segment.address
        value = said.rt if kind == "rt" else said.rw
        if value is not None:
            return [value]
    if statement.answers in ("rt", "rw"):
        return neighbourhood.numbers(segment.words) if statement.answers == kind else []
    wanted = frozenset({label}) if label is not None else statement.asked
    both = "rtrw" in wanted or {"rt", "rw"} <= wanted
    if named or not (both or kind in wanted):
        return []
    found = neighbourhood.numbers(segment.words)
    return found if not both else [found[kind == "rw"]] if len(found) == 2 else []


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


def relation(field: Field, case: Case) -> Iterator[Claim]:
    """How somebody stands to somebody else: that relation must have been spoken of.

    What the citizen is to somebody (`hubungan pelapor`) is not what that one is to the citizen (`suami saya`).
    """
    relation = person(fold(str(field.value)))
    if relation is None or relation not in case.talk.people:
        return
    if field.person != CITIZEN or relation not in KIN - EITHER_WAY or any(_called(relation, case)):
        yield Claim(-1, Mood.SAID, True, replaces=False)  # no one message says it


def _called(relation: str, case: Case) -> Iterator[bool]:
    """Of each mention of the relation, whether it is of anybody but the citizen's own (`saya istrinya`, `anak`)."""
    for turn in case.turns:
        for sentence, *_ in turn.sentences():
            words = sentence.words
            for mark in sentence.marks:
                if mark.cue is Cue.RELATION and mark.value == relation:
                    owners = takewhile(str.isalpha, words[mark.end : mark.end + 2])
                    yield words[mark.start - 1 : mark.start] != ["my"] and SELF.isdisjoint(owners)
