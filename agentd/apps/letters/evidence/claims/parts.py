"""Splits a message into parts with the labels they stand under; doesn't judge whose they are or what they prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims import streets
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.claims.lines import Line, lines
from agentd.apps.letters.evidence.fields.spans import Span
from agentd.apps.letters.evidence.normalisers import address, days
from agentd.apps.letters.evidence.reading import persons
from agentd.apps.letters.evidence.reading.lexicon import LIVES, SUPPOSING, Cue, Mark
from agentd.apps.letters.evidence.reading.readings import remembered
from agentd.apps.letters.evidence.reading.segments import ADDRESSES, HOMES, NEIGHBOURHOOD, SEPARATORS, STREETS, Mood
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_STREETS = ADDRESSES | {"x:alamat"}
_KEEPS_STREETS = ADDRESSES | {"nama_usaha", "jenis_usaha", "keperluan", "pekerjaan", "x:nama", "x:nomor", "x:tanggal"}
_DWELLINGS = HOMES - _PACK.sites
_IDLE = FILLERS | _PACK.openers | _PACK.leads
_CALLED = frozenset({"nama", "alamat"})
_CUES = SUPPOSING | {Cue.NEGATION, Cue.TURN, Cue.CORRECTION, Cue.WRONG, Cue.UNSURE, Cue.OTHER_TIME, Cue.LOOKUP}
"""Cues that are never part of a value. The sentence already gives the moods around them."""
_SPELLED: dict[str | None, Sequence[str]] = {"rt": ["rt"], "rw": ["rw"], "rtrw": ["rt", "/", "rw"]}
_OF_BUSINESS = frozenset({"nama_usaha", "jenis_usaha", "alamat_usaha"})


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some words of one clause. `label`: the label they stand under; `follows`: the label before that."""

    line: Line
    number: int
    """Index of its sentence in the message."""
    start: int
    end: int
    label: str | None
    follows: str | None

    @property
    def words(self) -> Sequence[str]:
        return self.line.words[self.start : self.end]

    @property
    def raws(self) -> Sequence[str]:
        return self.line.raws[self.start : self.end]

    @property
    def mood(self) -> Mood:
        return self.line.moods[self.start]

    @property
    def corrected(self) -> bool:
        return self.line.sentence.corrected[self.start]

    @property
    def before(self) -> Sequence[str]:
        """The words of its clause before it."""
        return self.line.words[self.line.sentence.clause(self.start).start : self.start]

    @property
    def opens(self) -> bool:
        """Whether it begins its clause."""
        return self.line.sentence.opens(self.start)

    @property
    def behind(self) -> int:
        """The index after the last word before it, ignoring marks."""
        return next((at for at in range(self.start, 0, -1) if self.line.words[at - 1][0].isalnum()), 0)

    @property
    def spelled(self) -> Sequence[str]:
        return spelled(self.label, self.words)

    @property
    def address(self) -> address.Address:
        return address.read(self.spelled)

    @property
    def under(self) -> str | None:
        """Its label, or the label whose value it corrects."""
        return self.label or (self.follows if self.corrected else None)

    def place(self, case: Case, turn: Turn) -> Place:
        """Its place in the message."""
        return case.place(turn, self.line.sentence, turn.named[self.number], (), Span(self.start, self.end, True))


def spelled(label: str | None, words: Sequence[str]) -> Sequence[str]:
    """The words under a label; a bare RT or RW number is preceded by `rt` or `rw`."""
    known = label not in _SPELLED or not {"rt", "rw"}.isdisjoint(words)
    return words if known else [*_SPELLED[label], *words]


def parts(case: Case, turn: Turn) -> Sequence[Part]:
    """A message's parts in order; none is empty."""
    return _read(case, turn)[0]


def people(case: Case) -> frozenset[str]:
    """The relations of the people whom the citizen mentioned."""
    return frozenset().union(*(_read(case, turn)[1] for turn in case.turns))


@remembered
def _read(case: Case, turn: Turn) -> tuple[Sequence[Part], frozenset[str]]:
    """A message's parts, and the relations of the people it mentions."""
    found: list[Part] = []
    people: set[str] = set()
    pending: str | None = None
    asked = case.labels_asked(turn.question)
    before = {case.form.shapes[key].label for key in next(iter(turn.before), ())}
    business = not asked and bool(before) and before <= _OF_BUSINESS
    home = next(iter(asked & ADDRESSES)) if len(asked & ADDRESSES) == 1 else "alamat"
    for number, line in enumerate(lines(case, turn.text)):
        reader = _Reader(line, number, pending, home, business=business)
        reader.read()
        pending, business = reader.pending, reader.business
        found += reader.found
        people |= reader.people
    return found, frozenset(people)


