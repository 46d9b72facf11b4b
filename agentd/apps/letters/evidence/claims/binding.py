"""Binds a value to fields and persons, using the words around it, its kind and the question before it. Ignores moods.

It returns every field that a value may belong to. A value is proven only if there is exactly one.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from operator import attrgetter

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims import identity
from agentd.apps.letters.evidence.claims.asserted import owner
from agentd.apps.letters.evidence.claims.case import CLAUSE, Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.named import Named, bounded, narrow, plainest
from agentd.apps.letters.evidence.fields.shapes import ANYBODY
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS, alone, clear, fits, values_of
from agentd.apps.letters.evidence.normalisers.numbers import SPOKEN
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SALUTATIONS, SELF
from agentd.apps.letters.evidence.reading.persons import CITIZEN, SOMEBODY
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import ADDRESSES
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_COUNT_DIGITS = 3
"""The most digits of a count; a longer number is an identifier."""
_NEAR = 6
"""How many field names before a value are considered."""
_TYPED = frozenset({"choice", "boolean", "date", "time"})
_LOOSE = TEXTS | NUMBERS | {"nik", "kk", "code"}
_TEXTUAL = ADDRESSES | {"nama", "pekerjaan", "keperluan", "nama_usaha", "jenis_usaha", "x:nama"}
"""Labels of fields whose value may be any words."""
_WAYS = frozenset(_PACK.senses["origin"]) | _PACK.toward


def means(field: Field, place: Place) -> bool:
    """Whether a value belongs to this field and to no other."""
    found, asked = meant(field, place)
    return found == {field.key} and whose(field, place, asked=asked)


def meant(field: Field, place: Place) -> tuple[frozenset[str], bool]:
    """(keys of the fields that a value may belong to, whether a question of the agent asked for some of them)."""
    shapes, turn, span = place.case.form.shapes, place.turn, place.span
    candidates = frozenset(
        key
        for key, shape in shapes.items()
        if key == field.key or fits(shape, field, place.sentence.words, span, turn.day)
    )
    candidates = identity.alike(candidates, field, place)
    candidates = identity.introduced(candidates, place) or candidates
    candidates = _owned(candidates, field, place) or candidates
    labels = _labels(field, place, candidates)
    if labelled_otherwise(field, place):
        return frozenset(), False
    wanted = turn.wanted
    if field.kind in _LOOSE and wanted and field.key not in wanted and _answers(place, wanted):
        return frozenset(), False  # any words fit a text, any digits a number, code or NIK
    asked = _recent(narrow(turn.asked, candidates), turn, field.kind)
    topic = narrow((one.keys for one in place.before[-_NEAR:]), candidates)
    whole = frozenset(key for key in candidates if key in shapes and shapes[key].person == field.person)
    by_kind = not asked and all(field.person is not None and keys == whole for keys in labels)
    narrowed = candidates
    if by_kind and field.kind in TEXTS:
        narrowed = frozenset(key for key in narrowed if key in shapes and shapes[key].kind == field.kind)
    for keys in (*labels, asked, topic):
        narrowed = narrowed & keys or narrowed
    narrowed = plainest(narrowed, [*labels, asked, topic], shapes)
    return narrowed if field.kind in TEXTS else _by_own_words(narrowed, place), bool(asked)


def _answers(place: Place, wanted: frozenset[str]) -> bool:
    """Whether a value is the whole answer to the question for other fields, or one of them can hold it by its kind."""
    sentence, (start, end, _) = place.sentence, place.span
    return alone(sentence.words, place.span) or (start, end) in _held(place.case, sentence, wanted, place.turn.day)


@once
def _held(case: Case, sentence: Sentence, keys: frozenset[str], day: date) -> frozenset[tuple[int, int]]:
    """(start, end) of each value of these fields' kinds in a sentence."""
    found = (span for key in keys for span in values_of(case.form.shapes[key], sentence.words, day))
    return frozenset((start, end) for start, end, _ in found)


def _recent(asked: frozenset[str], turn: Turn, kind: str) -> frozenset[str]:
    """If a question may ask for several fields (`jam berapa?`), narrows them to those mentioned just before. Does
    nothing for two questions for a name, because they may ask for different people's names."""
    names = kind == "name" and len(turn.asked) > 1
    unsure = any(len(keys) > 1 for keys in turn.asked) and not turn.heard.another and not names
    for keys in turn.before if unsure else ():
        if len(asked) > 1:
            asked = asked & keys or asked
    return asked


