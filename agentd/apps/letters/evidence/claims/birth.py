"""What is said of a birth: its date and its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence import dates
from agentd.apps.letters.evidence.case import BIRTH, Case, claim, clear, values
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.segments import Segment
from agentd.apps.letters.evidence.settling import Claim
from agentd.apps.letters.languages import phrases

_PLACE_NOISE = phrases().place_noise
_PLACE_ENDS = phrases().place_ends
_EVENTS = phrases().events


def birth_date(field: Field, case: Case) -> Iterator[Claim]:
    """A date under its label; alone or after a place also in a list of data and where a birth was asked for."""
    wanted = dates.parse(str(field.value))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled, found = segment.label in BIRTH, segment.dates
        if not found or (not labelled and segment.label is not None):
            continue
        rest = [word for word in segment.words[: found[0][0]] + segment.words[found[0][1] :] if word[0].isalnum()]
        place = [word for word in rest if word not in _PLACE_NOISE]
        bare = len(place) <= 3 and not _EVENTS.intersection(rest)
        if segment.label == field.label and not clear(segment.words[: found[0][0]]):
            continue
        if labelled or (bare and (segment.follows in BIRTH or statement.asked & BIRTH or statement.listed)):
            yield from values(statement, [hit[2] for hit in found], wanted, labelled=labelled)


def place(field: Field, case: Case) -> Iterator[Claim]:
    wanted = tuple(word for word in fold(str(field.value)) if word not in ("kota", "kabupaten", "kab"))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label in ("lahir", "tempat_lahir")
        if not labelled and segment.label is not None:
            continue
        found = segment.dates
        if not labelled:
            dated = bool(found) or bool(dates.dates(statement.next_words))
            answers = statement.answers == field.label or (
                statement.answers is None and bool(statement.asked & BIRTH) and dated
            )
            if not (answers or (statement.listed and not statement.first and dated)):
                continue
        place = _place_in(segment, found)
        if place:
            yield claim(statement, supports=place == wanted, replaces=labelled)


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
        if word[0].isalpha() and word not in _PLACE_NOISE and word not in FILLERS:
            kept.append(word)
    return tuple(kept)
