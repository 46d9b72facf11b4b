"""A sentence with the ends of its persons and labels, computed once. Identifies nobody by name."""

from __future__ import annotations

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.case import CLAUSE, Case
from agentd.apps.letters.evidence.claims.identity import RIGHTS
from agentd.apps.letters.evidence.normalisers.choices import is_choice
from agentd.apps.letters.evidence.reading import persons
from agentd.apps.letters.evidence.reading.lexicon import ITS, SELF, Cue, Mark
from agentd.apps.letters.evidence.reading.readings import remembered
from agentd.apps.letters.evidence.reading.sentences import Sentence, moods
from agentd.apps.letters.languages import phrases

_COPULAS = phrases().copulas | {","}
_CALLED = phrases().called
_SUFFIXES = [[end] for end in (*ITS, "-")]
_BESIDE = FILLERS | SELF | phrases().neutral
_DETERMINERS = persons.MY | phrases().articles
_ADJECTIVES = 2
"""The most words between `my` and a relation: `my second youngest child`."""
_DOING = phrases().acts | phrases().purposes | phrases().weak_purpose | phrases().make | phrases().toward
_PERSONAL = frozenset({"nik", "kk", "lahir", "tempat_lahir", "tanggal_lahir", "agama"})


class Line:
    """A sentence and the cue positions that reading names requires."""

    __slots__ = ("marks", "moods", "people", "raws", "relatives", "rights", "sentence", "words")

    def __init__(self, sentence: Sentence) -> None:
        self.sentence, self.words, self.raws = sentence, sentence.words, sentence.raws
        self.moods = moods(sentence)
        self.marks = {mark.start: mark for mark in sentence.marks}
        self.rights = [mark for mark in sentence.marks if mark.cue in RIGHTS]
        relations = [(persons.owner_end(mark, self.words), mark) for mark in sentence.marks if mark.cue is Cue.RELATION]
        self.people = {end: mark.value for end, mark in relations}
        """{index after a person's words: the relation}."""
        self.relatives = {
            end: mark.value for end, mark in relations if not persons.speaks_of_another(mark, self.marks, self.words)
        }
        """The same, for persons whom the following words may be about."""

    def behind(self, at: int) -> int:
        """The index where a value begins, after its label, owner and copulas."""
        form = False
        while at < len(self.words):
            mark, word = self.marks.get(at), self.words[at]
            if mark is not None and mark.cue is Cue.SELF and word not in persons.SUBJECTS:
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

    def for_whom(self, at: int) -> tuple[str | None, int] | None:
        """(the label of what follows, its index) after the words for a person at `at`; None for a thing of theirs.

        `untuk anak saya daftar sekolah` has a purpose; `untuk suami tercinta`, `for my second child` and `untuk anak
        saya Putri` have none.
        """
        adjectives = _ADJECTIVES + 1 if self.words[at : at + 1] and self.words[at] in _DETERMINERS else 0
        marks = (self.marks.get(start) for start in range(at, at + adjectives + 1))
        person = next((mark for mark in marks if mark is not None and mark.cue is not Cue.SELF), None)
        if person is None or person.cue is not Cue.RELATION:
            return None
        end = persons.owner_end(person, self.words)
        if "'" in self.words[person.end : end]:
            return None
        ends = self.sentence.ends(end)
        if not ends and self.raws[end][0].isupper():
            return None, end
        start = next((near for near in range(end, len(self.words)) if self.words[near][0].isalnum()), end)
        clause = range(0) if start >= len(self.words) else range(start, self.sentence.clause(start).stop)
        does = any(self.words[near] in _DOING for near in clause)
        return ("keperluan" if does else None if ends else "x:orang"), end

    def of_a_thing(self, one: Mark) -> bool:
        """Whether a name is a thing's and not a person's: `warung saya namanya …`, `kucing saya bernama …`."""
        first = max(self.sentence.clause(one.start).start, one.start - CLAUSE)
        before = range(first, one.start)
        marks = [mark for at in before if (mark := self.marks.get(at)) is not None and mark.cue is Cue.RELATION]
        people = {at for mark in marks for at in range(mark.start, mark.end)}
        people_and_cues = people | self.sentence.covered(RIGHTS)  # `tapi namanya …`
        said = [at for at in before if self.words[at][0].isalnum() and at not in people_and_cues]
        said = [at for at in said if self.words[at] not in _BESIDE]
        if self.introduces(one.start, one.end):
            return bool(said) and not people and not is_choice([self.words[at] for at in said])
        return said[-1:] == [one.start - 1] and not persons.MY.isdisjoint(self.words[first : one.start - 1])

    def of_a_person(self, one: Mark) -> bool:
        """Whether a name is the citizen's or stands among a person's data: `nama saya …`, `nama …, NIK …`."""
        after = (mark for start, mark in sorted(self.marks.items()) if start >= one.end and mark.cue is Cue.LABEL)
        return not SELF.isdisjoint(self.words[one.end : one.end + 1]) or next(
            (mark.value in _PERSONAL for mark in after), False
        )

    def introduces(self, start: int, end: int) -> bool:
        """Whether a label gives the name of what stands before it: `… bernama`, `… namanya`."""
        return self.words[start] in _CALLED or self.words[end : end + 1] in _SUFFIXES


@remembered
def lines(case: Case, text: str) -> list[Line]:
    """A message's sentences as lines, cached for the session."""
    return [Line(each) for each in case.read(text)[0].sentences]
