"""Which fields a value seems to belong to, by its form and introduction: an address, a place of birth, a person."""

from __future__ import annotations

from itertools import pairwise

from agentd.apps.letters.evidence.claims.case import CLAUSE, Place
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import TEXTS, clear
from agentd.apps.letters.evidence.normalisers.choices import is_choice
from agentd.apps.letters.evidence.normalisers.days import dates
from agentd.apps.letters.evidence.reading.lexicon import RELATING, Cue
from agentd.apps.letters.evidence.reading.persons import MY
from agentd.apps.letters.languages import phrases

_SELF = frozenset({Cue.SELF})
_COPULAS = phrases().copulas


def alike(keys: frozenset[str], field: Field, place: Place) -> frozenset[str]:
    """Narrows fields of free text to those that a value looks like: an address, or a description of several words."""
    shapes, span = place.case.form.shapes, place.span
    raws = place.sentence.raws[span.start : span.end]
    if field.kind not in TEXTS:
        return keys
    after = place.sentence.words[span.end : span.end + CLAUSE]
    if field.kind == "place" and field.common and any(clear(after[:start]) for start, _, _ in dates(after)):
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
        if all(one == "'" or word in _COPULAS or not word[0].isalpha() for one, word in pairwise(between)):
            return names_of_people(keys, place)
    titled = len(words) > 1 and words[0] in RELATING and sentence.raws[span.start + 1][0].isupper()
    return names_of_people(keys, place) if titled and not is_choice(words) else frozenset()
