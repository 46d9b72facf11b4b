"""What is said of a birth: its date (or another date under its own label) and its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence import dates
from agentd.apps.letters.evidence.case import BIRTH, Case, claim, clear, values
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.segments import Mood, Segment
from agentd.apps.letters.evidence.settling import Claim
from agentd.apps.letters.languages import phrases

_PLACE_NOISE = phrases().place_noise
_PLACE_ENDS = phrases().place_ends
_EVENTS = phrases().events


def birth_or_date(field: Field, case: Case) -> Iterator[Claim]:
    """A date under its label; a birth date also in a list of data, alone or after a place."""
    wanted = dates.parse(str(field.value))
    birth = field.label == "tanggal_lahir"
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label in BIRTH if birth else segment.label == field.label
        if not labelled and segment.label is not None:
            continue
        found = segment.dates
        if not found:
            if labelled and segment.mood is Mood.TAKEN_BACK:
                yield claim(statement, supports=False)
            continue
        rest = [word for word in segment.words[: found[0][0]] + segment.words[found[0][1] :] if word[0].isalnum()]
        place = [word for word in rest if word not in _PLACE_NOISE]
        bare = len(place) <= 3 and not _EVENTS.intersection(rest) and all(word.isalpha() for word in rest)
        follows = birth and segment.follows in BIRTH
        expected = statement.asked & (BIRTH if birth else {field.label})
        in_list = birth and statement.listed and segment.follows not in ("x:tanggal",)
        corrected = segment.corrected and segment.follows in (BIRTH if birth else {field.label})
        if segment.label == field.label and not clear(segment.words[: found[0][0]]):
            continue
        if labelled or (bare and (follows or expected or in_list)) or corrected:
            yield from values(statement, [hit[2] for hit in found], wanted, labelled=labelled)


def place(field: Field, case: Case) -> Iterator[Claim]:
    wanted = tuple(word for word in fold(str(field.value)) if word not in ("kota", "kabupaten", "kab"))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label in ("lahir", "tempat_lahir")
        if not labelled and segment.label is not None:
            continue
        if labelled and segment.mood is Mood.TAKEN_BACK:
            yield claim(statement, supports=False)
            continue
        found = segment.dates
        if not labelled:
            follows = segment.follows in ("lahir", "tempat_lahir") and segment.corrected
            dated = bool(found) or bool(dates.dates(statement.next_words))
            answers = statement.answers == field.label or (
                statement.answers is None and bool(statement.asked & BIRTH) and dated
            )
            beside = statement.listed and not statement.first and dated and (bool(found) or not segment.follows)
            if not (follows or answers or beside):
                continue
        place = _place_in(segment, found)
        if place:
            yield claim(statement, supports=place == wanted, replaces=labelled or segment.corrected)


def place_and_date(field: Field, case: Case) -> Iterator[Claim]:
    """Place and date of birth in one field."""
    text = str(field.value)
    split = [word for word in text.replace(",", " , ").split() if word != ","]
    head = next((at for at in range(1, len(split)) if dates.parse(" ".join(split[at:]))), None)
    if head is None:
        return
    for statement in case.of(field.person):
        found = dates.dates([*statement.segment.words, ",", *statement.next_words])
        if statement.segment.label == "lahir" and found:
            place = _place_in(statement.segment, statement.segment.dates)
            same = place == fold(" ".join(split[:head])) and found[0][2] == dates.parse(" ".join(split[head:]))
            yield claim(statement, supports=same)


def _place_in(segment: Segment, found: Sequence[dates.Found]) -> tuple[str, ...]:
    dated = {at for start, end, _ in found for at in range(start, end)}
    kept: list[str] = []
    for at, word in enumerate(segment.words):
        if at in dated:
            if kept:
                break
            continue
        if word in _PLACE_ENDS and kept:
            break
        if word.isdecimal():
            break
        if word[0].isalpha() and word not in _PLACE_NOISE and word not in FILLERS:
            kept.append(word)
    return tuple(kept)
