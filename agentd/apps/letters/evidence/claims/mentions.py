"""Claims about fields without a common label, found by the field's own words, its kind or the question asked.

A value counts only if it can belong to one field. If it fits two, it counts for neither, and the agent asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import FILLERS, plain
from agentd.apps.letters.evidence.claims import codes
from agentd.apps.letters.evidence.claims.about import about
from agentd.apps.letters.evidence.claims.answers import asks_not, repeated
from agentd.apps.letters.evidence.claims.asserted import mood, put_right
from agentd.apps.letters.evidence.claims.binding import means, meant, whose
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.named import Named, among, narrow
from agentd.apps.letters.evidence.fields.shapes import ANYBODY
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS, Span, clear
from agentd.apps.letters.evidence.reading.heard import NOES
from agentd.apps.letters.evidence.reading.persons import CITIZEN
from agentd.apps.letters.evidence.reading.segments import Claim, Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_PACK = phrases()


def own(field: Field) -> bool:
    """Whether a field is the tool's own or about somebody else, i.e. not a common field of the citizen."""
    tools = not field.common and field.kind != "relation"
    others = field.person not in (None, CITIZEN, ANYBODY) or (field.person_declared and field.person != CITIZEN)
    return (tools or others) and field.kind != "boolean"


def called(field: Field, case: Case) -> Iterator[Claim]:
    """Claims about a field of the speaker (`nama pelapor`) from messages that name it or answer a question for it."""
    if field.person_declared and field.person == CITIZEN:
        named = {
            turn.order
            for turn in case.turns
            if turn.wanted == {field.key}
            or any(one.plain and one.keys == {field.key} for each in turn.named for one in each)
        }
        yield from (claim for claim in mentions(field, case) if claim.message in named)


def mentions(field: Field, case: Case) -> Iterator[Claim]:
    """The claims that each message makes about the field, in order."""
    return case.claims(_claims_in, field, frozenset[str]())


def _claims_in(field: Field, case: Case, turn: Turn, maybe: frozenset[str]) -> tuple[Sequence[Claim], frozenset[str]]:
    """The claims of one message. `maybe`: keys of the fields that the value may have belonged to so far."""
    found = [place for place in case.places(field, turn) if not codes.of_another(field, place)]
    claims = list(_affirms(field, case, turn, maybe)) if maybe else []
    if not found and field.kind not in TEXTS:
        return claims, maybe
    own = [place for place in found if means(field, place)]
    called = {place for place in own if _called(field, place)}
    own = [place for place in own if not called or place in called or _bare(place)]
    spoken = max((at for at, place in enumerate(own) if place.span.supports and _by_name(field, place)), default=0)
    own = [place for at, place in enumerate(own) if at >= spoken or about(field, place)]
    said, held = _by_sentence(own), _by_sentence(found)
    for sentence, named, _ in turn.sentences():
        claims += _refused(field, held.get(id(sentence), ()))
        claims += _claims(field, places := said.get(id(sentence), ()))
        corrected = any(sentence.corrected[place.span.start] for place in places)
        if places and not corrected and put_right(field, case, turn, sentence, named):
            claims.append(Claim(turn.order, Mood.SAID, False, True, True))
        elif field.kind in TEXTS and not corrected:
            claims += _other_words(field, case, turn, sentence, named, held.get(id(sentence), ()))
    return claims, maybe.union(*(_maybe(field, place) for place in found if place.span.supports))


def _affirms(field: Field, case: Case, turn: Turn, maybe: frozenset[str]) -> Iterator[Claim]:
    """A claim if a message says yes to the agent's repetition of the value."""
    if maybe and turn.heard.affirms and any(_read_as(field, place, maybe) for place in repeated(field, case, turn)):
        yield Claim(turn.order, Mood.SAID, True)


def _by_sentence(places: Sequence[Place]) -> dict[int, list[Place]]:
    found: dict[int, list[Place]] = {}
    for place in places:
        found.setdefault(id(place.sentence), []).append(place)
    return found


def flags(field: Field, case: Case) -> Iterator[Claim]:
    """Claims for a boolean: its own words, said or denied, or a plain yes or no to its question."""
    booleans = frozenset(key for key, shape in case.form.shapes.items() if shape.kind == "boolean")
    for turn in case.turns:
        asked = narrow(turn.asked, booleans) == {field.key}
        if asked and asks_not(turn):
            continue
        answer = True if asked and turn.heard.affirms else False if asked and turn.heard.another else None
        if answer is not None:
            yield Claim(turn.order, Mood.SAID, answer == field.value)
            continue
        for sentence, named, before in turn.sentences():
            for one in named:
                place = case.place(turn, sentence, named, before, Span(one.start, one.end, True))
                meant = mood(field, place)
                own = one.keys == {field.key} and not _in_a_name(sentence, one)
                if own and meant is not Mood.OPEN and whose(field, place, asked=False):
                    said = meant is Mood.SAID and not _none(sentence, one)
                    yield Claim(turn.order, Mood.SAID, said == field.value)


def _in_a_name(sentence: Sentence, one: Named) -> bool:
    """Whether a word of a field begins a name: `First Baptist`, for a first-time donor."""
    return (
        not one.plain and sentence.raws[one.start].istitle() and "".join(sentence.raws[one.end : one.end + 1]).istitle()
    )