def _by_own_words(keys: frozenset[str], place: Place) -> frozenset[str]:
    """Narrows several fields to the one whose own word is in the clause, or else before it (`meninggal …, di RSUD`)."""
    shapes, said = place.case.form.shapes, place.sentence.words
    known = ((key, shapes[key].words) for key in keys & shapes.keys())
    words = {key: {word for word in own if word not in FILLERS and word not in RELATING} for key, own in known}
    if len(words) < 2:
        return keys
    shared = set.intersection(*words.values())
    start, end = place.span.start, place.span.end
    around = {said[at] for at in place.around() if at < end or not bounded(said[end : at + 1])}
    for spoken in (around, {*said[max(0, start - CLAUSE) : start]}):
        found = frozenset(key for key, own in words.items() if (own - shared) & spoken)
        if found:
            return found
    return keys


def labelled_otherwise(field: Field, place: Place, *, plain: bool = True) -> bool:
    """Whether a value directly follows another field's own name (`NIM F55121044`) and so belongs to that field. With
    `plain=False`, any word of that field counts."""
    sentence, start = place.sentence, place.span.start
    labels = [mark for mark in sentence.labels if mark.end <= start and sentence.clauses[mark.start] == place.clause]
    textual = _TEXTUAL if "keperluan" in place.case.labels else _TEXTUAL - {"keperluan"}
    if field.kind == "choice" and labels and labels[-1].value in textual:
        return SELF.isdisjoint(sentence.words[labels[-1].end + 1 : start])  # `alamat saya Jl. Masjid Islam`
    last = _last(place, plain=plain)
    own = () if field.common else (one for one in place.near if last and last.end <= one.start < start)
    if last is None or any(field.key in one.keys for one in (last, *own)):
        return False  # `balai RW 04 tanggal 31-12-2031`
    return clear(sentence.words[last.end : start]) and not _counted(place, last) and _holds(last, place, plain)


def _holds(one: Named, place: Place, plain: bool) -> bool:
    """Whether a named field may hold the value. Unless `plain`, the value must be of the field's kind (in `birmingham
    airport on 1 August` the airport is no date)."""
    shapes, (start, end, _) = place.case.form.shapes, place.span
    typed = [shapes[key] for key in one.keys if not plain and key in shapes and shapes[key].kind in _TYPED]
    words = place.sentence.words[start:end]
    return len(typed) < len(one.keys) or any(any(values_of(each, words, place.turn.day)) for each in typed)


def _labels(field: Field, place: Place, candidates: frozenset[str]) -> list[frozenset[str]]:
    """For each name near the value, nearest first, the candidates that it may name."""
    sentence, span, clause = place.sentence, place.span, place.clause
    inside = [one for one in place.near if one.start < span.end and one.end > span.start]
    scope = identity.scope(field, place)
    left = [one for one in place.near if one.start in scope and one.end <= span.start]
    right = [one for one in place.near if 0 <= one.start - span.end <= 1 and sentence.clauses[one.start] == clause]
    if field.kind == "name":  # the name before `passed away` isn't a place or date
        right = [one for one in right if identity.names_of_people(one.keys, place)]
    before = [one for one in reversed(left[-_NEAR:]) if field.kind not in NUMBERS or not _counted(place, one)]
    nearest = before[:1] if before and before[0].end >= span.start - 1 else []
    ordered = [*inside, *nearest, *right, *before[len(nearest) :]]
    return [keys for one in ordered if (keys := one.keys & candidates)]


def _counted(place: Place, label: Named) -> bool:
    """Whether the label's value is a number before it (`3 kamar tidur`), so that it doesn't name what follows. No RT or
    RW is counted (`RT 002 RW 005`)."""
    shapes = place.case.form.shapes
    before = place.sentence.words[label.start - 1] if label.start else ""
    countable = any(shapes[key].kind in NUMBERS for key in label.keys & shapes.keys())
    return countable and ((before.isdecimal() and len(before) <= _COUNT_DIGITS) or before in SPOKEN)


def _owned(candidates: frozenset[str], field: Field, place: Place) -> frozenset[str]:
    """The candidates that belong to the person whom the sentence is about; empty if it is about nobody."""
    whose = owner(place)
    if whose is not None and _outright(field, place):
        return frozenset()
    if whose is None:
        if not _of_the_citizen(place) or _by_its_name(field, place):
            return frozenset()
        whose = CITIZEN
    people = {key: shape.person for key, shape in place.case.form.shapes.items()} | {field.key: field.person}
    return frozenset(key for key in candidates if _same(people.get(key), whose, place.case))


def _of_the_citizen(place: Place) -> bool:
    """Whether the citizen is mentioned in the value's clause or begins the part it belongs to: `saya Yuni, NIK …`."""
    sentence = place.sentence
    last = next(((at, who) for at, who, owned in reversed(sentence.people) if place.span.start in owned), (0, ""))
    begins = last[1] is None and sentence.opens(last[0]) and not sentence.corrected[place.span.start]
    return begins or not sentence.alone.isdisjoint(place.around())