class _Reader:
    """Reads one sentence from left to right."""

    def __init__(self, line: Line, number: int, label: str | None, home: str, *, business: bool) -> None:
        """`home`: the label of a street without one. `pending`: a label at the end that waits for its value."""
        self.line, self.number, self.label, self.home, self.business = line, number, label, home, business
        self.found: list[Part] = []
        self.people: set[str] = set()
        self.start = 0
        self.follows: str | None = None
        self.pending: str | None = None

    def read(self) -> None:
        """Collects the parts."""
        line, clauses, at = self.line, self.line.sentence.clauses, 0
        while at < len(line.words):
            word, mark = line.words[at], line.marks.get(at)
            at_home = word in _DWELLINGS and line.sentence.opens(at)  # unlike `jualan di depan rumah`
            self.business = word in streets.BUSINESS or (self.business and not at_home)
            if at and clauses[at] != clauses[at - 1]:
                self._clause_ends(at)
            elif at and self._turns(at):
                self._close(at, self.label if not self._purpose_ends(at) else None)
            if mark is not None and mark.cue is Cue.LABEL and not self._inside(mark):
                at = self._named(mark)
                continue
            if mark is not None and mark.cue in _CUES:
                self._close(at, self.label if mark.cue is not Cue.LOOKUP else None)
                at = self.start = mark.end
                continue
            if mark is not None and mark.cue is Cue.BESIDE:
                at = self._beside(mark)
                continue
            if mark is not None and mark.cue is Cue.PRONOUN and word not in _PACK.clitics:  # `dia guru`
                self._close(at, self.label if self.label is not None and self._empty(at) else f"x:{word}")
                at = self.start = mark.end
                continue
            if mark is not None and mark.cue in (Cue.SELF, Cue.RELATION) and (end := self._person(mark)) is not None:
                at = end
                continue
            self._street(at)
            at += 1
        self.pending = self.label if self._empty(len(line.words)) and line.words[-1:] in ([":"], ["="]) else None
        self._close(len(line.words), None)

    def _street(self, at: int) -> None:
        """Starts a part at a street, or at the date behind one (`Jl. Melati 3 tanggal 12`)."""
        line = self.line
        if line.words[at] in STREETS and self.label not in _KEEPS_STREETS and line.words[at + 1 : at + 2]:
            known = self.follows if self.follows in ADDRESSES and self.label is None else None
            still = not self.found or self.found[-1].mood is Mood.SAID
            place = streets.whose(line, at, self.home, business=self.business, still=still)
            self._close(at, known or place)
        elif self.label in _STREETS and days.marked(line.words, at):
            self._close(at, "x:tanggal")

    def _turns(self, at: int) -> bool:
        """Whether the mood or correction changes at a word."""
        moods, corrected = self.line.moods, self.line.sentence.corrected
        return self._purpose_ends(at) or (moods[at], corrected[at]) != (moods[at - 1], corrected[at - 1])

    def _purpose_ends(self, at: int) -> bool:
        """Whether a colon ends a purpose: `mengurus BPJS: Budi Santoso, NIK …`."""
        return self.line.words[at] == ":" and self.label == "keperluan" and not self._empty(at)

    def _empty(self, end: int) -> bool:
        return self._first(end) >= end

    def _close(self, at: int, label: str | None) -> None:
        if not self._empty(at):
            self.found.append(Part(self.line, self.number, self._first(at), at, self.label, self.follows))
        self.start, self.label = at, label

    def _first(self, end: int) -> int:
        """The index of the first word that isn't a mark."""
        words = self.line.words
        return next(
            (at for at in range(self.start, end) if words[at][0].isalnum() and words[at] not in _PACK.clitics), end
        )

    def _clause_ends(self, at: int) -> None:
        self.follows = self.label or self.follows
        waits = self._empty(at) or (self.line.words[at] == "(" and self.label in ADDRESSES)
        self._close(at, self.label if waits else None)

    def _inside(self, mark: Mark) -> bool:
        """Whether a label is inside another field's value: `Jl. Melati RT 3`, `Nama usaha saya Alamat`."""
        label = self.label or (self.follows if self._empty(mark.start) else None)
        if mark.value in NEIGHBOURHOOD and label in ADDRESSES | NEIGHBOURHOOD:
            self.label = label
            return self.line.behind(mark.end) == mark.end or label in ADDRESSES
        if (mark.value, self.label) == ("x:nomor", "keperluan"):  # `keperluan: BPJS`
            return not any(map(str.isdecimal, self.line.words[mark.end : mark.end + 3]))
        last = mark.end == len(self.line.words) or self.line.words[mark.end] in SEPARATORS
        return self.label is not None and last and mark.start > 0 and self.line.raws[mark.start].istitle()

    def _named(self, mark: Mark) -> int:
        """Starts a part at a label, skipping the owner and the words up to its value; returns the next index."""
        words, label = self.line.words, mark.value
        behind = self.line.behind(mark.end)
        if label in ADDRESSES and words[self.start : mark.start] == [self.label]:  # `RT tempat usaha: 5`
            self.start = behind
            return behind
        introduced = self.line.introduces(mark.start, mark.end)
        if label == "alamat" and self.label == "nik" and _PACK.still.issuperset(words[self.start : mark.start]):
            label = "alamat_ktp"
        elif label in _CALLED and introduced and self.business:
            label = f"{label}_usaha"
        elif label == "nama" and self.follows in _OF_BUSINESS and not self.line.of_a_person(mark):
            label = "x:nama"  # `usaha laundry, nama Kinclong`
        elif (label in _CALLED or not introduced) and not label.startswith("x:") and self.line.of_a_thing(mark):
            label = f"x:{label}"
        self._close(mark.start, label)
        if label in NEIGHBOURHOOD and behind == mark.end:
            return mark.end
        marks = (self.line.marks.get(at) for at in range(mark.end, behind))
        someone = {one.value for one in marks if one is not None and one.cue is Cue.RELATION}
        self._speaks_of(someone, mark.start)
        if label == "keperluan" and (served := self.line.for_whom(mark.end)) is not None:
            self.label, behind = served[0], max(behind, served[1])
        self.start = behind
        return max(behind, mark.end)

    def _person(self, mark: Mark) -> int | None:
        """Starts a part after a person; returns the next index, or None if the words don't name a person here."""
        line, opens = self.line, self._empty(mark.start)
        if mark.cue is Cue.SELF:
            after = line.words[mark.end : mark.end + 1]
            speaks = line.words[mark.start] not in persons.SUBJECTS or not _PACK.verbs.isdisjoint(after)
            if not speaks or self.line.sentence.ends(mark.end):
                return None
            if (thing := self._possessed(mark.start)) is not None:
                self.label = thing if mark.start - self.start <= 2 else None
                self._close(mark.start, thing)
                self.start = mark.end
                return mark.end
            end = mark.end
        elif persons.strong(mark, line.words, opens=opens, form=False):
            end = persons.owner_end(mark, line.words)
            if not persons.speaks_of_another(mark, line.marks, line.words):
                self._speaks_of({mark.value}, mark.start)
            if not persons.names(mark, line.words):
                return end  # `bersama orang tua saya di Jl. …`
        else:
            return None
        self._close(mark.start, self.label if opens else None)
        self.start = end
        return end

    def _beside(self, mark: Mark) -> int:
        """Reads a companion (`tinggal bersama ibu saya di Jl. …`): starts the home address and mentions no person."""
        other = self.line.marks.get(mark.end)
        end = persons.owner_end(other, self.line.words) if other is not None and other.cue is Cue.RELATION else mark.end
        if self.line.words[mark.start] in LIVES:
            self._close(mark.start, "alamat_domisili")
            self.start = end
        return end

    def _possessed(self, at: int) -> str | None:
        """The label `x:NOUN` if something is the citizen's but isn't the citizen (`bayi saya laki-laki`), or None."""
        noun = self.line.words[at - 1]
        owned = self.label is None and not self._empty(at) and noun.isalpha() and noun not in _IDLE | _PACK.joins
        return f"x:{noun}" if owned else None

    def _speaks_of(self, people: set[str], at: int) -> None:
        if self.line.moods[at] is Mood.SAID:
            self.people |= people


def of_turns(case: Case) -> Iterator[tuple[Turn, Part]]:
    """Every part of the session: newest message first, each message's parts in order."""
    return ((turn, part) for turn in reversed(case.turns) for part in parts(case, turn))
