"""Whether a value is about the field and not only of its kind: by name, question, or a clause about little else.

`My rent is 500` gives no amount to send, even if the form has only one amount: the agent asks. Binds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, stem
from agentd.apps.letters.evidence.claims import codes, identity
from agentd.apps.letters.evidence.claims.case import Case, Place
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.named import BOUNDS, WAYS, Named, among, bounded
from agentd.apps.letters.evidence.fields.shapes import Shape
from agentd.apps.letters.evidence.fields.spans import CURRENCIES, TEXTS, clear, is_common_number
from agentd.apps.letters.evidence.normalisers import choices
from agentd.apps.letters.evidence.normalisers.numbers import SPOKEN
from agentd.apps.letters.evidence.reading.lexicon import ITS, SELF, Cue
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_FREE = TEXTS - {"name"}
_CORRECTS = identity.RIGHTS - {Cue.TURN}
_NO_LABELS = frozenset(Cue) - {Cue.LABEL}
"""The cues whose words are no field names."""
_PACK = phrases()
_TIMES = (*(name for names in (*all_words().months, *_PACK.weekdays) for name in names), *_PACK.days)
_TIMES = (*_TIMES, *(phrase for known in _PACK.clock.values() for phrase in known))
_QUIET = (
    FILLERS
    | all_words().joiners
    | _PACK.copulas
    | _PACK.requests
    | _PACK.quiet
    | _PACK.date_noise
    | SPOKEN
    | CURRENCIES
)
_QUIET |= {word for phrase in _TIMES for word in phrase.split()}
_IDENTIFIERS = frozenset(_PACK.senses["identifier"])
_HEADS = frozenset(
    word for sense in ("identifier", "name", "date", "time", "year", "amount") for word in _PACK.senses[sense]
)
_BESIDE = _QUIET | SELF | _PACK.beside_label | _PACK.articles
_POSSESSED = (SELF - _PACK.articles) | _PACK.clitics
_STATES = frozenset({"alamat_domisili", "x:alamat", "pekerjaan", "status_perkawinan"})


def about(field: Field, place: Place) -> bool:
    """Whether a value is said about the field, rather than only fitting its kind."""
    sentence, span = place.sentence, place.span
    if _goes_the_other_way(field, place):
        return False
    if field.kind == "place" and field.common:
        return identity.born_there(field, place)
    if field.kind in TEXTS and not field.common and not _assigned(field, place):
        return False
    if field.kind in _FREE:
        return True
    limited = any(tuple(sentence.words[span.start - size : span.start]) in BOUNDS for size in (1, 2))
    if (limited and "due" not in field.senses) or not identity.clearly_named(field, place):
        return False
    alone = not is_common_number(field) or clear([sentence.words[at] for at in place.around() if at < span.start])
    if (field.key in place.turn.wanted and alone) or codes.only(field, place):
        return True
    return not _numbered(field, place) and not _of_another_thing(field, place) and _in_its_clause(field, place)


def _assigned(field: Field, place: Place) -> bool:
    """Whether the question or a nearby name assigns the words to the field, so that it isn't just the only one left."""
    assigned = (
        *place.turn.asked,
        *(one.keys for one in place.near),
        identity.introduced(frozenset({field.key}), place),
    )
    return any(field.key in keys for keys in assigned)


def _in_its_clause(field: Field, place: Place) -> bool:
    """Whether the value's clause names the field, or is about nothing else and the value's kind is specific enough."""
    sentence, span, common = place.sentence, place.span, is_common_number(field)
    clause = identity.scope(field, place)
    named = [one for one in among(place.named, place.reach()) if one.start in clause]
    if common:
        between = range(max((one.end for one in place.near if one.end <= span.start), default=0), span.start)
        named += [
            one for one in place.near if one.end == between.start and clear([sentence.words[at] for at in between])
        ]
    named = [one for one in named if not _bounds_another(one, place)]
    inside = range(span.start, span.end) if field.common else ()  # `hari ini` isn't a label
    own = [one for one in named if field.key in one.keys and one.start not in inside and not _a_head(field, one, place)]
    costs = common and not _PACK.costs.isdisjoint(sentence.words[at] for at in clause if at <= span.end)
    if costs or _since_something_else(field, place) or (not own and identity.is_no_state(field, place, clause)):
        return False
    things = [one for one in own if _of_a_thing(field, one, place)]
    if len(things) < len(own):
        return True
    righted = sentence.corrected[span.start] and _spoken_last(field, place)
    fitting = not _of_else(place, clause - identity.whose_words(field, place), named) or _chosen(field, place)
    by_kind = righted or not (common or field.kind == "kk" or field.label == "tanggal_lahir")
    fits = (by_kind and fitting) or identity.listed(field, place)
    return not things and fits and _rights_its_own(field, place)


