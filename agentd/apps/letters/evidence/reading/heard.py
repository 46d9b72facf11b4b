"""Splits a message into sentences and gives each word its mood and its person. Binds nothing to fields.

Moods, persons and corrections come from the packs' cues, in one pass per sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.normalisers.digits import runs
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrase, Phrasebook
from agentd.apps.letters.evidence.reading import persons
from agentd.apps.letters.evidence.reading.lexicon import SUPPOSING, Cue, Lexicon, Mark
from agentd.apps.letters.evidence.reading.segments import NEIGHBOURHOOD, SEPARATORS, Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence, clauses, first_asked, own_sentences
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_PROPOSALS = {tuple(phrase.split()) for phrase in _PACK.proposals}
_TIMES = {"past": _PACK.past | _PACK.ended, "future": _PACK.future, "soon": _PACK.soon}
_TIME_BOOKS = {time: Phrasebook(known) for time, known in _TIMES.items()}
NOES = _PACK.noes
"""Words that mean no at the start of a sentence; elsewhere `no` abbreviates "number"."""
MOST = 64
"""The most cues of one sentence. With more, nothing in it counts as said: nobody talks so, and each cue is costly."""
_ANOTHER = Phrasebook(_PACK.another)
_ASSENTS = Phrasebook(map(fold, all_words().assents))
_AGAINST = SUPPOSING | {Cue.NEGATION, Cue.WRONG, Cue.UNSURE, Cue.CORRECTION}
LONGEST = 6
"""The most words of a yes or of a message that picks an offer, without fillers."""
_NAMING = frozenset({Cue.LABEL, Cue.SELF})
_LISTED = 3
"""The fewest clauses of a list."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The reading of one of the citizen's messages."""

    sentences: tuple[Sentence, ...]
    another: bool
    """The message rejects what was offered."""
    affirms: bool
    """It begins with a yes and rejects nothing."""
    aliases: frozenset[tuple[str, str]]
    """(relation, role) pairs where the message gives a person a role: `almarhum ayah saya`."""
    subject: str | None
    """The person for whom the message asks a letter, if it says so."""
    listed: bool
    """The message is a list of somebody's data that contains a NIK."""

    @property
    def moods(self) -> set[Mood]:
        """The moods of its words."""
        return {mood for sentence in self.sentences for mood in sentence.moods}


def heard(text: str, lexicon: Lexicon) -> Heard:
    """The reading of a message."""
    found = own_sentences(text, lexicon)
    aliases: set[tuple[str, str]] = set()
    spoken_of: str | None = None
    section: str | None = None
    example = False  # nothing in a paragraph with an example counts as said
    subject: str | None = None
    for sentence in found:
        _hear(sentence, spoken_of, section)
        if sentence.words[-1:] == [":"] and not sentence.labels:  # `Data istri saya:`
            section = next((owner for _, owner, _ in reversed(sentence.people)), None)
        section = None if sentence.blank else section
        if example:
            _set(sentence, range(len(sentence.words)), Mood.OPEN)
        opens = any(mark.cue in SUPPOSING and sentence.words[mark.start] in _PACK.paragraph for mark in sentence.marks)
        example = (example or opens) and not sentence.blank
        said = persons.subject(sentence.marks, sentence.words)
        subject = said or subject
        owners = (owner for _, owner, _ in reversed(sentence.people) if owner is not None)
        spoken_of = next(owners, None if said == persons.CITIZEN else said) or spoken_of
        aliases |= set(persons.aliases(sentence.words, sentence.raws, sentence.marks, sentence.clauses))
    another = any(True for sentence in found for _ in _ANOTHER.find(sentence.words)) or _refuses(found)
    another = another or any(_asks_instead(sentence) for sentence in found)
    clauses = sum(sentence.clauses[-1] + 1 for sentence in found if sentence.clauses)
    listed = clauses >= _LISTED and any(len(run) == 16 for each in found for *_, run in runs(each.words, 16))
    affirms = not another and _affirms(found)
    return Heard(tuple(found), another, affirms, frozenset(aliases), subject, listed)


