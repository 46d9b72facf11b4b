"""Marks values that the citizen said but that aren't proven to belong to a field: the agent asks about them first.

A value that can't be bound to one field may still be what the model understood (`Patricia Holloway` after `your name,
and who is it for?`). It never counts as proven.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agentd.agent.text import FILLERS, fold, folded_tokens
from agentd.apps.letters.evidence.claims import quotes
from agentd.apps.letters.evidence.claims.answers import agents_turn
from agentd.apps.letters.evidence.claims.asserted import mood, owner, taken_back, taking_back
from agentd.apps.letters.evidence.claims.binding import labelled_otherwise, meant, whose
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.claims.mentions import own
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import NUMBERS, Span, alone, spans
from agentd.apps.letters.evidence.judging.possible import possible, says_something
from agentd.apps.letters.evidence.judging.proof import last_word
from agentd.apps.letters.evidence.judging.together import anothers
from agentd.apps.letters.evidence.judging.when import bare, in_other_words
from agentd.apps.letters.evidence.normalisers import hours, numbers
from agentd.apps.letters.evidence.normalisers.digits import SIXTEEN
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.evidence.reading.lexicon import SUPPOSING, Cue, Mark
from agentd.apps.letters.evidence.reading.persons import SERVED, SOMEBODY
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import Claim, Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_PERSONAL = SIXTEEN | {"phone"}
_PROPOSED = frozenset({"date", "time", "number", "choice"})
"""Kinds whose values an agent may propose. It can't know names or personal numbers."""
_CORRECTING = frozenset({Cue.WRONG, Cue.CORRECTION})
_OBJECTING = _CORRECTING | {Cue.NEGATION}
_COUNTS = frozenset(map(str, range(1, 13)))
"""Numbers that somebody may imply without saying one (`my husband and I`)."""
_WAS = Phrasebook(phrase for phrase in _PACK.past if " " in phrase and not numbers.unit(phrase.split()))
"""Phrases for what no longer is (`used to`); a single word (`once`) may say more, a unit (`last week`) only when."""
_TIMES = Phrasebook(_PACK.past | _PACK.ended | _PACK.future | _PACK.soon)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)")


def marked(field: Field, given: Iterable[Field], case: Case) -> Field:
    """Sets on an unproven field whether its value was `said` of any field and whether it may be meant for this one
    (`doubtful`). A choice, day, hour or small number may be inferred from other words: the question back shows it."""
    known = field.value is not None and not field.many and not (field.common and field.kind == "boolean")
    sentences = _SENTENCES.split(str(field.value)) if known and field.kind == "text" else ()
    if sentences[1:]:
        each = [marked(replace(field, value=sentence), given, case) for sentence in sentences]
        return replace(field, said=all(one.said for one in each), doubtful=all(one.doubtful for one in each))
    if not known or not possible(field, case) or not says_something(field, case) or anothers(field, given, case):
        return field
    if field.kind == "boolean":
        said = any(turn.asks_for(field.key) for turn in case.turns)  # answered, in any words
        read = not _contradicted(field, case)
        return replace(field, said=said, doubtful=said and read, read=read and not said)
    places = list(_places(field, case))
    asked_back = (place for place in places if _heard(field, place) or mood(field, place) is not Mood.DENIED)
    said = any(_may_be_asked(field, place) for place in asked_back) or (_inferable(field) and not places)
    last = last_word(field, case) if said else None
    doubtful = said and (_doubtful(field, places, last, case) or (last is None and _one(field, case)))
    unread = said and last is None and (_answered(field, case) or _quoted(field, case))
    doubtful = doubtful or in_other_words(field, case) or unread or (not places and _in_pieces(field, case))
    read = said and not doubtful and last is None and _read(field, case)
    return replace(field, said=said or doubtful, doubtful=doubtful or read, read=read)


