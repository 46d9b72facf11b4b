"""What is said of a field that no common label names: by its own words, its kind, or the question that was asked.

A value counts where it can be meant of one field only. What fits two fields is said of neither, and so asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentd.agent.aside import spend
from agentd.agent.text import FILLERS, plain
from agentd.apps.letters.evidence import texts
from agentd.apps.letters.evidence.about import about
from agentd.apps.letters.evidence.answers import Place, affirms, repeated
from agentd.apps.letters.evidence.asserted import mood, put_right
from agentd.apps.letters.evidence.binding import means, meant, whose
from agentd.apps.letters.evidence.case import Case, Turn, clear
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.heard import Sentence
from agentd.apps.letters.evidence.named import Named, narrow
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.segments import Claim, Mood
from agentd.apps.letters.evidence.spans import NUMBERS, TEXTS, Span, spans
from agentd.apps.letters.languages import phrases

_CLAUSE = 24
"""Words around a value in which a field may be named."""
_NEAR = 6
"""Words behind a value in which a field may be named."""
_COPULAS = phrases().copulas
_DENIALS = phrases().denials


def own(field: Field) -> bool:
    """Whether a field is the tool's own, and no common one."""
    tools = field.label.startswith("field:") and field.kind != "relation"
    told = field.told_about and field.person != CITIZEN
    return (tools or told) and field.kind != "boolean"


def called(field: Field, case: Case) -> Iterator[Claim]:
    """What is said under the own name of a field of who speaks (`nama pelapor`), or where it was asked for by that."""
    if field.told_about and field.person == CITIZEN:
        named = {
            turn.order
            for turn in case.turns
            if narrow(turn.asked, frozenset(case.form.shapes)) == {field.key}
            or any(one.plain and one.keys == {field.key} for each in turn.named for one in each)
        }
        yield from (claim for claim in mentions(field, case) if claim.message in named)


def mentions(field: Field, case: Case) -> Iterator[Claim]:
    """What each sentence says of the field, in order."""
    maybe: frozenset[str] = frozenset()
    for turn in case.turns:
        if (
            maybe
            and _affirmed(case, turn)
            and any(_read_as(field, case, turn, place, maybe) for place in repeated(field, case, turn))
        ):
            yield Claim(turn.order, Mood.SAID, True)
        before: tuple[Named, ...] = ()
        places: list[Place] = []
        for sentence, named in zip(turn.heard.sentences, turn.named, strict=True):
            spend()
            places += ((sentence, named, span) for span in _meant(field, case, turn, sentence, named, before))
            maybe |= _maybe(field, case, turn, sentence, named, before)
            before = named or before
        called = any(_called(field, case, *place) for place in places)
        kept = [place for place in places if not called or _called(field, case, *place) or _bare(*place)]
        for sentence, named in zip(turn.heard.sentences, turn.named, strict=True):
            own = [span for each, _, span in kept if each is sentence]
            yield from _refused(field, case, turn, sentence, named)
            yield from _claims(field, case, turn, sentence, named, own)


def flags(field: Field, case: Case) -> Iterator[Claim]:
    """What is said of a yes or no: the field's own words, said or denied, or the plain answer to its question."""
    for turn in case.turns:
        asked = narrow(turn.asked, frozenset(case.form.shapes)) == {field.key}
        answer = True if asked and _affirmed(case, turn) else False if asked and turn.heard.another else None
        if answer is not None:
            yield Claim(turn.order, Mood.SAID, answer == field.value)
        for sentence, named in zip(turn.heard.sentences, turn.named, strict=True):
            for one in named:
                place = Span(one.start, one.end, True)
                meant = mood(field, case, sentence, place)
                if meant is Mood.OPEN or one.keys != {field.key}:
                    continue
                if whose(field, case, sentence, named, place, asked=False):
                    said = meant is Mood.SAID and not _none(sentence, one)
                    yield Claim(turn.order, Mood.SAID, said == field.value)


def _none(sentence: Sentence, one: Named) -> bool:
    """`tidak ada hewan peliharaan`: a phrase that denies right before the name."""
    before = next((mark for mark in sentence.marks if mark.end == one.start), None)
    return before is not None and sentence.words[before.start] in _DENIALS


def _maybe(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], before: Sequence[Named]
) -> frozenset[str]:
    """The fields that the value may be meant of where it may be this one; none where it is denied."""
    found: set[str] = set()
    for span in spans(field, sentence.words, turn.day):
        if span.supports and mood(field, case, sentence, span) is not Mood.DENIED:
            keys, asked = meant(field, case, turn, sentence, named, before, span)
            if field.key in keys and whose(field, case, sentence, named, span, asked=asked):
                found |= keys
    return frozenset(found)


def _read_as(field: Field, case: Case, turn: Turn, place: Place, maybe: frozenset[str]) -> bool:
    """Whether the agent repeated the value as this field's, and as no other's that it may be."""
    sentence, named, span = place
    keys, _ = meant(field, case, replace(turn, asked=()), sentence, named, (), span)
    return field.key in maybe and (keys & maybe == {field.key} or len(maybe) == 1)


def _near(named: Sequence[Named], starts: Sequence[int], span: Span) -> Sequence[Named]:
    """What is named around a value, so far that a clause may reach."""
    return named[bisect_left(starts, span.start - _CLAUSE) : bisect_left(starts, span.end + _NEAR)]


