"""Where a message gives somebody's name: under the word for it, behind whom it is of, as an answer, before a NIK.

It tells what is said of a common name. A tool's own names are read as any other text is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import names, persons
from agentd.apps.letters.evidence.asserted import mood, owner
from agentd.apps.letters.evidence.binding import whose
from agentd.apps.letters.evidence.case import CLAUSE, Case, Place, Turn
from agentd.apps.letters.evidence.choices import is_choice
from agentd.apps.letters.evidence.digits import runs
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.identity import RIGHTS
from agentd.apps.letters.evidence.lexicon import SELF, Cue, Mark
from agentd.apps.letters.evidence.mood import moods
from agentd.apps.letters.evidence.named import Named
from agentd.apps.letters.evidence.persons import CITIZEN, KIN
from agentd.apps.letters.evidence.segments import SEPARATORS, Claim, Mood
from agentd.apps.letters.evidence.sentences import Sentence
from agentd.apps.letters.evidence.shapes import ANYBODY
from agentd.apps.letters.evidence.spans import Span
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
        yield from (Spot(at, clear=True) for one, at in spots if at < len(self.words) and not self._of_a_thing(one))

    def _of_a_thing(self, one: Named) -> bool:
        """`warung saya namanya …`, `kucing saya bernama …`, `my cat name`: no name of a person."""
        first = max(self.sentence.clause(one.start).start, one.start - CLAUSE)
        before = range(first, one.start)
        marks = [mark for at in before if (mark := self.marks.get(at)) is not None and mark.cue is Cue.RELATION]
        people = {at for mark in marks for at in range(mark.start, mark.end)}
        said = [at for at in before if self.words[at][0].isalnum() and at not in people]
        said = [at for at in said if self.words[at] not in _BESIDE]
        introduced = self.words[one.start] in ("bernama", "called")
        if introduced or self.words[one.end : one.end + 1] in (["nya"], ["-"]):
            return bool(said) and not people and not is_choice([self.words[at] for at in said])
        return said[-1:] == [one.start - 1] and "my" in self.words[first : one.start - 1]

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


def _lines(case: Case, text: str) -> list[Line]:
    """A message's, read once in a session."""
    return case.remember((Line, text), lambda: [Line(each) for each in case.read(text)[0].sentences])


def name(field: Field, case: Case) -> Iterator[Claim]:
    """What each message says of a name, in order."""
    return case.told(_told, field, frozenset[str]())


def _told(field: Field, case: Case, turn: Turn, before: frozenset[str]) -> tuple[Sequence[Claim], frozenset[str]]:
    """A message's claims. `before`: every name that counted so far, its words joined: two spellings of one are the same
    (`names.same`)."""
    wanted, held, claims = names.key(str(field.value)), set(before), list[Claim]()
    lines, asked = _lines(case, turn.text), bool(turn.question) and _asked(field, case, turn.question)
    heads = turn.heard.listed and not any(line.found(spot) for line in lines for spot in line.introduced())
    waits = False
    for line, after, (sentence, named, last) in zip(lines, [*lines, None][1:], turn.sentences(), strict=False):
        own = [one for one in named if one.plain and field.key in one.keys and not _else(line, one)]
        first = not own and (heads or (after is not None and after.begins_with_nik()))
        said = [frozenset[str]() if _else(line, one) else one.keys for one in reversed(named)]
        said += [one.keys for one in reversed(last)]
        spots = [
            *_unlabelled(field, line, first=first, asked=asked),
            *line.righted(field, (*said, *turn.before), held),
            *line.labelled(own),
            *([Spot(0, clear=True)] if waits else ()),
        ]
        waits = bool(own) and line.behind(own[-1].end) == len(line.words)
        heads = heads and not any(map(line.found, spots))
        for at, spot in sorted({spot.at: spot for spot in spots}.items()):
            mark = line.marks.get(at)
            spot = spot._replace(at=mark.end) if mark is not None and mark.cue is Cue.NEGATION else spot
            if not (found := line.found(spot)):
                continue
            span = Span(spot.at, max(line.stop(spot.at), spot.at + 1), True)
            place = case.place(turn, sentence, named, last, span)
            if _theirs(field, line, place, spot):
                held |= {"".join(each) for each in found}
                supports = any(names.same(one, wanted) for each in found for one in (each, names.untitled(each)))
                meant = mood(field, place)
                meant = line.moods[spot.at] if meant is Mood.SAID else meant
                replaces = spot.clear and not names.within(found[-1], wanted)
                claims.append(Claim(turn.order, meant, supports, replaces, sentence.corrected[spot.at]))
    return claims, frozenset(held)


def _theirs(field: Field, line: Line, place: Place, spot: Spot) -> bool:
    """Whether a name is that of the field's person: `untuk tetangga saya, Joko` gives no applicant's."""
    if field.person == ANYBODY:
        return spot.of in KIN or owner(place) in KIN
    beside = line.people.get(spot.at - (spot.at > 0 and line.words[spot.at - 1] == ","))
    strange = beside not in (None, *persons.APPLICANTS, place.case.subject[0])
    if strange and not spot.asked and field.person in (None, CITIZEN):
        return False
    return whose(field, place, asked=spot.asked)


def _else(line: Line, one: Named) -> bool:
    """Whether the word is of something else's name: `nama toko`, `nama alarmnya`, `nama kucing saya`."""
    mark, words, at = line.marks.get(one.start), line.words, one.end
    if mark is not None and mark.cue is Cue.LABEL and mark.value.startswith("x:"):
        return True
    if at == len(words) or at in line.marks or not line.raws[at][0].islower():
        return False
    owned = words[at].endswith("nya") or not _OWNS.isdisjoint(words[at + 1 : at + 2])
    return owned and words[at].removesuffix("nya") not in _BESIDE | _COPULAS


def _unlabelled(field: Field, line: Line, *, first: bool, asked: bool) -> Iterator[Spot]:
    """Without a word for it. `first`: first in a list of somebody's data; `asked`: the question was for it alone."""
    if field.person in (None, CITIZEN):
        yield from line.introduced()
        yield from line.before_nik()
        yield from (Spot(0) for _ in range(first))
    else:
        for mark in line.sentence.marks:
            if mark.cue is Cue.RELATION and not persons.another(mark, line.marks, line.words):
                at = persons.owner_end(mark, line.words)
                yield Spot(at + (line.words[at : at + 1] == [","]), of=mark.value)
    if asked:
        clauses = line.sentence.clauses
        starts = (at for at in range(len(clauses)) if at == 0 or clauses[at] != clauses[at - 1])
        yield from (Spot(at + (line.words[at] in SEPARATORS), clear=True, asked=True) for at in starts)


def _asked(field: Field, case: Case, question: str) -> bool:
    """Whether the agent asked for this name alone."""
    asked = case.asks(question)
    people = {field.person} if field.person not in (None, CITIZEN) else {None, CITIZEN, case.subject[0]}
    if len(asked) != 1 or asked[0][0] != field.label or asked[0][1] not in people:
        return False
    _, named = case.read(question)
    return not any(_else(line, one) for line, own in zip(_lines(case, question), named, strict=True) for one in own)