def _last(place: Place, *, plain: bool = False) -> Named | None:
    """The last field name before a value in its clause; with `plain`, only a field's own name."""
    clauses = place.sentence.clauses
    before = (one for one in reversed(place.near) if one.end <= place.span.start and one.plain >= plain)
    return next((one for one in before if clauses[one.start] == place.clause), None)


def _by_its_name(field: Field, place: Place) -> Named | None:
    """The field's own name if it is the last name before a value: `my doctor is …` gives the doctor's."""
    last = _last(place)
    return last if last is not None and last.plain and last.keys == {field.key} else None


def _same(person: str | None, owner: str | None, case: Case) -> bool:
    if owner is not None and owner.startswith(SOMEBODY) and owner.removeprefix(SOMEBODY) in case.vocabulary:
        owner = None  # `the recipient's account`, `cat's called Noodle`: the tool's own
    subject, _ = case.subject
    if person is None and subject is not None:
        return owner == subject
    if owner in (None, CITIZEN):  # `saya ibunya, Ratna`
        return person in (None, CITIZEN) or any((CITIZEN, each) in case.aliases for each in _covered(person))
    return (owner, person) in case.aliases or owner in _covered(person)


def _covered(person: str | None) -> tuple[str, ...]:
    """The relations that a person of a form may also be: a guardian may be a parent."""
    return (str(person), *_PACK.covers.get(str(person), ()))


def whose(field: Field, place: Place, *, asked: bool) -> bool:
    """Whether a value belongs to the field's person: that person is named, has an own label, or was asked about."""
    found, sentence = owner(place), place.sentence
    if field.person == ANYBODY:
        return True
    subject, since = place.case.subject
    if found is None and field.person is None and subject is not None and place.turn.order >= since:
        return sentence.alone.isdisjoint(place.around())
    if found is not None or field.person in (None, CITIZEN):
        return _same(field.person, found, place.case) or _outright(field, place)
    clause, corrected = place.clause, sentence.corrected[place.span.start]
    others = {key for key, shape in place.case.form.shapes.items() if shape.person != field.person}
    by_name = any(
        field.key in one.keys
        and others.isdisjoint(one.keys)
        and not _common(one, sentence)
        and (corrected or sentence.clauses[one.start] == clause)
        and not _addresses(one, place)
        for one in place.near
    )
    return by_name or (asked and not any(sentence.clauses[at] == clause for at in sentence.own))


def _addresses(one: Named, place: Place) -> bool:
    """Whether a relation word addresses somebody (`selamat siang Ibu Ratna`) or is a sender or recipient (`surat dari
    Bapak Joko`)."""
    words, start = place.sentence.words, one.start
    from_or_to = start > 0 and words[start - 1] in _WAYS and words[start] in RELATING
    return from_or_to or (words[start] in SALUTATIONS and one.end - start == 1)


def _common(one: Named, sentence: Sentence) -> bool:
    """Whether a field name is also one of the languages' common labels."""
    marks = (mark for mark in sentence.labels if not mark.value.startswith("field:"))
    return any((mark.start, mark.end) == (one.start, one.end) for mark in marks)


def _outright(field: Field, place: Place) -> bool:
    """Whether the field's full name stands before a value and only earlier clauses name a person.

    `nama ayah Joko, nama ibu Siti`. If the field belongs to nobody else, that person must be inside another field's
    value: `acara khitanan anak, jumlah undangan 200`.
    """
    sentence, clause = place.sentence, place.clause
    spoken = [at for at, _, owned in sentence.people if place.span.start in owned]
    name = _by_its_name(field, place)
    if name is None or _common(name, sentence):
        return False
    if any(at < 0 or sentence.clauses[at] == clause for at in spoken):
        return False
    return all(_in_a_field(at, place, named=field.person not in (None, CITIZEN)) for at in spoken)


def _in_a_field(at: int, place: Place, *, named: bool) -> bool:
    """Whether a relation word is part of another field's name (`named`) or ends the text after such a name."""
    sentence = place.sentence
    first, last = (bisect_left(place.named, near, key=attrgetter("start")) for near in (at - CLAUSE, at))
    if named:
        return any(one.plain and one.end == at + 1 for one in place.named[first:last])
    before = (one for one in place.named[first:last] if one.end < at)
    ends = any(mark.start == at and sentence.ends(mark.end) for mark in sentence.marks)
    return ends and any(one.plain and sentence.clauses[one.start] == sentence.clauses[at] for one in before)