def _affirms(found: Sequence[Sentence]) -> bool:
    """Whether a message begins with a yes and rejects nothing."""
    first = next((each for each in found if any(word[0].isalnum() for word in each.words)), None)
    if first is None:
        return False
    clause = first.clause(0)
    asks = first.asking is not None and first.asking in clause  # `Yes, how many days …?` asks in its second clause
    if asks or any(mark.cue in _AGAINST and mark.start in clause for mark in first.marks):
        return False
    said = [first.words[at] for at in clause if first.words[at][0].isalnum()]
    content = [word for word in said if word not in FILLERS]
    return len(content) <= LONGEST and any(_ASSENTS.at(said, at) for at in range(min(2, len(said))))


def _asks_instead(sentence: Sentence) -> bool:
    """Whether a sentence asks for something else than was offered: `Kalau Lion Air bagaimana?`."""
    first = sentence.marks[0] if sentence.marks else None
    supposed = first is not None and first.cue in SUPPOSING and first.start == 0
    whether = any(mark.cue is Cue.NEGATION and _asks_whether(sentence, mark) for mark in sentence.marks)
    return whether or (sentence.asks and (supposed or sentence.proposes))


def _refuses(found: Sequence[Sentence]) -> bool:
    """Whether a message begins with a no."""
    first = next((mark for sentence in found[:1] for mark in sentence.marks if mark.start == 0), None)
    plain_no = bool(found) and found[0].words[0] in NOES
    return plain_no or (first is not None and first.cue in (Cue.NEGATION, Cue.WRONG))


def _hear(sentence: Sentence, spoken_of: str | None, section: str | None) -> None:
    words, size = sentence.words, len(sentence.words)
    sentence.clauses = clauses(words, sentence.raws, sentence.marks)
    marks = sentence.marks = [_corrects(sentence, mark) for mark in sentence.marks]
    sentence.moods, sentence.corrected, sentence.times = [Mood.SAID] * size, [False] * size, [""] * size
    sentence.proposes = tuple(words[:2]) in _PROPOSALS
    if len(marks) > MOST:
        sentence.moods = [Mood.OPEN] * size
        return
    sentence.labels = [mark for mark in marks if mark.cue is Cue.LABEL]
    fixed = {at for mark in marks if mark.cue is Cue.FIXED for at in range(mark.start, mark.end)}
    for time, book in _TIME_BOOKS.items():
        for at, phrase in islice(book.find(words), MOST):
            if at not in fixed:
                _timed(sentence, at, phrase, time)
    sentence.own, sentence.people = persons.people(words, marks, sentence.clauses, spoken_of, section)
    sentence.alone = sentence.own - {mark.end for mark in marks if mark.cue is Cue.RELATION}
    sentence.wrong = any(_disowns(sentence, mark) for mark in sentence.labels)
    if words[0] in NOES and all(word in FILLERS or not word[0].isalnum() for word in words[1:]):
        sentence.wrong, sentence.moods = True, [Mood.DENIED] * size
    for mark in marks:
        handle = _MOODS.get(mark.cue)
        if handle is not None:
            handle(sentence, mark)
    _question(sentence)


def _corrects(sentence: Sentence, mark: Mark) -> Mark:
    """Turns a negation alone in its clause into a correction: `lahir di Bantul, bukan, di Yogyakarta`."""
    clause = sentence.clause(mark.start)
    if mark.cue is not Cue.NEGATION or not clause.start:
        return mark
    alone = not any(sentence.words[at][0].isalnum() for at in clause if not mark.start <= at < mark.end)
    return mark._replace(cue=Cue.CORRECTION) if alone else mark