def turned_down(field: Field, case: Case, order: int) -> bool:
    """Whether the citizen turned down the value that a tool's result of that order holds.

    They did by asking for another before a tool found anything else, or after the agent had offered the value.
    """
    value = plain(str(field.value))
    newer = min((entry.order for entry in case.said if entry.by == "tool" and entry.order > order), default=None)
    return any(
        turn.heard.another and ((own(field) and (newer is None or turn.order < newer)) or value in plain(turn.question))
        for turn in case.turns
        if turn.order > order
    )


def _meant(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], before: Sequence[Named]
) -> list[Span]:
    """The values that are meant of the field. `before`: what the sentence before it named."""
    found = spans(field, sentence.words, turn.day)
    starts = [one.start for one in named]
    return [span for span in found if means(field, case, turn, sentence, _near(named, starts, span), before, span)]


def _refused(field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named]) -> Iterator[Claim]:
    """`Tidak jadi Rudi`: the value is denied, and it may be this field's."""
    for span in spans(field, sentence.words, turn.day) if Mood.DENIED in sentence.moods else ():
        denied = span.supports and mood(field, case, sentence, span) is Mood.DENIED
        if denied and field.key in meant(field, case, turn, sentence, named, (), span)[0]:
            yield Claim(turn.order, Mood.DENIED, True)


def _called(field: Field, case: Case, sentence: Sentence, named: Sequence[Named], span: Span) -> bool:
    """Whether a value stands right beside the field's own name: beside one that does, no other of its kind is meant."""
    clause = sentence.clauses[span.start]
    alike = {key for key, shape in case.form.shapes.items() if shape.kind == field.kind} | {field.key}
    own = [one for one in named if one.plain and one.keys & alike == {field.key}]
    own = [one for one in own if sentence.clauses[one.start] == clause]
    before = next((one for one in reversed(own) if one.end <= span.start), None)
    right = field.kind in NUMBERS and any(one.start == span.end for one in own)
    return right or (before is not None and clear(sentence.words[before.end : span.start]))


def _bare(sentence: Sentence, _named: Sequence[Named], span: Span) -> bool:
    """Whether a clause says the value alone, as a correction may."""
    clause = sentence.clauses[span.start]
    rest = [word for at, word in enumerate(sentence.words) if sentence.clauses[at] == clause]
    del rest[span.start - sentence.clauses.index(clause) : span.end - sentence.clauses.index(clause)]
    return sentence.corrected[span.start] or clear(rest)


def _claims(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], meant: Sequence[Span]
) -> Iterator[Claim]:
    for span in meant:
        if not span.supports or about(field, case, turn, sentence, named, span):
            corrected = sentence.corrected[span.start]
            yield Claim(turn.order, mood(field, case, sentence, span), span.supports, True, corrected)
    if meant:
        yield from _instead(field, turn, sentence, named, meant)
        return
    label = next((one for one in named if one.keys == {field.key}), None)
    if (
        field.kind in TEXTS
        and not spans(field, sentence.words, turn.day)
        and (label is not None or _answers(field, case, turn, sentence))
    ):
        yield from _wording(field, case, turn, sentence, named, label)


def _answers(field: Field, case: Case, turn: Turn, sentence: Sentence) -> bool:
    """Whether a sentence may answer the question in other words: not where the message refuses or says the value."""
    if sentence.wrong or any(sentence.corrected):
        return True
    return case.once(("open", field.path, turn.order), lambda: not _settled(field, case, turn))


def _affirmed(case: Case, turn: Turn) -> bool:
    """Whether the message is a yes, judged once for all the values that are tried."""
    return case.once(("yes", turn.order), lambda: affirms(turn))


def _settled(field: Field, case: Case, turn: Turn) -> bool:
    said = (span.supports for one in turn.heard.sentences for span in spans(field, one.words, turn.day))
    return turn.heard.another or _affirmed(case, turn) or any(said)


def _instead(
    field: Field, turn: Turn, sentence: Sentence, named: Sequence[Named], meant: Sequence[Span]
) -> Iterator[Claim]:
    if not any(sentence.corrected[span.start] for span in meant) and put_right(field, sentence, tuple(named)):
        yield Claim(turn.order, Mood.SAID, False, True, True)


def _wording(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], label: Named | None
) -> Iterator[Claim]:
    """Free text in other words than the value's: under the field's own name, or as the answer to its question."""
    if label is not None and label.plain:
        start = label.end
    elif label is None and narrow(turn.asked, frozenset(case.form.shapes)) == {field.key}:
        start = 0
    else:
        return
    clause = sentence.clauses[start] if start < len(sentence.words) else -1
    said = [word for at, word in enumerate(sentence.words) if at >= start and sentence.clauses[at] == clause]
    said = [word for word in said if word[0].isalnum() and word not in FILLERS and word not in _COPULAS]
    if said and start < len(sentence.words):
        place = Span(start, start + 1, False)
        if not whose(field, case, sentence, named, place, asked=start == 0):
            return
        supports = field.kind == "text" and texts.supports(said, str(field.value))
        yield Claim(turn.order, mood(field, case, sentence, place), supports, True, sentence.corrected[start])