def _inferable(field: Field) -> bool:
    """Whether a value may follow from other words: a choice or a small number, a day or an hour that is no person's."""
    if field.kind in ("date", "time"):
        return own(field) and not field.common
    return own(field) and (field.kind == "choice" or (field.kind == "number" and str(field.value) in _COUNTS))


@once
def _said(case: Case) -> frozenset[str]:
    """Every word that the citizen said and neither denied nor supposed."""
    each = (zip(each.words, each.moods, strict=True) for turn in case.turns for each in turn.heard.sentences)
    return frozenset(word for said in each for word, mood in said if mood is Mood.SAID)


def _in_pieces(field: Field, case: Case) -> bool:
    """Whether the citizen said each word of a tool's own text, not in a row. In a name they may be two persons'."""
    words = set(field.spoken) - FILLERS
    return own(field) and field.kind == "text" and len(words) > 1 and words <= _said(case)


def _answered(field: Field, case: Case) -> bool:
    """Whether the last answer to a question for the field is in words that no reader knows, and is no objection."""
    answer = next((turn for turn in reversed(case.turns) if turn.asks_for(field.key)), None)
    if answer is None or not _inferable(field) or any(map(str.isdecimal, answer.text)):
        return False
    read = any(case.places(field, turn) for turn in case.turns if turn.order >= answer.order)
    return not read and not answer.heard.another and _cues(answer).isdisjoint(_OBJECTING | {Cue.UNSURE})


def _quoted(field: Field, case: Case) -> bool:
    """Whether a model quotes the citizen's words for a value that may follow from them and in which none is read. They
    are in clauses without denial and doubt."""
    quote = case.quote(field) or ""
    words = tuple(folded_tokens(quote))
    if not words or not _inferable(field) or spans(field, words, case.today):
        return False
    orders, phrase = quotes.places(quote, case.said), Phrasebook([words])
    sentences = (each for turn in case.turns if turn.order in orders for each in turn.heard.sentences)
    found = ((sentence, at) for sentence in sentences for at, _ in phrase.find(sentence.words))
    return any(_certain(sentence, range(at, at + len(words))) for sentence, at in found)


def _certain(sentence: Sentence, reach: range) -> bool:
    """Whether no cue in the clauses of these words denies, supposes or doubts."""
    clauses = {sentence.clauses[at] for at in reach}
    cues = {mark.cue for mark in sentence.marks if sentence.clauses[mark.start] in clauses}
    return cues.isdisjoint(_OBJECTING | SUPPOSING | {Cue.UNSURE})


def _doubtful(field: Field, places: Sequence[Place], last: Claim | None, case: Case) -> bool:
    newest = field.kind in ("address", "rt", "rw") and last and all(each.turn.order < last.message for each in places)
    if last is not None and not last.supports and (last.corrected or newest):
        return False
    back = (turn for turn in taking_back(case) if taken_back(field, case, turn) and _reaches(field, case, turn))
    denied = [place.turn.order for place in places if mood(field, place) is Mood.DENIED]  # `it's 12, not 14`
    since = max([0, *denied, *(turn.order for turn in back)])
    later = (place for place in places if place.turn.order >= since)
    return any(_heard(field, place) and _may_be_meant(field, place) for place in later)


def _reaches(field: Field, case: Case, turn: Turn) -> bool:
    """Whether a denial applies to what an earlier message said of a field. It doesn't if it denies the number before it
    (`AB 2936, eh bukan`), or if it only answers something else (`Anybody else without power?` `no, only our house`)."""
    named = any(field.key in one.keys for each in turn.named for one in each)
    marks = ((each.words, mark) for each in turn.heard.sentences for mark in each.marks)
    if named or any(mark.cue in _CORRECTING and any(map(str.isdecimal, words[: mark.start])) for words, mark in marks):
        return named
    about = not turn.question or not _PACK.confirming.isdisjoint(fold(turn.question))
    return about or any(case.find(field, agents_turn(case, turn)))