def _disowns(sentence: Sentence, mark: Mark) -> bool:
    """Whether a label says that an earlier value isn't the citizen's: `itu NIK suami saya`, `itu alamat lama saya`;
    not so `surat ini untuk kakek saya`."""
    clause = sentence.clause(mark.start)
    rest = sentence.words[mark.start : clause.stop]
    data = mark.value != "keperluan" and mark.start > clause.start
    pointed = data and sentence.words[mark.start - 1] in _PACK.quiet
    anothers = any(other.cue is Cue.RELATION and other.start in clause for other in sentence.marks)
    return pointed and (anothers or not _PACK.not_mine.isdisjoint(rest)) and not any(map(str.isdecimal, rest))


def _timed(sentence: Sentence, at: int, phrase: Phrase, time: str) -> None:
    """Applies a time to its clause, and to the next one if the time is alone in the first clause (`Tahun lalu, …`)."""
    clause = sentence.clause(at)
    said = " ".join(word for word in sentence.words[clause.start : clause.stop] if word[0].isalnum())
    rest = said.replace(" ".join(phrase), " ", 1).split()
    alone = clause.start == 0 and all(word in FILLERS for word in rest)
    more = sentence.clause(clause.stop).stop if alone and clause.stop < len(sentence.words) else clause.stop
    for place in range(clause.start, more):
        sentence.times[place] = sentence.times[place] or time


def _set(sentence: Sentence, places: range, mood: Mood) -> None:
    for at in places:
        if sentence.moods[at] is Mood.SAID:
            sentence.moods[at] = mood


def _on_example(sentence: Sentence, mark: Mark) -> None:
    """A condition, example or report opens its clause and all after it; at the end of the sentence, everything."""
    if mark.start == 0 and sentence.proposes:
        return
    start = sentence.clause(mark.start).start
    rest = [word for word in sentence.words[mark.end :] if word[0].isalnum() and word not in FILLERS]
    _set(sentence, range(start if rest else 0, len(sentence.words)), Mood.OPEN)


def _on_unsure(sentence: Sentence, mark: Mark) -> None:
    """A doubt opens what stands around it. Alone in its clause, also the one before or its RT; at the end, all."""
    clause = sentence.clause(mark.start)
    rest = [at for at in clause if not mark.start <= at < mark.end and sentence.words[at] not in FILLERS]
    if any(sentence.words[at][0].isalnum() for at in rest):
        doubted = _around(sentence, mark, clause)
    elif clause.start and any(word[0].isalnum() and word not in FILLERS for word in sentence.words[clause.stop :]):
        before = sentence.clause(clause.start - 1)
        near = (label.start for label in sentence.labels if label.value in ("rt", "rw") and label.start in before)
        # `Gang Mawar 21 RT 2 atau RT 3 ya, lupa`: not the street
        doubted = range(next(near, before.start), clause.stop)
    else:
        doubted = range(len(sentence.words))
    _set(sentence, doubted, Mood.OPEN)


def _around(sentence: Sentence, mark: Mark, clause: range) -> range:
    """The words of a clause from the label before a cue to the label, or the citizen, after what follows the cue:
    spoken without commas, one clause may hold a whole form."""
    marks = (one for one in sentence.marks if one.cue in _NAMING and one.value not in NEIGHBOURHOOD)
    starts = [one.start for one in marks if one.start in clause]
    before = max((start for start in starts if start < mark.start), default=clause.start)
    rest = (at for at in range(mark.end, clause.stop) if at not in sentence.covered(_NAMING))
    first = next((at for at in rest if sentence.words[at][0].isalnum()), clause.stop)
    return range(before, min((start for start in starts if start > first), default=clause.stop))


