"""A sentence with where its names of persons and of fields begin and end, looked for once. It says nobody's name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import names, persons
from agentd.apps.letters.evidence.case import CLAUSE, Case
from agentd.apps.letters.evidence.choices import is_choice
from agentd.apps.letters.evidence.digits import runs
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.identity import RIGHTS
from agentd.apps.letters.evidence.lexicon import SELF, Cue, Mark
from agentd.apps.letters.evidence.mood import moods
from agentd.apps.letters.evidence.named import Named
from agentd.apps.letters.evidence.segments import SEPARATORS
from agentd.apps.letters.evidence.sentences import Sentence
from agentd.apps.letters.languages import phrases

_COPULAS = phrases().copulas | {","}
_COURTESY = FILLERS | phrases().openers | phrases().greetings
_VERBS = phrases().verbs
_FOR = phrases().for_whom
_BESIDE = FILLERS | SELF | phrases().neutral
_OWNS = SELF | {"nya"}
_INSIDE = frozenset({Cue.FIXED, Cue.QUESTION})


class Spot(NamedTuple):
    """Where a name may begin. `clear`: the word for it, the question or a correction says so; `asked`: the question."""

    at: int
    clear: bool = False
    asked: bool = False
    of: str | None = None
    """Behind the word for a relative, whose."""


class Line:
    """A sentence with what names need to know of it, looked for once."""

    __slots__ = ("cues", "marks", "moods", "people", "raws", "sentence", "words")

    def __init__(self, sentence: Sentence) -> None:
        self.sentence, self.words, self.raws = sentence, sentence.words, sentence.raws
        self.moods = moods(sentence)
        self.marks = {mark.start: mark for mark in sentence.marks}
        self.cues = [mark.start for mark in sentence.marks if mark.cue not in _INSIDE and not self._weak(mark)]
        """Where words begin that are part of no name."""
        self.people = {
            persons.owner_end(mark, self.words): mark.value for mark in sentence.marks if mark.cue is Cue.RELATION
        }
        """{the word behind somebody: who it is}."""

    def _weak(self, mark: Mark) -> bool:
        """A relation that is only part of a name: `Ni Luh Putu`."""
        return mark.cue is Cue.RELATION and not persons.strong(mark, self.words, opens=False, form=False)

    def stop(self, at: int) -> int:
        """Where what begins there ends: with its clause, or at the next cue."""
        if at >= len(self.words):
            return at
        end = min(self.sentence.clause(at).stop, at + CLAUSE)
        return min(end, *self.cues[bisect_right(self.cues, at) :][:1], end)

    def found(self, spot: Spot) -> list[names.Name]:
        """The names that may be meant there: no relative, and without a word for a name only what can be one."""
        mark = self.marks.get(spot.at)
        form = spot.at > 0 and self.words[spot.at - 1] in (":", "=")
        if mark is not None and mark.cue is Cue.RELATION and persons.strong(mark, self.words, opens=True, form=form):
            return []
        found = names.leading(self.raws[spot.at : self.stop(spot.at)])
        if spot.clear and not spot.asked:
            return found
        label = mark is not None and mark.cue is Cue.LABEL
        return [each for each in found if names.plausible(each)] if not label else []

    def behind(self, at: int) -> int:
        """Where a value begins behind its label and whose it is."""
        form = False
        while at < len(self.words):
            mark, word = self.marks.get(at), self.words[at]
            if mark is not None and mark.cue is Cue.SELF and word != "i":
                at = mark.end
            elif (
                mark is not None
                and mark.cue is Cue.RELATION
                and persons.strong(mark, self.words, opens=True, form=form)
            ):
                at = persons.owner_end(mark, self.words)
            elif word in _COPULAS and (mark is None or mark.cue is Cue.QUESTION):
                form = form or word in (":", "=")
                at += 1
            else:
                break
        return at

    def labelled(self, own: Sequence[Named]) -> Iterator[Spot]:
        """Behind the word for a name."""
        spots = ((one, self.behind(one.end)) for one in own)
        yield from (Spot(at, clear=True) for one, at in spots if at < len(self.words) and not self.of_a_thing(one))

    def of_a_thing(self, one: Named | Mark) -> bool:
        """`warung saya namanya …`, `kucing saya bernama …`, `my cat name`: no name of a person."""
        first = max(self.sentence.clause(one.start).start, one.start - CLAUSE)
        before = range(first, one.start)
        marks = [mark for at in before if (mark := self.marks.get(at)) is not None and mark.cue is Cue.RELATION]
        people = {at for mark in marks for at in range(mark.start, mark.end)}
        said = [at for at in before if self.words[at][0].isalnum() and at not in people]
        said = [at for at in said if self.words[at] not in _BESIDE]
        if self.introduces(one.start, one.end):
            return bool(said) and not people and not is_choice([self.words[at] for at in said])
        return said[-1:] == [one.start - 1] and "my" in self.words[first : one.start - 1]

    def introduces(self, start: int, end: int) -> bool:
        """`… bernama`, `… namanya`: what stands before it is called so."""
        return self.words[start] in ("bernama", "called") or self.words[end : end + 1] in (["nya"], ["-"])

    def introduced(self) -> Iterator[Spot]:
        """`saya Budi`, `I am Budi`, with nothing but courtesy before it."""
        said = False
        for at, word in enumerate(self.words):
            mark = self.marks.get(at)
            said = said and self.sentence.clauses[at] == self.sentence.clauses[at - 1]
            himself = mark is not None and mark.cue is Cue.SELF and word != "my"
            if himself and not said and (word != "i" or not _VERBS.isdisjoint(self.words[at + 1 : at + 2])):
                yield Spot(at + 1)
            said = said or (word[0].isalnum() and word not in _COURTESY)

    def before_nik(self) -> Iterator[Spot]:
        """`untuk Budi Santoso, NIK …`: right before a NIK, with no cue between."""
        labels = [mark for mark in self.sentence.labels if mark.value == "nik"]
        for start, _, run in runs(self.words, 16):
            stop = next((mark.start for mark in labels if 0 <= start - mark.end <= CLAUSE), start)
            stop -= stop > 0 and self.words[stop - 1] in SEPARATORS
            if len(run) == 16 and stop > 0:
                first = max(self.sentence.clause(stop - 1).start, stop - CLAUSE)
                begins = (at + 1 for at in range(first, stop) if self.words[at] in _FOR or self.words[at] == ":")
                at = max(begins, default=first)
                if bisect_right(self.cues, stop - 1) == bisect_right(self.cues, at - 1):
                    yield Spot(at)

    def begins_with_nik(self) -> bool:
        """Whether it says a NIK first of all."""
        mark = self.marks.get(0)
        at = self.behind(mark.end if mark is not None and mark.value == "nik" else 0)
        return any(start <= at and len(run) == 16 for start, _, run in runs(self.words, 16)[:1])

    def righted(self, field: Field, before: Sequence[frozenset[str]], held: set[str]) -> Iterator[Spot]:
        """What takes a name's place: `bukan Budi Santoso, tapi …`. `before`: what was named, the last first."""
        at = max((mark.end for mark in self.sentence.marks if mark.cue in RIGHTS), default=len(self.words))
        if at >= len(self.words) or not self.sentence.corrected[at]:
            return
        starts = range(max(0, at - CLAUSE), at)
        instead = any("".join(each) in held for start in starts for each in names.leading(self.raws[start:at]))
        if instead or field.key in next(iter(before), ()):
            yield Spot(at, clear=True)


def lines(case: Case, text: str) -> list[Line]:
    """A message's, read once in a session."""
    return case.remember((Line, text), lambda: [Line(each) for each in case.read(text)[0].sentences])


def else_(line: Line, one: Named) -> bool:
    """Whether the word is of something else's name: `nama toko`, `nama alarmnya`, `nama kucing saya`."""
    mark, words, at = line.marks.get(one.start), line.words, one.end
    if mark is not None and mark.cue is Cue.LABEL and mark.value.startswith("x:"):
        return True
    if at == len(words) or at in line.marks or not line.raws[at][0].islower():
        return False
    owned = words[at].endswith("nya") or not _OWNS.isdisjoint(words[at + 1 : at + 2])
    return owned and words[at].removesuffix("nya") not in _BESIDE | _COPULAS
