"""What the citizen said that nothing proves to be meant of a field: asked back, or shown to be checked before a yes.

A value that no reader can bind to one field may be what the model read: `Patricia Holloway` behind `your name, and who
is it for?`. It is never taken as proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agentd.apps.letters.evidence.answers import affirmed, repeated
from agentd.apps.letters.evidence.asserted import mood, owner
from agentd.apps.letters.evidence.binding import labelled_otherwise, meant, whose
from agentd.apps.letters.evidence.case import Case, Place
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import Cue
from agentd.apps.letters.evidence.persons import SOMEBODY
from agentd.apps.letters.evidence.possible import possible, says_something
from agentd.apps.letters.evidence.proof import last_word
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.spans import alone
from agentd.apps.letters.evidence.together import anothers

_NUMBERED = frozenset({"nik", "kk"})
_PERSONAL = _NUMBERED | {"name", "phone"}
_PROPOSED = frozenset({"date", "time", "number", "choice"})
"""Kinds of what an agent may propose; who somebody is, and a number of theirs, it can't know."""
_COUNTS = frozenset(map(str, range(1, 13)))
"""Numbers that somebody may mean without saying one (`my husband and I`)."""
_SUPPOSED = frozenset({Cue.EXAMPLE, Cue.LOOKUP, Cue.UNSURE})


def marked(field: Field, given: Iterable[Field], case: Case) -> Field:
    """An unproven field with whether the citizen `said` its value, of whatever field, and may have meant it of this one
    (`doubtful`). A choice or a small number may follow from what they said: the question that asks it back shows it."""
    known = field.value is not None and not field.many and field.kind != "boolean"
    if not known or not possible(field, case) or not says_something(field, case) or anothers(field, given, case):
        return field
    places = list(_places(field, case))
    if not field.common and (field.kind == "choice" or (field.kind == "number" and str(field.value) in _COUNTS)):
        said = all(mood(field, place) is not Mood.DENIED for place in places)
    else:
        said = any(_heard(field, place) and _may_be_asked(field, place) for place in places)
    return replace(field, said=said, doubtful=said and _doubtful(field, places, case))


def _doubtful(field: Field, places: Iterable[Place], case: Case) -> bool:
    last = last_word(field, case)
    if last is not None and last.corrected and not last.supports:
        return False
    since = max((turn.order for turn in case.taking_back), default=0)
    later = (place for place in places if place.turn.order >= since)
    return any(_heard(field, place, sure=True) and _may_be_meant(field, place) for place in later)


def _places(field: Field, case: Case) -> Iterator[Place]:
    """Where the citizen says a value, or says yes to one that the agent proposes (`tomorrow at nine?`)."""
    for turn in case.turns:
        yield from case.stated(field, turn)
        if field.kind in _PROPOSED and turn.question and affirmed(turn, case):
            yield from repeated(field, case, turn)


def _heard(field: Field, place: Place, *, sure: bool = False) -> bool:
    """Whether a value is said, or asked about (`do you have a double room?`), and not only supposed; `sure`: nor
    doubted."""
    sentence = place.sentence
    cues = {mark.cue for mark in sentence.marks if mark.cue is not Cue.UNSURE or sure}
    only_asked = not sentence.times[place.span.start] and cues.isdisjoint(_SUPPOSED)
    meant = mood(field, place)
    return meant is Mood.SAID or (meant is Mood.OPEN and only_asked)


def _may_be_asked(field: Field, place: Place) -> bool:
    """Whether a value may be asked back: the number of an identity or family card only where it is the person's own."""
    return field.kind not in _NUMBERED or _theirs(field, place, asked=meant(field, place)[1])


def _may_be_meant(field: Field, place: Place) -> bool:
    """Whether nothing says that a value is of another field, or of somebody whom the field isn't about."""
    personal = field.common or field.person is not None or field.kind in _PERSONAL  # a party's day may be a son's
    nobodys = field.person is None and place.case.form.of_others
    keys, asked = meant(field, place)
    answers = place.turn.asks_for(field.key) or _answers(place)
    free = not field.common and not labelled_otherwise(field, place, plain=False)
    return (answers or field.key in keys or free) and (not personal or nobodys or _theirs(field, place, asked=asked))


def _answers(place: Place) -> bool:
    """Whether a value is all that the citizen answers to a question."""
    alone_said = len(place.turn.heard.sentences) == 1 and alone(place.sentence.words, place.span)
    return bool(place.turn.question) and alone_said and not place.turn.heard.another


def _theirs(field: Field, place: Place, *, asked: bool) -> bool:
    return owner(place) in (None, SOMEBODY) or whose(field, place, asked=asked)
