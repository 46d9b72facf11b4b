"""Whether a message asserts a value of any field: as true now, about nobody else and not corrected at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.claims.unclear import clear
from agentd.apps.letters.evidence.fields.asked import LISTED
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.named import Named
from agentd.apps.letters.evidence.fields.spans import TEXTS, alone, is_common_number, spans, values_of
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.evidence.reading.heard import NOES
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SALUTATIONS, Cue
from agentd.apps.letters.evidence.reading.persons import SOMEBODY, of_another
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_BESIDE = FILLERS | phrases().copulas | phrases().possessives | phrases().articles
_CIRCUMSTANCES = frozenset({"date", "time", "place", "number", "text"})
"""Kinds of values that a question for something else takes as given (`what is the weather in Medan on March 10th?`)."""

_NEGATION = frozenset({Cue.NEGATION})
_PAPERS = Phrasebook(phrases().papers)
_WRITTEN = frozenset({"birth", "date", "name", "place"})
"""Kinds of personal data that two papers may give differently."""


def asserted(field: Field, case: Case, turn: Turn) -> bool:
    """Whether a message asserts the value in at least one place; True if the value has no place of its own."""
    if field.common and field.kind in _WRITTEN and _papers(turn) > 1:
        return False
    places = clear(field, case, turn)
    return places is None or any(_asserted(field, place) for place in places)


def _papers(turn: Turn) -> int:
    """How many papers a message quotes: `di akta … Bogor, di KTP Bandung` names no birthplace that can be relied on."""
    return len({phrase for each in turn.heard.sentences for _, phrase in _PAPERS.find(each.words)})


def _asserted(field: Field, place: Place) -> bool:
    sentence, order = place.sentence, place.turn.order
    if field.kind == "address":  # its segments give its owner and mood
        return sentence.times[place.span.start] != "past"
    if mood(field, place) is not Mood.SAID or of_another(owner(place)):
        return False
    key = ("put right", field.path, order, id(sentence))
    righted = partial(put_right, field, place.case, place.turn, sentence, place.named)
    return sentence.corrected[place.span.start] or not place.case.cached(key, righted)


def mood(field: Field, place: Place) -> Mood:
    """The mood of a value: denied or open if any of its words is; open if its clause is about another time."""
    case, sentence, span = place.case, place.sentence, place.span
    if sentence.proposes and any(each is sentence for turn in case.turns[:1] for each in turn.heard.sentences):
        return Mood.OPEN
    moods = set(sentence.moods[span.start : span.end])
    negates = not sentence.covered(_NEGATION).isdisjoint(range(span.start, span.end))
    if (field.kind == "text" and sentence.moods[span.start] is Mood.SAID) or (field.kind == "choice" and negates):
        moods.discard(Mood.DENIED)  # the negation is part of the value: `mual dan tidak bisa makan`, `not urgent`
    if sentence.inquiring and field.kind in _CIRCUMSTANCES:
        moods.discard(Mood.OPEN)
    for mood in (Mood.OPEN, Mood.DENIED):
        if mood in moods:
            return mood
    looked_up = (mark for mark in sentence.marks if mark.cue is Cue.LOOKUP)
    if field.common and any(sentence.clauses[mark.start] == place.clause for mark in looked_up):
        return Mood.OPEN
    time = sentence.times[span.start]
    if time == "soon":
        ahead = case.form.ahead and field.time != "past" and not is_common_number(field)
        called = any(field.key in keys for keys in (*place.turn.asked, *(one.keys for one in place.named)))
        ahead = ahead and (called or field.kind != "text")
        return Mood.SAID if ahead else Mood.OPEN
    return Mood.SAID if time in ("", field.time) else Mood.OPEN


def owner(place: Place) -> str | None:
    """The owner of a value; a person who is part of the value (`tunjangan anak`) is no owner."""
    found: str | None = None
    span, words = place.span, place.sentence.words
    if not any(each.own for each in place.turn.heard.sentences):
        found = place.turn.of
    relation = RELATING.issuperset(words[span.start : span.end])  # `menantu almarhumah`: nobody's
    for at, whose, owned in place.sentence.people:
        if span.start in owned and not span.start <= at < span.end + relation:
            found = whose if at < span.end or _joined(words[span.end : at]) else found or SOMEBODY
    return place.turn.of or found if found == SOMEBODY else found


def _joined(between: Sequence[str]) -> bool:
    """Whether a person named after a value may be its owner (`Budi is my son`) rather than the object of a verb."""
    return all(word in _BESIDE or not word[0].isalnum() for word in between)


def put_right(field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named]) -> bool:
    """Whether other words replace a text after a correction: `…, eh maaf, penjahit`.

    If another field is named after it, the words before that name count, provided the text's field was the last named
    before. Otherwise they must not be a value of that last field: `nama saya Budi, agama Islam, eh maaf, Kristen`.
    """
    start = next((at for at, corrected in enumerate(sentence.corrected) if corrected), len(sentence.words))
    plain = [one for one in named if one.plain]
    end = min((one.start for one in plain if one.start >= start and field.key not in one.keys), default=None)
    last = next((one.keys for one in reversed(plain) if one.start < start), frozenset[str]())
    rest = sentence.words[start:end]
    if field.kind not in TEXTS or not any(word[0].isalnum() and word not in FILLERS for word in rest):
        return False
    if field.key in last or end is not None:
        return field.key in last
    others = (case.form.shapes[key] for key in last)
    return not any(alone(rest, span) for other in others for span in values_of(other, rest, turn.day))


@once
def taking_back(case: Case) -> Sequence[Turn]:
    """The messages in which a sentence calls something wrong."""
    called = ((at, turn) for at, turn in enumerate(case.turns) if any(each.wrong for each in turn.heard.sentences))
    return [turn for at, turn in called if not _answers_no(case.turns, at)]


def _answers_no(turns: Sequence[Turn], at: int) -> bool:
    """Whether a mere no answers a question that repeats nothing said before: `Punya SIM?` `belum`."""
    if "?" not in turns[at].question or not _mere_no(turns[at]):
        return False
    said = {word for turn in turns[:at] for word in fold(turn.text)}
    return (set(fold(turns[at].question)) - FILLERS).isdisjoint(said | (phrases().confirming - SALUTATIONS))


def _mere_no(turn: Turn) -> bool:
    return all(set(each.moods) == {Mood.DENIED} for each in turn.heard.sentences)


def taken_back(field: Field, case: Case, turn: Turn) -> bool:
    """Whether a sentence of the message calls the field or an earlier statement wrong and gives no value for it.

    A mere no applies only to the fields that the question asks for, if any; `something is wrong` to none that a
    question lists.
    """
    if turn.asked and not turn.asks_for(field.key) and _mere_no(turn):
        return False
    for sentence, named in zip(turn.heard.sentences, turn.named, strict=True):
        called = [one for one in named if one.start or sentence.words[0] not in NOES]
        own = (one.keys for one in called if field.key in one.keys)
        if sentence.wrong and (
            (not called and not LISTED.search(turn.question))
            or any(not _of_another(keys, field, case, turn, sentence) for keys in own)
        ):
            return not spans(field, sentence.words, turn.day)
    return False


def _of_another(keys: frozenset[str], field: Field, case: Case, turn: Turn, sentence: Sentence) -> bool:
    """Whether a name of a text and of another field names the other, whose value is given (`lahirnya 15 Juli 1985`)."""
    others = (case.form.shapes[key] for key in keys if field.kind in TEXTS and key != field.key)
    return any(True for other in others for _ in values_of(other, sentence.words, turn.day))
