"""What a value must be for its field beyond fitting the kind: personal data, and words that look like another's.

A value may look like an address or a place of birth, or be introduced as a person. Binds nothing.
"""

from __future__ import annotations

from itertools import pairwise

from agentd.apps.letters.evidence.claims.case import CLAUSE, Place
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS, alone, clear
from agentd.apps.letters.evidence.normalisers import choices, days
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SELF, Cue
from agentd.apps.letters.evidence.reading.persons import DECEASED, MY
from agentd.apps.letters.languages import phrases

_PACK = phrases()
RIGHTS = frozenset({Cue.CORRECTION, Cue.WRONG, Cue.TURN})
_RELATION = frozenset({Cue.RELATION})
_SELF = frozenset({Cue.SELF})
_DIED = _PACK.deaths | _PACK.fates
_EVENTS = _PACK.events | {word for known in _PACK.tenses.values() for sense in known for word in _PACK.senses[sense]}
"""Events that a date other than a birth may be about."""


def scope(field: Field, place: Place) -> frozenset[int]:
    """Indices of the words that may say what a value is about: its clause and, for a correction, the corrected one."""
    sentence, start = place.sentence, place.span.start
    clauses = {place.clause}
    born = field.kind == "date" and field.common
    if born and alone(sentence.words, place.span, sentence.clause(start)):  # `TTL: Bandung, 5 Januari 1990`
        clauses |= {sentence.clauses[one.start] for one in place.near if one.end <= start}
    if sentence.corrected[start]:
        cues = sentence.covered(RIGHTS)
        before = range(max(0, start - CLAUSE), start)
        names = {at for one in place.near for at in range(one.start, one.end)}
        strange = [at for at in before if not (sentence.corrected[at] or at in cues or clear([sentence.words[at]]))]
        said = sorted({*strange, *names.intersection(before)})
        clauses |= {sentence.clauses[at] for at in said[-1:]}
    return frozenset(at for at in place.reach() if sentence.clauses[at] in clauses)


def clearly_named(field: Field, place: Place) -> bool:
    """Whether only neutral words stand between the field's own name and a value (not so in `NIK lama saya`)."""
    if not field.common or field.kind in TEXTS | NUMBERS:
        return True
    own = (one for one in reversed(place.near) if one.plain and one.keys == {field.key})
    last = next((one for one in own if one.end <= place.span.start), None)
    if last is None or place.sentence.clauses[last.start] != place.clause:
        return True
    known = {at for one in place.near if field.key in one.keys for at in range(one.start, one.end)}
    theirs = whose_words(field, place)
    behind = range(last.end, place.span.start)
    between = [place.sentence.words[at] for at in behind if at not in known and at not in theirs]
    return clear([word for word in between if word not in SELF])


def is_no_state(field: Field, place: Place, clause: frozenset[int]) -> bool:
    """Whether a status is only a wish (`mau menikah`), dated (`menikah 2015`) or part of a job (`guru agama Islam`)."""
    sentence, span = place.sentence, place.span
    before = [sentence.words[at] for at in clause if at < span.start]
    dated = any(map(str.isdecimal, sentence.words[span.end : span.end + 1]))
    state = field.common and field.kind == "choice"
    return state and (dated or not (choices.WISHES | choices.JOBS).isdisjoint(before))


def born_there(field: Field, place: Place) -> bool:
    """Whether a place is a place of birth: by its label, the question, or a date after it in a personal data list."""
    sentence, span = place.sentence, place.span
    if _EVENTS.intersection(field.spoken) or place.case.form.names.find(field.spoken):
        return False
    if field.key in place.turn.wanted:
        return True
    if any(one.plain and field.key in one.keys and one.start in scope(field, place) for one in place.named):
        return True
    after = sentence.words[span.end : span.end + CLAUSE]
    dated = any(clear(after[:start]) for start, _, _ in days.dates(after))
    return dated and place.turn.heard.listed and _EVENTS.isdisjoint(sentence.words[at] for at in place.around())


def listed(field: Field, place: Place) -> bool:
    """Whether a date stands in a list of personal data whose clause names no other event."""
    said = [place.sentence.words[at] for at in place.around()]
    return field.kind == "date" and place.turn.heard.listed and _EVENTS.isdisjoint(said)


def whose_words(field: Field, place: Place) -> frozenset[int]:
    """The indices of the words for the field's person: their relation to the citizen, and that they died."""
    sentence, died = place.sentence, _DIED if field.person == DECEASED else frozenset[str]()
    person = place.case.subject[0] if field.person is None else field.person
    roles = (person, *(relation for relation, role in place.case.aliases if role == person))
    named = (sentence.covered(_RELATION, role) for role in roles if role is not None)
    return frozenset(at for at in place.reach() if sentence.words[at] in died).union(*named)


def alike(keys: frozenset[str], field: Field, place: Place) -> frozenset[str]:
    """Narrows fields of free text to those that a value looks like: an address, or a description of several words."""
    shapes, span = place.case.form.shapes, place.span
    raws = place.sentence.raws[span.start : span.end]
    if field.kind not in TEXTS:
        return keys
    after = place.sentence.words[span.end : span.end + CLAUSE]
    if field.kind == "place" and field.common and any(clear(after[:start]) for start, _, _ in days.dates(after)):
        return frozenset({field.key})  # `Jakarta 5 Januari 1990`
    numbered = any(map(str.isdecimal, raws))
    if field.addresses and numbered and len(raws) > 2:
        return frozenset(key for key in keys if key == field.key or shapes[key].addresses)
    if field.kind != "name" and (numbered or (raws[0][0].islower() and any(raw[0].isupper() for raw in raws))):
        keys = keys - (names_of_people(keys, place) - {field.key})  # `ask for Dave at the desk`
    lower = all(raw.isalpha() and raw.islower() for raw in raws[1:])
    if "description" in field.senses and len(raws) > 2 and lower:
        return frozenset(key for key in keys if key == field.key or "description" in shapes[key].senses)
    return keys


def names_of_people(keys: frozenset[str], place: Place) -> frozenset[str]:
    """Of these fields, those whose kind is a person's name."""
    known = ((key, place.case.form.shapes[key]) for key in keys & place.case.form.shapes.keys())
    return frozenset(key for key, shape in known if shape.kind == "name" and "title" not in shape.senses)


def introduced(keys: frozenset[str], place: Place) -> frozenset[str]:
    """Narrows the candidates to names of people for a titled name (`Uncle Richard`, `Ibu Diana`) or an introduction
    (`I'm Alice`)."""
    sentence, span = place.sentence, place.span
    words = sentence.words[span.start : span.end]
    begin = sentence.clause(span.start).start
    himself = begin in sentence.covered(_SELF) and sentence.words[begin] not in MY and not RELATING.issuperset(words)
    if himself and span.start - begin <= CLAUSE:
        between = [*sentence.words[begin : span.start], "'"]
        if all(one == "'" or word in _PACK.copulas or not word[0].isalpha() for one, word in pairwise(between)):
            return names_of_people(keys, place)
    titled = len(words) > 1 and words[0] in RELATING and sentence.raws[span.start + 1][0].isupper()
    return names_of_people(keys, place) if titled and not choices.is_choice(words) else frozenset()
