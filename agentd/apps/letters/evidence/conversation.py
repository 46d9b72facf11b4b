"""A session's words as evidence: each message of the citizen, read in order, with what the agent had just asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from agentd.agent.aside import spend
from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.clauses import read
from agentd.apps.letters.evidence.dates import month
from agentd.apps.letters.evidence.heard import Heard, heard
from agentd.apps.letters.evidence.lexicon import Lexicon
from agentd.apps.letters.evidence.pasted import typed
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.readings import Readings
from agentd.apps.letters.evidence.segments import ADDRESSES, Claim, Mood, Segment
from agentd.apps.letters.evidence.shapes import ANYBODY
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

_TYPED = frozenset(
    "nik kk rt rw rtrw telepon tanggal_lahir lahir agama status_perkawinan jenis_kelamin kewarganegaraan penghasilan "
    "umur pendidikan golongan_darah email".split()
)
_GREETINGS = phrases().greetings
_OF_BUSINESS = frozenset({"nama_usaha", "jenis_usaha", "alamat_usaha"})


Asks = Callable[[str], Sequence[tuple[str, str | None]]]


class Statement(NamedTuple):
    """One segment in its message. `answers`: the free-text field it answers; `listed`: it stands in a list of data."""

    segment: Segment
    asked: frozenset[str]
    answers: str | None
    listed: bool
    next_nik: bool
    previous_words: tuple[str, ...]
    message: int = 0
    """The order of its message in the session."""

    def claim(self, *, supports: bool, replaces: bool = True) -> Claim:
        """What it says of a field."""
        return Claim(self.message, self.segment.mood, supports, replaces, self.segment.corrected)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the citizen said. `subject` is whom the letter is for, `since` the message that said so."""

    statements: tuple[Statement, ...]
    forms: tuple[tuple[int, dict[str, Any]], ...]
    """Answers given as a JSON object, each with the order of its message: what an officer typed into a form."""
    subject: str
    since: int
    people: frozenset[str]
    """Whom the citizen spoke of, by relation."""

    @property
    def meant(self) -> Iterator[Statement]:
        """The statements that leave nothing open."""
        return (each for each in self.statements if each.segment.mood is not Mood.OPEN)

    def of(self, person: str | None) -> tuple[Statement, ...]:
        """Those that speak of a person."""
        return tuple(each for each in self.meant if self._about(each.segment, each.message, person))

    def _about(self, segment: Segment, message: int, person: str | None) -> bool:
        """Whether a segment speaks of the field's person: a named relation, or else whom the letter is for."""
        if person == ANYBODY:
            return segment.person not in (None, CITIZEN)
        wanted = person or self.subject
        if wanted == CITIZEN:
            return segment.person in (None, CITIZEN)
        if person is not None:
            return segment.person == wanted
        return segment.person == wanted or (segment.person is None and message >= self.since)


def conversation(
    said: Sequence[Said], lexicon: Lexicon, readings: Readings, asks: Asks, *, for_others: bool = False
) -> Conversation:
    """Read the whole session. Only what the citizen said becomes a statement; a tool's words and the agent's do not.

    `asks`: (label, person) of what a question asks for. `readings` keep what was read of this session before.
    `for_others`: the letter itself tells its applicant from whom it serves, so that `untuk anak saya` names the latter.
    """
    people: set[str] = set()
    statements: list[Statement] = []
    forms: list[tuple[int, dict[str, Any]]] = []
    subject, since = CITIZEN, 0
    question = ""
    other: str | None = None
    spoken_of: str | None = None
    for entry in sorted(said, key=lambda entry: entry.order):
        if entry.by == "agent":
            question = entry.text
        elif entry.by == "citizen":
            values = typed(entry.text)
            if values is not None:
                forms.append((entry.order, values))
                continue
            asked = asks(question) if question else ()
            about = {person for _, person in asked}
            start = other if not asked else next(iter(about)) if len(about) == 1 else None
            labels = tuple(label for label, _ in asked)
            key = (entry.text, lexicon, start, labels, None if asked else spoken_of)
            message, places, speaking, last = readings.remember(key, partial(_read, *key, readings))
            spoken_of = last or spoken_of
            people |= speaking.people
            if message.subject is not None and not for_others:
                subject, since = message.subject, entry.order
            statements += [place._replace(message=entry.order) for place in places]
            other = speaking.person if (not asked or start is None) and speaking.person != CITIZEN else None
            question = ""
    return Conversation(tuple(statements), tuple(forms), subject, since, frozenset(people))


