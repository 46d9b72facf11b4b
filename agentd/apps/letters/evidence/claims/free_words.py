"""Whether free words answer for a field only by chance: something beside them or in them explains them better.

`like`, of `I would like to go to Chicago`, is no city. Such words prove nothing; the citizen sees them marked or is
asked. Knows no other kinds of values.
"""

from __future__ import annotations

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.case import Place
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.normalisers import days, hours
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SELF, Cue
from agentd.apps.letters.languages import phrases

_PLACES = frozenset(word for sense in ("city", "place") for word in phrases().senses[sense])
_BESIDE = FILLERS | all_words().joiners | SELF | _PLACES
_BESIDE |= phrases().copulas | phrases().requests | phrases().quiet | phrases().date_noise
"""Words that may stand beside a value and say nothing."""
_LIES = (phrases().lies | _PLACES) & (FILLERS | phrases().quiet)
"""Words before a place: `in`, `di`."""
_TOWARDS = phrases().toward | frozenset(phrases().senses["origin"])
_WISHING = phrases().interrogatives | phrases().requests | phrases().polite | phrases().make
_JOINS = phrases().joins
_LABELS = frozenset({Cue.LABEL})
_CUES = frozenset(Cue)


def _left_over(field: Field, place: Place) -> bool:
    """Whether words that nothing explains stand beside a value: in its clause, and for a text also in another one."""
    if field.common:
        return False
    sentence, (start, end, _), names = place.sentence, place.span, place.case.form.names
    words, clause, text = sentence.words, sentence.clause(start), field.kind == "text" and not field.addresses
    here = [one for one in place.named if field.key in one.keys and one.start in clause]
    own = next((one.end for one in reversed(here) if one.end <= start), None)
    called = own is not None or any(one.start == end and (one.plain or names.has(words[end])) for one in here)
    numbered = start > clause.start and words[start - 1].isdecimal()
    if numbered or (not called and any(one.start >= end for one in here)):
        return True  # `like` of `I would like to go to Chicago`, `Ave` of `3rd Ave`
    whole = text and not called and len(place.turn.wanted) == 1
    scope = range(len(words)) if whole else clause
    before = range(scope.start if own is None else own, clause.start if text else start)
    if sentence.corrected[start] or (field.kind == "name" and words[start] in RELATING):
        before = range(0)
    idle = _BESIDE if field.kind == "text" else _BESIDE | place.case.vocabulary
    known = {at for one in place.named for at in range(one.start, one.end)} | sentence.covered(_CUES)
    beside = (at for at in (*before, *_behind(field, place, scope, text=text)) if at not in known)
    return any(words[at][0].isalpha() and words[at] not in idle for at in beside)


def _behind(field: Field, place: Place, scope: range, *, text: bool) -> range:
    """The words after a value up to the next field's name."""
    end = place.span.end
    names = (one for one in place.named if one.plain or text or field.key not in one.keys)
    ends = {one.start for one in names} | place.sentence.covered(_LABELS)
    return range(end, next((at for at in range(end, scope.stop) if at in ends), scope.stop))


def _begins_otherwise(field: Field, _place: Place) -> bool:
    """Whether words begin like a question or a request: `What are some other options`, `search for Deadpool`."""
    return not field.common and field.spoken[0] in _WISHING


def _of_the_agent(field: Field, place: Place) -> bool:
    """Whether words repeat what the agent said of something else: `standard` after `Standard or 3D?`."""
    if field.common or not place.turn.question:
        return False
    heard, named = place.case.read(place.turn.question)
    said = zip(heard.sentences, named, strict=True)
    else_ = (each.words for each, own in said if all(field.key not in one.keys for one in own))
    return any(set(field.spoken).issubset(words) for words in else_)


def _of_two_parts(field: Field, place: Place) -> bool:
    """Whether a text without its field's name has more than one clause: `bouquet, red obviously`."""
    words, clauses, (start, end, _) = place.sentence.words, place.sentence.clauses, place.span
    if field.addresses or any(one.plain and one.end <= start and field.key in one.keys for one in place.near):
        return False
    parts = (at for at in range(start + 1, end) if clauses[at] != clauses[at - 1])
    return ":" in words[start:end] or any(_JOINS.isdisjoint(words[at : at + 2]) for at in parts)


def _of_the_tool(field: Field, place: Place) -> bool:
    """Whether a name or place is only words for the tool: `reserve the bus`."""
    return all(word in place.case.vocabulary or word in _BESIDE for word in field.spoken)


def _holds_a_time(_field: Field, place: Place) -> bool:
    """Whether a name or place contains a day or an hour: `leave on the 8th`."""
    words = place.sentence.words[place.span.start : place.span.end]
    return any(days.days(words, place.turn.day)) or any(hours.hours(words))


def _names_another(field: Field, _place: Place) -> bool:
    """Whether a name or place holds a word that begins another one: `Send it to Philip`, `departing from Phoenix`."""
    return not _TOWARDS.isdisjoint(field.spoken) or not _LIES.isdisjoint(field.spoken[1:])


_WORDS = (_begins_otherwise, _of_the_agent, _left_over)
TEXT = (*_WORDS, _of_two_parts)
NAME = (*_WORDS, _of_the_tool, _holds_a_time, _names_another)
"""What is asked of a text's words, and of those of a name or place."""
