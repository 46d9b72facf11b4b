"""What free text is of where nothing names its field: a purpose by a wish, a company by `PT`, a trade by its word.

It reads no text under its field's name: that is read as every other value is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import choices, texts
from agentd.apps.letters.evidence.asserted import PURPOSES, mood, owner
from agentd.apps.letters.evidence.case import Case, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import Cue
from agentd.apps.letters.evidence.named import Named
from agentd.apps.letters.evidence.persons import CITIZEN, KIN
from agentd.apps.letters.evidence.segments import Claim
from agentd.apps.letters.evidence.sentences import Sentence
from agentd.apps.letters.evidence.spans import Span
from agentd.apps.letters.languages import phrases

_BUSINESS = phrases().business
_COMPANIES = phrases().companies
_ENDS = frozenset({Cue.LABEL, Cue.SELF, Cue.RELATION})
_IDENTITY = frozenset({"nik", "kk", "nama", "alamat", "alamat_domisili", "telepon", "rt", "rw", "rtrw"})
_PLACES = frozenset(word for sense in ("city", "place", "origin", "destination") for word in phrases().senses[sense])
_WISHES = phrases().weak_purpose
_PURPOSES = phrases().purposes
_PAPER = frozenset(texts.essence("surat pengantar keterangan keperluan perlu permohonan letter document".split()))
"""What is asked for, and no purpose of it: `saya perlu surat pengantar`."""


class _Clause(NamedTuple):
    """A clause of a message: what it names, and whether the message answers a question for a field."""

    turn: Turn
    sentence: Sentence
    places: range
    named: Sequence[Named]
    asked: bool

    @property
    def words(self) -> Sequence[str]:
        return self.sentence.words

    def named_before(self, at: int) -> bool:
        """Whether it calls a field by its own name up to a word."""
        named = (one.start for one in (*self.sentence.labels, *(one for one in self.named if one.plain)))
        return any(self.places.start <= start <= at for start in named)


def is_none(field: Field) -> bool:
    """Whether a value is nothing that the field can be: a purpose that only wants a letter, a state as an occupation."""
    if field.label == "pekerjaan":
        return bool(choices.meanings(field.spoken)) and not choices.is_occupation(field.spoken)
    return field.label == "keperluan" and _PAPER.issuperset(texts.essence(field.spoken))


def unnamed(field: Field, case: Case) -> Iterator[Claim]:
    """What a clause says of a field that it doesn't name; it adds to what was said before."""
    starts = _STARTS.get(field.label)
    says = texts.saying(str(field.value))
    for turn in case.turns if starts is not None else ():
        for sentence, named, before in turn.sentences():
            first = 0
            while first < len(sentence.words):
                clause = sentence.clause(first)
                first, start = clause.stop, starts(_Clause(turn, sentence, clause, named, bool(case.asks(turn.question))))
                if start is None:
                    continue
                place = case.place(turn, sentence, named, before, Span(start, start + 1, True))
                who, words = owner(place), sentence.words[start : min(clause.stop, _end(field, sentence, start))]
                theirs = who in (None, CITIZEN) or (field.label in PURPOSES and (who == case.subject[0] or who in KIN))
                if theirs and says(words):
                    whole = replace(place, span=Span(start, start + len(words), True))
                    yield Claim(turn.order, mood(field, whole), True, replaces=False)


def end(sentence: Sentence, start: int) -> int:
    """Where a purpose ends: it runs on across the names of other fields, but for those of somebody's own data."""
    labels = (mark.start for mark in sentence.labels if mark.start > start and mark.value in _IDENTITY)
    return next(labels, len(sentence.words))


def _end(field: Field, sentence: Sentence, start: int) -> int:
    if field.label in PURPOSES:
        return end(sentence, start)
    ends = (mark.start for mark in sentence.marks if mark.cue in _ENDS and mark.start > start)
    return next(ends, len(sentence.words))


def _wish(clause: _Clause) -> int | None:
    """`saya mau mengurus paspor`; in a list of data `melamar kerja`."""
    first = next((at for at in clause.places if clause.words[at][0].isalnum()), clause.places.start)
    if clause.turn.heard.listed and clause.words[first] in _PURPOSES:
        return first
    start = next((at for at in clause.places if clause.words[at] in _WISHES), None)
    return None if start is None or clause.named_before(start) else start


def _company(clause: _Clause) -> int | None:
    """`CV Cahaya Abadi`, `untuk PT …`."""
    said = (at for at in clause.places if clause.words[at][0].isalnum() and clause.words[at] not in FILLERS)
    first = next(said, clause.places.start)
    label = any(mark.start == first and mark.value == "keperluan" for mark in clause.sentence.labels)
    start = first + label
    return start if start in clause.places and clause.words[start] in _COMPANIES else None


def _trade(clause: _Clause) -> int | None:
    """`sehari-hari jualan nasi uduk`: from the word for a business on.

    `mau buka toko roti` is none yet, and `di toko roti` is where somebody is.
    """
    start = next((at for at in clause.places if clause.words[at] in _BUSINESS), None)
    if start is None or clause.named_before(start) or clause.asked:
        return None
    before = clause.words[clause.places.start : start]
    return start if choices.WISHES.isdisjoint(before) and _PLACES.isdisjoint(before[-1:]) else None


_STARTS: dict[str, Callable[[_Clause], int | None]] = {
    **{"keperluan": _wish, "instansi": _wish, "nama_usaha": _company, "jenis_usaha": _trade},
}
