"""A message read into segments, left to right: which words stand under which label, of whom, in which mood.

Each cue changes where we are. What value words hold, and whether it proves anything, is decided in `proof`.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import clause_fields, clause_persons, persons
from agentd.apps.letters.evidence.heard import MOST, Heard, separates
from agentd.apps.letters.evidence.lexicon import SELF, Cue, Mark
from agentd.apps.letters.evidence.mood import moods
from agentd.apps.letters.evidence.persons import CITIZEN, SOMEBODY, Speaking
from agentd.apps.letters.evidence.segments import ADDRESSES, HOMES, SEPARATORS, STREETS, Mood, Segment
from agentd.apps.letters.evidence.sentences import Sentence
from agentd.apps.letters.languages import phrases

_KEEPSSTREETS = ADDRESSES | {"nama_usaha", "jenis_usaha", "keperluan", "pekerjaan", "x:nama", "x:nomor", "x:tanggal"}
_BUSINESS = phrases().business
_IDENTITY = frozenset({"nik", "kk", "nama", "alamat", "alamat_domisili", "telepon", "rt", "rw", "rtrw"})
_OPENERS = phrases().openers
_STILL = phrases().still
"""What stands between `KTP saya` and the address that the card says."""
_LIES = phrases().lies
_SITES = phrases().sites
_PREMISES = phrases().premises
_DWELLINGS = HOMES - _SITES
_COURTESIES = phrases().courtesies
TAIL = 64
"""Words that a purpose runs on for."""


class SentenceReader:
    """One sentence, left to right. It holds where we are; `run` gives the segments. Its time grows as the length."""

    def __init__(self, sentence: Sentence, speaking: Speaking, number: int, clause: int) -> None:
        words = sentence.words
        self.words, self.raws, self.marks = words, sentence.raws, {mark.start: mark for mark in sentence.marks}
        self.speaking, self.number, self.clause = speaking, number, clause
        self.moods = moods(sentence)
        self.correcting = speaking.correcting
        """Another value was announced, and not read yet."""
        self.done: list[Segment] = []
        self.at = self.opened = 0
        """`opened`: where the clause begins."""
        self.of_business = _of_business(words, sentence.marks, speaking)
        self.spoke_of_in = -1
        self.last_label: str | None = None
        self.spoken_clause = -1
        """The last clause in which more was said than courtesy."""
        self.current = self._new(speaking.pending)

    def _new(self, label: str | None) -> Segment:
        segment = Segment(label, self.speaking.person, Mood.SAID, self.number, self.clause)
        segment.follows = self.last_label
        segment.at = self.at
        return segment

    def says(self, at: int) -> bool:
        """Whether what stands there is said as true now."""
        return self.moods[min(at, len(self.moods) - 1)] is Mood.SAID

    def close(self, label: str | None = None) -> None:
        if self.current.mood is Mood.SAID:
            places = self.current.places[: 1 if self.current.label in ADDRESSES else None]  # a street is said by itself
            meant = {self.moods[at] for at in places}
            self.current.mood = next((mood for mood in (Mood.DENIED, Mood.OPEN) if mood in meant), Mood.SAID)
        if not self.current.empty or self.current.mood is Mood.TAKEN_BACK:
            self.current.corrected, self.correcting = self.correcting, False
            self.done.append(self.current)
            if any(word not in FILLERS and word not in _OPENERS and word[0].isalnum() for word in self.current.words):
                self.spoken_clause = self.current.clause
        self.current = self._new(label)

    def run(self) -> list[Segment]:
        words = self.words
        at = 0
        while at < len(words):
            self.at = at
            word = words[at]
            mark = self.marks.get(at)
            if mark is not None:
                at = _HANDLERS.get(mark.cue, SentenceReader.plain)(self, mark)
            elif separates(words, self.raws, at):
                self._clause_ends(word)
                at = self.opened = at + 1
            elif (
                word in STREETS
                and self.current.label not in _KEEPSSTREETS
                and SEPARATORS.isdisjoint(words[at + 1 : at + 2] or SEPARATORS)
            ):
                follows = self.current.follows
                known = follows if follows in ADDRESSES and self.current.label is None else None
                self.close(known or self._place_of(at))
                self.current.implied = known is None
                self.keep(at)
                at += 1
            else:
                self.keep(at)
                at += 1
        waits = self.current.label is not None and self.current.empty and self.current.form
        self.speaking.pending = self.current.label if waits and self.says(self.current.at) else None
        self.close()
        self.speaking.correcting = self.correcting
        self._tails()
        if words and words[-1] == ":" and not any(not segment.empty and segment.label for segment in self.done):
            self.speaking.section = self.speaking.person
        return self.done

    def keep(self, at: int) -> None:
        self.current.words.append(self.words[at])
        self.current.raws.append(self.raws[at])
        self.current.places.append(at)

    def _clause_ends(self, word: str) -> None:
        if self.current.label is not None:
            self.last_label = self.current.label
        label = self.current.label if word == "(" else None
        unanswered = self.current.empty and not self.current.form and self.says(self.current.at)
        inherited = self.current.label if unanswered or (self.current.empty and self.correcting) else None
        self.close(inherited or (label if label in ADDRESSES else None))
        self.clause += 1
        self.current.clause = self.clause

    def meant(self, mark: Mark) -> int:
        """A denial, a doubt, a correction, an example: how what is around it is meant, the sentence tells."""
        current, label, empty = self.current, self.current.label, self.current.empty
        righted = mark.cue in (Cue.CORRECTION, Cue.WRONG)
        self.close()
        before = self.done[-1] if self.done and self.done[-1].clause >= self.clause - 1 else None
        turned = mark.cue is Cue.TURN and before is not None and before.mood is Mood.DENIED
        if turned and before is not None:
            label = label or before.label
        elif mark.cue is Cue.LOOKUP or (mark.cue is Cue.TURN and not empty):
            label = None
        elif righted and empty:
            label = label or current.follows
        self.current.label = label
        self.correcting = self.correcting or righted or turned
        self.current.turned = mark.cue is Cue.TURN
        self.current.restated = righted and self.words[mark.start] not in _COURTESIES
        return mark.end

    def _place_of(self, at: int) -> str:
        """Whose a street is: `kantor saya di Jl. …` is the office's, `rumah saya di Jl. …` the citizen's."""
        if self.words[at] in _PREMISES:
            return "alamat_usaha"
        if _on_the_card(self.words, self.raws, at):
            return "alamat_ktp"
        before = [word for word in self.words[max(self.opened, at - 5) : at] if word not in _LIES]
        owned = len(before) > 1 and (before[-1] in SELF or before[-1] == "nya") and before[-2].isalpha()
        if owned and _BUSINESS.intersection(before):
            return "alamat_usaha"
        if self.of_business[at] and SELF.isdisjoint(before):
            if _SITES.intersection(before):
                return "alamat_usaha" if not self.done or self.done[-1].mood is Mood.SAID else "x:alamat"
            if not before and self.opened < at:
                return "x:alamat"
        known = not owned or before[-2] in HOMES or before[-2] in FILLERS
        return "alamat" if known else "x:alamat"

    def plain(self, mark: Mark) -> int:
        for at in range(mark.start, mark.end):
            self.keep(at)
        return mark.end

    def speak_of(self, person: str | None) -> None:
        person = CITIZEN if person in persons.APPLICANTS else person
        self.spoke_of_in = self.clause if person not in (None, CITIZEN) else -1
        self.speaking.person = person
        self.current.person = person

    def name_person(self, person: str) -> None:
        if self.says(self.at):
            self.speaking.people.add(person)

    def _tails(self) -> None:
        """Give each segment the rest of its clause: a purpose runs on across words that are labels elsewhere."""
        end, after = len(self.words), None
        for segment in reversed(self.done):
            if after is not None and (
                after.clause != segment.clause or after.mood is not segment.mood or after.label in _IDENTITY
            ):
                end = after.at
            segment.tail = self.words[segment.at : min(end, segment.at + TAIL)]
            after = segment


def _of_business(words: Sequence[str], marks: Sequence[Mark], speaking: Speaking) -> list[bool]:
    """Of each word, whether a business was spoken of before it, and no dwelling since."""
    found = [speaking.of_business] * len(words)
    if speaking.of_business or not _BUSINESS.isdisjoint(words):
        fixed = {at for mark in marks if mark.cue is Cue.FIXED for at in range(mark.start, mark.end)}
        for at, word in enumerate(words):
            found[at] = speaking.of_business
            if at not in fixed and (word in _BUSINESS or word in _DWELLINGS):
                speaking.of_business = word in _BUSINESS
    return found


def _on_the_card(words: Sequence[str], raws: Sequence[str], at: int) -> bool:
    """`KTP saya masih Bekasi, Jl. Anggrek No. 2`: where the KTP says, not where anybody lives."""
    card = max((before for before in range(max(0, at - 8), at) if words[before] == "ktp"), default=at)
    between = range(card + 1, at)
    named = any(words[near] in _STILL or raws[near][0].isupper() for near in between)
    return named and not any(words[near].isdecimal() for near in between)


_HANDLERS = {
    Cue.LABEL: clause_fields.on_label,
    Cue.RELATION: clause_persons.on_relation,
    Cue.SELF: clause_persons.on_self,
    Cue.PRONOUN: clause_persons.on_pronoun,
    Cue.BESIDE: clause_persons.on_beside,
    **dict.fromkeys((Cue.NEGATION, Cue.OTHER_TIME, Cue.UNSURE, Cue.TURN), SentenceReader.meant),
    **dict.fromkeys((Cue.CORRECTION, Cue.WRONG, Cue.EXAMPLE, Cue.LOOKUP), SentenceReader.meant),
}


def read(message: Heard, *, person: str | None = None, of_business: bool = False) -> tuple[list[Segment], Speaking]:
    """A message's segments, and of whom it speaks at its end.

    `person`: of whom it starts to speak; `of_business`: of a business.
    """
    speaking = Speaking(person, of_business=of_business)
    segments: list[Segment] = []
    clause = 0
    for number, sentence in enumerate(message.sentences):
        if len(sentence.marks) > MOST:  # of which nothing counts as said
            spoken_of = SOMEBODY if any(mark.cue is Cue.RELATION for mark in sentence.marks) else speaking.person
            speaking.person, speaking.pending, speaking.correcting = spoken_of, None, False
        else:
            reader = SentenceReader(sentence, speaking, number, clause)
            segments.extend(reader.run())
            clause = reader.clause + 1
        if sentence.blank:
            speaking.section = None
            speaking.person = None if speaking.person != CITIZEN else speaking.person
    return [segment for segment in segments if not segment.empty or segment.mood is Mood.TAKEN_BACK], speaking