def _on_negation(sentence: Sentence, mark: Mark) -> None:
    """A negation denies the rest of its clause; `never` and a bare negation deny all of it."""
    words = sentence.words[mark.start : mark.end]
    if _asks_whether(sentence, mark) or any(" ".join(words) in known for known in _TIMES.values()):
        return
    clause = sentence.clause(mark.start)
    rest = [word for word in sentence.words[mark.end : clause.stop] if word[0].isalnum()]
    _set(sentence, range(mark.start, clause.stop), Mood.DENIED)
    if any(label.start == mark.end for label in sentence.labels):
        _set(sentence, clause, Mood.DENIED)  # `3175… itu bukan NIK saya`
    never = bool(_PACK.never.intersection((*words, *rest[:1])))
    if all(word in _PACK.disowns or word in FILLERS for word in rest):
        _set(sentence, clause, Mood.DENIED)
        sentence.wrong = True
    if never:
        _set(sentence, range(clause.start, len(sentence.words)), Mood.DENIED)
        sentence.wrong = sentence.wrong or bool(sentence.labels)  # `he never picks up` retracts nothing


def _asks_whether(sentence: Sentence, mark: Mark) -> bool:
    """Whether a negation that ends its clause only asks and denies nothing: `ada yang lain tidak`, `free or not?`."""
    clause = sentence.clause(mark.start)
    before = sentence.words[clause.start : mark.start]
    asks = (sentence.asks and not FILLERS.issuperset(before)) or not _PACK.asks_whether.isdisjoint(before)
    return asks and FILLERS.issuperset(sentence.words[mark.end : clause.stop])


def _on_wrong(sentence: Sentence, mark: Mark) -> None:
    """Deny what is called wrong: the clause up to the word, or what follows its colon; the rest corrects it."""
    clause = sentence.clause(mark.start)
    rest = [word for word in sentence.words[mark.end : clause.stop] if word[0].isalnum() and word not in FILLERS]
    if sentence.words[mark.start] in _PACK.denials and mark.start == clause.start and rest:
        _on_negation(sentence, mark)  # `tidak benar nama saya …` gives no other value
        return
    sentence.wrong = True
    _set(sentence, range(clause.start, mark.end), Mood.DENIED)
    after = sentence.words[mark.end : mark.end + 2]
    if after[:1] == [":"] and _PACK.before_name.isdisjoint(after[1:]):
        _set(sentence, range(mark.end, clause.stop), Mood.DENIED)  # `nama yang salah: …`
        return
    _correct(sentence, mark)


def _correct(sentence: Sentence, mark: Mark) -> None:
    sentence.corrected[mark.end :] = [True] * (len(sentence.words) - mark.end)


def _on_turn(sentence: Sentence, mark: Mark) -> None:
    """After a denial, marks the words that follow as a correction: `bukan karena jatuh, tapi karena stroke`."""
    before = mark.start - (mark.start > 1 and sentence.words[mark.start - 1] in SEPARATORS) - 1
    if before >= 0 and Mood.DENIED in {sentence.moods[at] for at in sentence.clause(before)}:
        _correct(sentence, mark)


def _question(sentence: Sentence) -> None:
    """Marks as open what is only asked. A polite request that asks for no information states what is wanted."""
    start = sentence.asking = first_asked(sentence.words, sentence.marks, sentence.asks)
    if start is None:
        return
    words = sentence.words[start:]
    polite = (
        _PACK.requests.intersection(words) and _PACK.interrogatives.isdisjoint(words) and _PACK.doubts.isdisjoint(words)
    )
    if polite or sentence.proposes:
        return
    hypothetical = any(mark.cue in SUPPOSING or mark.cue is Cue.UNSURE for mark in sentence.marks)
    sentence.inquiring = (
        bool(_PACK.unknowns.intersection(words)) and not hypothetical and _PACK.doubts.isdisjoint(words)
    )
    _set(sentence, range(start, len(sentence.words)), Mood.OPEN)


_MOODS = {
    **dict.fromkeys(SUPPOSING, _on_example),
    Cue.UNSURE: _on_unsure,
    Cue.NEGATION: _on_negation,
    Cue.WRONG: _on_wrong,
    Cue.CORRECTION: _correct,
    Cue.TURN: _on_turn,
}
