"""What more a value of somebody's own data (a NIK, a birth, a state) needs than to fit its kind. It binds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import choices, dates, names
from agentd.apps.letters.evidence.case import CLAUSE, Place, clear
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import SELF, Cue
from agentd.apps.letters.evidence.named import Named, narrow
from agentd.apps.letters.evidence.spans import NUMBERS, TEXTS, alone
from agentd.apps.letters.languages import phrases

_PACK = phrases()
RIGHTS = frozenset({Cue.CORRECTION, Cue.WRONG, Cue.TURN})
_SILENT = FILLERS | SELF | _PACK.joins
_EVENTS = _PACK.events | {word for known in _PACK.tenses.values() for sense in known for word in _PACK.senses[sense]}
"""What a date is of, when it is no birth."""


def scope(field: Field, place: Place) -> frozenset[int]:
    """The words that may say what a value is of: its clause, and of a correction the clause that it corrects too."""
    sentence, start = place.sentence, place.span.start
    clauses = {place.clause}
    born = field.kind == "date" and field.common
    if born and alone(sentence.words, place.span, sentence.clause(start)):  # `TTL: Bandung, 5 Januari 1990`
        clauses |= {sentence.clauses[one.start] for one in place.near if one.end <= start}
    if sentence.corrected[start]:
        cues = {at for mark in sentence.marks if mark.cue in RIGHTS for at in range(mark.start, mark.end)}
        before = range(max(0, start - CLAUSE), start)
        names = {at for one in place.near for at in range(one.start, one.end)}
        strange = [at for at in before if not (sentence.corrected[at] or at in cues or clear([sentence.words[at]]))]
        said = sorted({*strange, *names.intersection(before)})
        clauses |= {sentence.clauses[at] for at in said[-1:]}
    return frozenset(at for at in place.reach() if sentence.clauses[at] in clauses)


def clearly_named(field: Field, place: Place) -> bool:
    """Whether nothing strange stands between the field's own name and a value, as in `NIK lama saya`."""
    if not field.common or field.kind in TEXTS | NUMBERS:
        return True
    own = (one for one in reversed(place.near) if one.plain and one.keys == {field.key})
    last = next((one for one in own if one.end <= place.span.start), None)
    if last is None or place.sentence.clauses[last.start] != place.clause:
        return True
    known = {at for one in place.near if field.key in one.keys for at in range(one.start, one.end)}
    known |= whose_words(field, place)
    between = [place.sentence.words[at] for at in range(last.end, place.span.start) if at not in known]
    return clear([word for word in between if word not in SELF])


def is_no_state(field: Field, place: Place, clause: frozenset[int]) -> bool:
    """`mau menikah`, `menikah 2015`, `guru agama Islam`: what somebody wishes, when, and what a job is called."""
    sentence, span = place.sentence, place.span
    before = [sentence.words[at] for at in clause if at < span.start]
    dated = any(map(str.isdecimal, sentence.words[span.end : span.end + 1]))
    state = field.common and field.kind == "choice"
    return state and (dated or not (choices.WISHES | choices.JOBS).isdisjoint(before))


def born_there(field: Field, place: Place) -> bool:
    """Whether a place is where somebody was born: by the name, the question, or a day behind it among their data."""
    sentence, span = place.sentence, place.span
    if _EVENTS.intersection(field.spoken) or place.case.form.names.find(field.spoken):
        return False
    if field.key in narrow(place.turn.asked, frozenset(place.case.form.shapes)):
        return True
    if any(one.plain and field.key in one.keys and one.start in scope(field, place) for one in place.named):
        return True
    after = sentence.words[span.end : span.end + CLAUSE]
    dated = any(clear(after[:start]) for start, _, _ in dates.dates(after))
    return dated and place.turn.heard.listed and _EVENTS.isdisjoint(sentence.words[at] for at in place.around())


def listed(field: Field, place: Place) -> bool:
    """Whether a day stands among somebody's data, with no word for what else it is of."""
    said = [place.sentence.words[at] for at in place.around()]
    return field.kind == "date" and place.turn.heard.listed and _EVENTS.isdisjoint(said)


def whose_words(field: Field, place: Place) -> set[int]:
    """The words for the field's person."""
    people = (mark for mark in place.sentence.marks if mark.cue is Cue.RELATION and mark.value == field.person)
    return {at for mark in people for at in range(mark.start, mark.end)}


def says_an_occupation(place: Place) -> bool:
    """Whether what is said up to the next name of a field is what somebody works as (`saya seorang guru bernama …`)."""
    words, span, end = place.sentence.words, place.span, place.span.end
    after = next((mark.start for mark in place.sentence.labels if mark.start >= end), len(words))
    said = [at for at in place.around() if at < after and words[at][0].isalnum()]
    job = [words[at] for at in said if span.start <= at < end]
    rest = [words[at] for at in said if not span.start <= at < end]
    wished = not choices.WISHES.isdisjoint((*job, *rest)) and not choices.meanings(job)
    return choices.is_occupation(job) and not wished and _SILENT.issuperset(rest)


def text_of(field: Field, place: Place) -> bool:
    """Whether free text is said of the field: by its own name, as the answer to its question, or by what it says."""
    sentence, start, clause = place.sentence, place.span.start, place.clause
    if field.key in narrow(place.turn.asked, frozenset(place.case.form.shapes)):
        return True
    if field.label == "pekerjaan" and says_an_occupation(place):
        return True
    if field.label == "keperluan" and _names_somebody(place):
        return False
    label = next((mark for mark in reversed(sentence.labels) if mark.end <= start), None)
    if label is not None and sentence.clauses[label.start] == clause:
        if label.value.startswith("x:") or not _PACK.not_mine.isdisjoint(sentence.words[label.end : start]):
            return False  # `nama jalan`, `nama usaha lama …`
    before = [*place.before, *(one for one in place.named if one.end <= start)]
    own = [one.end for one in place.named if one.end <= start]
    last = before[-1:] if clear(sentence.words[own[-1] if own else 0 : start]) else []
    near = [one for one in place.named if sentence.clauses[one.start] == clause]
    shapes = place.case.form.shapes
    texts = frozenset(key for key, shape in shapes.items() if shape.kind == "text")
    called = any(one.plain and field.key in one.keys <= texts for one in (*last, *near))
    traded = not _PACK.business.isdisjoint(sentence.words[at] for at in place.around() if at < start)
    introduced = any(field.key in one.keys and _introduces(sentence.words, one) for one in near)
    business = field.label == "nama_usaha" and traded and introduced
    return called or business or sentence.corrected[start]


def _introduces(words: Sequence[str], one: Named) -> bool:
    """`toko bernama …`, `usaha saya namanya …`: the thing before it is called so."""
    return words[one.start] in ("bernama", "called") or words[one.end : one.end + 1] in (["nya"], ["-"])


def _names_somebody(place: Place) -> bool:
    """`untuk Budi Santoso, NIK 3175…`: for whom, and not for what."""
    sentence, span = place.sentence, place.span
    after = sentence.words[span.end : span.end + CLAUSE]
    nik = any(mark.value == "nik" and mark.start in range(span.end, span.end + 3) for mark in sentence.labels)
    name = names.plausible(names.key(sentence.words[span.start : span.end]))
    return name and (nik or (after[:1] == [","] and len("".join(after[1:2])) == 16))