def _read(
    text: str, lexicon: Lexicon, person: str | None, asked: tuple[str, ...], before: str | None, readings: Readings
) -> tuple[Heard, list[Statement], persons.Speaking, str | None]:
    """(the message, its statements, of whom it speaks at its end, the field that it names last)."""
    spend()
    message = heard(text, lexicon, readings)
    segments, speaking = read(message, person=person, of_business=before in _OF_BUSINESS)
    for segment in segments:
        unsaid = segment.label is None and segment.follows is None
        if segment.restated and unsaid and not persons.names_a_letter(segment.words):
            segment.follows = before
    last = next((segment.label for segment in reversed(segments) if segment.label is not None), None)
    return message, _placed(segments, asked), speaking, last


def _placed(segments: Sequence[Segment], asked: tuple[str, ...]) -> list[Statement]:
    wanted = frozenset(asked)
    addresses = [label for label in asked if label in ADDRESSES]
    answering = False  # a street without a label is the address that was asked for, and the RT behind it
    for segment in (each for each in segments if each.label == "alamat") if len(addresses) == 1 else ():
        answering = segment.implied or segment.turned or (answering and segment.follows == "alamat")
        segment.label = addresses[0] if answering else "alamat"
    said = [segment for segment in segments if segment.mood is Mood.SAID]
    clauses = {segment.clause for segment in said}
    niks = [_sixteen(segment) for segment in segments]
    listed = len(clauses) >= 3 and any(niks)
    answers = _answers(said, asked)
    placed: list[Statement] = []
    for index, segment in enumerate(segments):
        before = segments[index - 1] if index else None
        placed.append(
            Statement(
                segment,
                wanted,
                answers.get(id(segment)),
                listed or niks[index],
                index + 1 < len(segments) and niks[index + 1] and segments[index + 1].label in (None, "nik"),
                tuple(before.words)
                if before is not None and before.label is None and before.sentence == segment.sentence
                else (),
            )
        )
    return placed


def _answers(said: Sequence[Segment], asked: tuple[str, ...]) -> dict[int, str]:
    """Which unlabelled segment answers which free-text question: all of them one question, or one each in order."""
    told = {segment.label for segment in said if not segment.implied and segment.follows != segment.label}
    free = [label for label in asked if label not in _TYPED and label not in told]
    bare = [segment for segment in said if segment.label is None or segment.implied]
    if len(asked) == 1 and free:
        return {
            id(segment): free[0]
            for segment in bare
            if not all(word in FILLERS or not word[0].isalnum() for word in segment.words)
        }
    small = [
        s for s in bare if s.words and all(word.isdecimal() and len(word) <= 3 for word in s.words if word[0].isalnum())
    ]
    small_asked = ["rt", "rw"] if "rtrw" in asked else [label for label in asked if label in ("rt", "rw")]
    numbers = dict(zip(map(id, small), small_asked, strict=True)) if len(small) == len(small_asked) == 2 else {}
    if any(s.dates and any(word.isalpha() and month(word) is None for word in s.words) for s in bare):
        free = [label for label in free if label != "tempat_lahir"]
    texts = [
        s
        for s in bare
        if not (_sixteen(s) or s.dates) and any(word.isalpha() and word not in _GREETINGS for word in s.words)
    ]
    if free and len(texts) == len(free):
        pairs = list(zip(texts, free, strict=True))
        if all((label in ADDRESSES) == segment.implied or not segment.implied for segment, label in pairs):
            return numbers | {id(segment): label for segment, label in pairs}
    return numbers


def _sixteen(segment: Segment) -> bool:
    return any(len(run) == 16 for run in segment.runs)
