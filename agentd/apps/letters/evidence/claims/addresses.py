"""What is said of addresses, and which of several an address is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from agentd.apps.letters.evidence import address as reading
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.segments import HOMES, NEIGHBOURHOOD, STREETS, Claim, Mood, Segment
from agentd.apps.letters.evidence.spans import clear
from agentd.apps.letters.languages import phrases

_HOUSEHOLD = phrases().household
_NUMBERS = frozenset({"no", "nomor", "nomer", "number"})
_HOMES = frozenset({"alamat", "alamat_domisili", "alamat_ktp"})
LONGEST = 400
"""Words of one message about one address; more is none."""
_SAME = phrases().same_as
_SAME_WITH = phrases().beside_same


def address(field: Field, case: Case) -> Iterator[Claim]:
    """An address: its segments of one message are one address; a later street replaces it, later detail adds to it."""
    wanted = reading.parse(str(field.value))
    accepted = _accepted(field, case)
    said: list[str] = []
    known = reading.NOTHING
    spoken_of: str | None = None
    for message, group in groupby(case.of(field.person), attrgetter("message")):
        parts: list[str] = []
        pieces: list[reading.Address] = []
        last: Statement | None = None
        corrected = False
        for statement in group:
            segment = statement.segment
            whole_yet = parts or said
            number = _house_number(statement, whole_yet) if spoken_of in accepted else None
            if number is not None:
                parts, said, corrected, last = _renumbered(whole_yet, number), [], True, statement
                pieces = [reading.read(parts)]
                yield from () if parts else [Claim(message, Mood.TAKEN_BACK, False)]
                continue
            spoken_of = segment.label or spoken_of
            if not _addressed(statement, field, accepted):
                continue
            if segment.mood is not Mood.SAID:
                if segment.mood is Mood.TAKEN_BACK or reading.supports(segment.address, wanted):
                    parts, said, pieces = [], [], []
                    yield Claim(message, segment.mood, True)
                continue
            if segment.corrected and parts and segment.address.street:
                parts, pieces = [], []
            corrected = corrected or segment.corrected
            parts += [*segment.words, ","]
            pieces.append(segment.address)
            last = statement
            if len(parts) > LONGEST:
                parts, said = [], []
                yield Claim(message, Mood.TAKEN_BACK, False)
                break
        if last is None or not parts:
            continue
        whole = reading.joined(pieces)
        alone = whole.street or not said
        said, known = (parts, whole) if alone else ([*said, *parts], reading.joined((known, whole)))
        supports = reading.supports(known, wanted)
        yield Claim(message, Mood.SAID, supports, replaces=whole.street, corrected=corrected)


def _house_number(statement: Statement, said: Sequence[str]) -> str | None:
    """The number of `eh, no 15 maksudnya` after an address was said: nothing of it but another house number."""
    segment = statement.segment
    if not said or not segment.corrected or segment.mood is not Mood.SAID:
        return None
    instead_of = [word for word in statement.previous_words if word.isdecimal()]
    kept = [word for word in segment.words if word[0].isalnum() and word not in ("rumah", "house")]
    named = len(kept) == 2 and kept[0] in _NUMBERS and kept[1].isdecimal() and len(kept[1]) <= 3
    return kept[1] if named and set(instead_of) <= set(said) else None


def _renumbered(said: Sequence[str], number: str) -> list[str]:
    """The address with another house number; nothing when it had none, for then it isn't clear what was meant."""
    at = next(
        (at for at in range(1, len(said)) if said[at].isdecimal() and _NUMBERS & set(said[max(0, at - 2) : at])), None
    )
    return [] if at is None else [*said[:at], number, *said[at + 1 :]]


def _accepted(field: Field, case: Case) -> frozenset[str]:
    label = field.label
    if label == "alamat_domisili":
        accepted = {label, "alamat"}
    elif label == "alamat":
        accepted = {label, "alamat_domisili"}
    elif label == "alamat_ktp" and not case.labels & {"alamat", "alamat_domisili"}:
        accepted = {label, "alamat"}
    else:
        accepted = {label}
    if any(_says_same(statement, label) for statement in case.of(field.person)):
        accepted |= _HOMES
    if label == "alamat" and not any(s.segment.label in accepted for s in case.of(field.person)):
        accepted |= {"alamat_ktp"}
    return frozenset(accepted)


def _says_same(statement: Statement, label: str) -> bool:
    """`alamat domisili sama dengan KTP`, or `sama` when just this was asked."""
    segment = statement.segment
    about = segment.label in (_HOMES if label in _HOMES else (label,)) or label in statement.asked
    if segment.mood is not Mood.SAID or not about or _SAME.isdisjoint(segment.words):
        return False
    return all(word in _SAME or word in _SAME_WITH for word in segment.words if word[0].isalnum())


def _addressed(statement: Statement, field: Field, accepted: frozenset[str]) -> bool:
    segment = statement.segment
    if segment.label in accepted:
        return segment.implied or _no_other_owner(segment)
    if segment.label in NEIGHBOURHOOD and segment.follows in (None, *accepted):
        return field.label not in ("alamat_usaha", "alamat_ktp")
    if segment.label is not None:
        return False
    if statement.answers is not None:
        return statement.answers in accepted
    return segment.follows in accepted and not segment.dates and not segment.runs


def _no_other_owner(segment: Segment) -> bool:
    """Between the label and the street stands nobody in small letters (as in `alamat ahli waris Jl. …`)."""
    words = segment.words
    street = next((at for at, word in enumerate(words) if word in STREETS), 0)
    return all(
        word in HOMES or word in _HOUSEHOLD or raw[0].isupper() or clear([word])
        for word, raw in zip(words[:street], segment.raws, strict=False)
    )