def _read(field: Field, case: Case) -> bool:
    """Whether a choice may be inferred (`two separate beds`) because none was named, except to deny or suppose it."""
    found = (place for turn in case.turns for place in case.places(field, turn))
    named = any(place.span.supports or mood(field, place) is Mood.SAID for place in found)
    return own(field) and field.kind == "choice" and not named


def _one(field: Field, case: Case) -> bool:
    """Whether a count may be one because nobody counts (`a parcel`)."""
    one = field.kind == "number" and str(field.value) == "1" and own(field)
    return one and not any(_spoken_of(field, turn) for turn in case.turns)


def _spoken_of(field: Field, turn: Turn) -> bool:
    """Whether a message names a field as denied, supposed or of another time (`bukan kelas ekonomi`)."""
    return any(
        field.key in one.keys and (sentence.moods[one.start] is not Mood.SAID or sentence.times[one.start] != "")
        for sentence, named, _ in turn.sentences()
        for one in named
    )


def _contradicted(field: Field, case: Case) -> bool:
    """Whether the last claim on a boolean contradicts it, by its own name or after a question without denial."""
    last = last_word(field, case)
    if last is None or last.supports:
        return False
    turn = case.by_order[last.message]
    named = any(one.plain and field.key in one.keys for each in turn.named for one in each)
    return named or (turn.asks_for(field.key) and _PACK.denials.isdisjoint(fold(turn.question)))


def _places(field: Field, case: Case) -> Iterator[Place]:
    """Places where the citizen states a value or accepts what the agent proposed (`tomorrow at nine?`) or noted."""
    begun = not field.common and _begun(field, case)
    for turn in case.turns:
        yield from _read_in(field, case, turn)
        agreed = bool(turn.question) and turn.heard.affirms
        if not turn.question or not (field.kind in _PROPOSED or (agreed and begun)):
            continue
        agents = agents_turn(case, turn)
        noted = list(_read_in(field, case, agents))
        if agreed or _by_its_part(field, turn):
            yield from noted
        elif noted and not _objects(field, case, turn, noted):
            known = {place.span.start for place in noted}
            yield from noted if all(place.span.start in known for place in case.find(field, agents)) else ()


def _begun(field: Field, case: Case) -> bool:
    """Whether the citizen said part of a name that the agent completed (`Mai`: `Mai Vietnamese Cuisine`)."""
    return field.kind != "name" or not _said(case).isdisjoint(set(field.spoken) - FILLERS)


def _by_its_part(field: Field, turn: Turn) -> bool:
    """Whether an answer names only the part of the day of an hour that the agent named (`yang sore`)."""
    minutes = hours.hour(str(field.value)) if field.kind == "time" else None
    parts = {part for each in turn.heard.sentences for part in hours.parts(each.words)}
    named = minutes is not None and len(parts) == 1 and minutes in hours.within(parts.pop())
    return named and _cues(turn).isdisjoint(_OBJECTING)


def _read_in(field: Field, case: Case, turn: Turn) -> Iterator[Place]:
    """Places where a message states the value or what may be it."""
    yield from case.stated(field, turn)
    yield from bare(field, case, turn) if field.kind in ("date", "time") else ()
    if field.kind == "date":  # `30 September` may be the last one or the next
        yield from case.stated(replace(field, past=not field.past), turn)


def _objects(field: Field, case: Case, turn: Turn, noted: Sequence[Place]) -> bool:
    """Whether an answer rejects something or states another value. The agent's value also doesn't hold if it was left
    open as a question, unless the answer adds an hour to a proposed day. After another question (`Sunday 13 December.
    What name?`) a no is about that question."""
    cues = _cues(turn)
    *_, last = case.read(turn.question)[0].sentences
    else_ = last.asks and all(one.sentence is not last for one in noted) and _PACK.interrogatives.isdisjoint(last.words)
    timed = field.kind == "date" and any(hours.hours(each.words) for each in turn.heard.sentences)
    left_open = any(one.sentence.asks for one in noted) and not timed
    no = not cues.isdisjoint(_CORRECTING if else_ else _OBJECTING) or (turn.heard.another and not else_)
    return no or left_open or bool(case.places(field, turn))