def _bounds_another(one: Named, place: Place) -> bool:
    """Whether a name behind the value speaks of the end of a range: `jam 7 sampai 10`, `jam 8 sampai selesai`."""
    return one.start >= place.span.end and bounded(place.sentence.words[place.span.end : one.end])


def _rights_its_own(field: Field, place: Place) -> bool:
    """Whether the last value before a correction (`Bawa 3 koper. Eh maaf, 4`) is also about this field."""
    values = place.case.places(field, place.turn) if place.sentence.corrected[place.span.start] else []
    before = list(takewhile(lambda one: one.span is not place.span, values))
    return not before or before[-1].sentence is place.sentence or about(field, before[-1])


def _spoken_last(field: Field, place: Place) -> bool:
    """Whether the field is the last one named before a value."""
    said = [*place.before, *(one for one in place.named if one.end <= place.span.start)]
    return field.key in (said[-1].keys if said else next(iter(place.turn.before), ()))


def _numbered(field: Field, place: Place) -> bool:
    """Whether a number is an identifier and not a count: `bus number 2`."""
    start = place.span.start
    if field.kind != "number" or "identifier" in field.senses:
        return False
    own = any(one.plain and one.end == start and field.key in one.keys for one in place.near)
    return start > 0 and place.sentence.words[start - 1] in _IDENTIFIERS and not own


def _of_another_thing(field: Field, place: Place) -> bool:
    """Whether the name near a value has the field's head word but a foreign rest: `passport number`, for a ticket.

    For numbers the rest may stand on either side (`plat nomor`, `nomor antrean`, for a ticket_number).
    """
    sentence, own = place.sentence, field.words
    meant = {*own, *(word for sense in field.senses for word in _PACK.senses[sense])}
    for one in place.near:
        head = sentence.words[one.start]
        numbers = head in _IDENTIFIERS and not _IDENTIFIERS.isdisjoint(own)
        if one.plain or not (numbers or head in _HEADS & set(own)) or sentence.clauses[one.start] != place.clause:
            continue
        sides = {one.end, one.start - 1} if numbers else {one.end if head == own[0] else one.start - 1}
        if any(_strange(at, place) and sentence.words[at] not in meant for at in sides):
            return True
    return False


def _strange(at: int, place: Place) -> bool:
    """Whether a word outside a value may be the name of a thing."""
    words, raws = place.sentence.words, place.sentence.raws
    if not 0 <= at < len(words) or place.span.start <= at < place.span.end:
        return False
    plain = at == 0 or raws[at][0].islower()
    return plain and len(words[at]) > 1 and words[at].isalpha() and words[at] not in _BESIDE


def _since_something_else(field: Field, place: Place) -> bool:
    """Whether `since` is about a home or job (`tinggal di sini sejak 2018`) and not the start of a business."""
    sentence = place.sentence
    states = (mark for mark in sentence.labels if mark.value in _STATES)
    return "since" in field.senses and any(sentence.clauses[mark.start] == place.clause for mark in states)


def _a_head(field: Field, one: Named, place: Place) -> bool:
    """Whether only the head of a longer field name stands before a number (`gajian tanggal 1`): it gives the kind only.

    If the clause has another word of the name, it isn't: `hilang di pasar tanggal 5`, for a name with `hilang`.
    """
    words, rest = place.sentence.words, set(field.words) - _HEADS
    numbered = any(map(str.isdecimal, words[one.end : one.end + 1]))
    said = any(words[at] in rest for at in place.around())
    return bool(rest) and not said and numbered and not one.plain and _HEADS.issuperset(words[one.start : one.end])