def _none(sentence: Sentence, one: Named) -> bool:
    """Whether a denying phrase stands directly before the name: `tidak ada hewan peliharaan`."""
    before = next((mark.start for mark in sentence.marks if mark.end == one.start), one.start - 1)
    return before >= 0 and sentence.words[before] in _PACK.denials | NOES


def _maybe(field: Field, place: Place) -> frozenset[str]:
    """The fields that the value may belong to, if this field is one of them; empty if the value is denied."""
    if mood(field, place) is Mood.DENIED:
        return frozenset()
    keys, asked = meant(field, place)
    return keys if field.key in keys and whose(field, place, asked=asked) else frozenset()


def _read_as(field: Field, place: Place, maybe: frozenset[str]) -> bool:
    """Whether the agent repeated the value as this field's and as no other field's."""
    keys, _ = meant(field, place)
    return field.key in maybe and (keys & maybe == {field.key} or len(maybe) == 1)


def turned_down(field: Field, case: Case, order: int) -> bool:
    """Whether the citizen rejected the value of the tool result with that order.

    They did if they asked for another one before a tool found anything else, or after the agent had offered the value.
    What the agent names afterwards is a new offer.
    """
    value = plain(str(field.value))
    newer = min((entry.order for entry in case.said if entry.by == "tool" and entry.order > order), default=None)
    agents = (entry for entry in case.said if entry.by == "agent" and own(field))
    since = max([order, *(entry.order for entry in agents if f" {value} " in f" {plain(entry.text)} ")])
    return any(
        turn.heard.another and ((own(field) and (newer is None or turn.order < newer)) or value in plain(turn.question))
        for turn in case.turns
        if turn.order > since
    )


def _refused(field: Field, places: Sequence[Place]) -> Iterator[Claim]:
    """Claims that deny the value where it may be this field's: `Tidak jadi Rudi`."""
    for place in places:
        denied = place.span.supports and Mood.DENIED in place.sentence.moods and mood(field, place) is Mood.DENIED
        if denied and field.key in meant(field, place)[0]:
            yield Claim(place.turn.order, Mood.DENIED, True)


def _called(field: Field, place: Place) -> bool:
    """Whether a value stands beside the field's own name. If one does, other values of its kind don't count."""
    clauses, span = place.sentence.clauses, place.span
    alike = {key for key, shape in place.case.form.shapes.items() if shape.kind == field.kind} | {field.key}
    own = [one for one in among(place.named, place.reach()) if one.plain and one.keys & alike == {field.key}]
    own = [one for one in own if clauses[one.start] == place.clause]
    before = next((one for one in reversed(own) if one.end <= span.start), None)
    right = field.kind in NUMBERS and any(one.start == span.end for one in own)
    return right or (before is not None and clear(place.sentence.words[before.end : span.start]))


def _by_name(field: Field, place: Place) -> bool:
    """Whether the clause of a value names the field; then earlier values are about something else."""
    clauses = place.sentence.clauses
    named = any(
        field.key in one.keys and clauses[one.start] == place.clause for one in among(place.named, place.reach())
    )
    return named and about(field, place)


def _bare(place: Place) -> bool:
    """Whether a clause contains only the value, as in a correction."""
    sentence, span = place.sentence, place.span
    clause = sentence.clause(span.start)
    rest = [*sentence.words[clause.start : span.start], *sentence.words[span.end : clause.stop]]
    return sentence.corrected[span.start] or clear(rest)


def _claims(field: Field, places: Sequence[Place]) -> Iterator[Claim]:
    for place in places:
        supports = place.span.supports
        if about(field, place) or not (supports or field.common):
            corrected = place.sentence.corrected[place.span.start]
            yield Claim(place.turn.order, mood(field, place), supports, True, corrected)


def _settled(field: Field, case: Case, turn: Turn) -> bool:
    """Whether a message states the value, says yes or rejects it, so that no sentence answers in other words."""
    return bool(case.stated(field, turn)) or turn.heard.another or turn.heard.affirms


def _other_words(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], held: Sequence[Place]
) -> Iterator[Claim]:
    """The claim that a free text has another value: the words after the field's own name, or an answer to its question.

    Where the sentence has the value itself (`held`), only a name of the field in a later clause counts.
    """
    since = max((place.clause + 1 for place in held), default=0)
    label = next((one for one in named if one.keys == {field.key} and sentence.clauses[one.start] >= since), None)
    corrects = sentence.wrong or any(sentence.corrected)
    asked = turn.wanted == {field.key} and (corrects or not _settled(field, case, turn))
    if not label.plain if label else held or not asked:
        return
    start = label.end if label else 0
    said = sentence.words[start : sentence.clause(start).stop] if start < len(sentence.words) else []
    if any(word[0].isalnum() and word not in FILLERS and word not in _PACK.copulas for word in said):
        place = case.place(turn, sentence, named, (), Span(start, start + 1, False))
        if whose(field, place, asked=start == 0):
            yield Claim(turn.order, mood(field, place), False, True, sentence.corrected[start])