def _cues(turn: Turn) -> set[Cue | None]:
    return {mark.cue for sentence in turn.heard.sentences for mark in sentence.marks}


def _heard(field: Field, place: Place) -> bool:
    """Whether a value is said, doubted or asked about (`do you have a double room?`), not only supposed, unless that is
    the answer to its question (`say 4 million`). A text takes the mood of its first word, and is said if it is a whole
    answer."""
    sentence, start, judged = place.sentence, place.span.start, place
    if field.kind == "text":
        if place.turn.question and _is_all(place):
            return True
        judged = replace(place, span=Span(start, start + 1, True))
    if (meant := mood(field, judged)) is not Mood.OPEN:
        return meant is Mood.SAID
    if place.turn.asks_for(field.key) and (sentence.asking is None or start < sentence.asking):
        return True
    timely = not sentence.times[start] or _holds_of_its_time(field, place)
    return timely and not any(_supposes(mark, field, judged) for mark in sentence.marks)


def _holds_of_its_time(field: Field, place: Place) -> bool:
    """Whether a past or coming time leaves a value said: one that belongs to the value (`2 juni tahun lalu`) or, for a
    tool's own field, is soon (`naiknya nanti di terminal`) or says when something happened (`it broke last week`)."""
    sentence, span = place.sentence, place.span
    if next(_TIMES.find(sentence.words[span.start : span.end]), None):
        return True
    soon = sentence.times[span.start] == "soon" and field.kind not in NUMBERS
    was = next(_WAS.find(sentence.words), None) or any(field.key in one.keys for one in place.near)
    return not field.common and (soon or not was)


def _supposes(mark: Mark, field: Field, place: Place) -> bool:
    """Whether a cue leaves a value open. For a tool's own field, a report (`my wife says 350 now`) or a condition after
    it (`Thursday, if that's free`) or in another clause doesn't; a cue inside a text doesn't either."""
    behind = mark.start >= place.span.end
    if mark.cue is Cue.LOOKUP:
        return not behind and place.sentence.clauses[mark.start] == place.clause
    if behind and field.kind == "text":
        return False
    if not field.common and mark.cue in (Cue.REPORT, Cue.CONDITION):
        return mark.cue is Cue.CONDITION and not behind and place.sentence.clauses[mark.start] == place.clause
    return mark.cue in SUPPOSING or (mark.cue is Cue.UNSURE and (field.common or field.kind == "text"))


def _may_be_asked(field: Field, place: Place) -> bool:
    """Whether the agent may ask about a value. A NIK or family card number must not be known as another person's."""
    return field.kind not in SIXTEEN or _theirs(field, place, asked=meant(field, place)[1])


def _may_be_meant(field: Field, place: Place) -> bool:
    """Whether nothing says that a value belongs to another field or to a person whom the field isn't about."""
    personal = field.common or field.person is not None or field.kind in _PERSONAL  # a party's date may be a son's
    asked_for = place.turn.asks_for(field.key)
    nobodys = (field.person in (None, *SERVED) and place.case.form.of_others) or asked_for
    keys, asked = meant(field, place)
    answers = asked_for or _answers(place)
    free = not field.common and not labelled_otherwise(field, place, plain=False)
    return (answers or field.key in keys or free) and (not personal or nobodys or _theirs(field, place, asked=asked))


def _answers(place: Place) -> bool:
    """Whether the value is the citizen's whole answer to a question."""
    return bool(place.turn.question) and _is_all(place) and not place.turn.heard.another


def _is_all(place: Place) -> bool:
    return len(place.turn.heard.sentences) == 1 and alone(place.sentence.words, place.span)


def _theirs(field: Field, place: Place, *, asked: bool) -> bool:
    return owner(place) in (None, SOMEBODY) or whose(field, place, asked=asked)