def _of_a_thing(field: Field, one: Named, place: Place) -> bool:
    """Whether a part of the field's name is about a thing unrelated to the tool: `my dentist appointment`, `cicilan
    rumah saya jatuh tempo`, `the delivery of my sofa`, `pemilik bengkelnya`."""
    sentence, start = place.sentence, place.span.start
    words, before = sentence.words, one.start - 1
    own = not set(words[one.start : one.end]).isdisjoint(field.words)
    if one.plain or not (field.kind == "date" or (field.kind == "name" and own)):
        return False
    taken = {at for other in place.near for at in range(other.start, other.end)}
    taken |= sentence.covered(_NO_LABELS)

    def strange(at: int) -> bool:
        plain = 0 <= at < start and at not in taken and sentence.raws[at][0].islower()
        return plain and not quiet(words[at], place.case)

    while before > 0 and (before in taken or words[before] in _POSSESSED):
        before -= 1
    owned = words[before].endswith(ITS) or not _POSSESSED.isdisjoint(words[before + 1 : one.start])
    marked = owned or words[before - 1] in _PACK.articles
    behind = field.kind == "name" or not _PACK.articles.isdisjoint(words[one.end : one.end + 1])
    return (strange(before) and marked) or (behind and any(map(strange, range(one.end, start))))


def _goes_the_other_way(field: Field, place: Place) -> bool:
    """Whether the word before a value gives the wrong direction: `dari Medan` (destination), `to Paris` (origin)."""
    if len(own := field.senses & WAYS) != 1:
        return False
    said = place.sentence.words[place.span.start - 1] if place.span.start else ""
    (other,) = WAYS - own
    return said in _PACK.senses[other] and said not in _PACK.senses[next(iter(own))]


def _of_else(place: Place, scope: frozenset[int], named: Sequence[Named]) -> bool:
    """Whether a word of the clause names something outside the tool's subject and outside earlier fields' values."""
    case, words, span = place.case, place.sentence.words, place.span
    starts = {one.end for one in named if any(_text(case.form.shapes.get(key)) for key in one.keys)}
    inside = {at for one in named for at in range(one.start, one.end)} | set(range(span.start, span.end))
    rights = place.sentence.covered(_CORRECTS)
    chosen = _choices(case, place.sentence)
    expected = within = False
    for at in sorted(scope):
        known = (
            at in inside
            or at in rights
            or at in chosen
            or words[at] in SELF
            or quiet(words[at], case)
            or (at > 0 and place.sentence.raws[at][0].isupper())
        )
        expected = expected or at in starts
        within = not known and (expected or within)
        if not known and not within:
            return True
        expected = expected and known and words[at] not in SELF and not span.start <= at < span.end
    return False


@once
def _choices(case: Case, sentence: Sentence) -> frozenset[int]:
    """Indices of the words in a sentence that name a choice of any field."""
    enums = {shape.enum for shape in case.form.shapes.values() if shape.enum.values}
    found = (hit for enum in enums for hit in choices.book(enum).find(sentence.words))
    return frozenset(place for at, phrase in found for place in range(at, at + len(phrase)))


def _chosen(field: Field, place: Place) -> bool:
    """Whether a value is a choice of the tool in a clause that says what is wanted."""
    span = place.span
    if field.kind != "choice" or field.common or not span.supports:
        return False  # a personal attribute isn't a wish
    if place.sentence.corrected[span.start] and Mood.DENIED in place.sentence.moods:
        return True  # `bukan mobil, tapi truk`
    said = (place.sentence.words[at] for at in place.around() if not span.start <= at < span.end)
    return not _PACK.requests.isdisjoint(said)


def _text(shape: Shape | None) -> bool:
    return shape is not None and shape.kind in TEXTS


def quiet(word: str, case: Case) -> bool:
    """Whether a word names nothing outside the tool's subject."""
    return not word[0].isalpha() or word in _QUIET or word in case.vocabulary or stem(word) in case.vocabulary
