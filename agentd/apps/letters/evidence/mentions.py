"""What is said of a field that no common label names: by its own words, its kind, or the question that was asked.

A value counts where it can be meant of one field only. What fits two fields is said of neither, and so asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from agentd.agent.aside import spend
from agentd.agent.text import FILLERS, plain
from agentd.apps.letters.evidence import texts
from agentd.apps.letters.evidence.asserted import mood, owner, put_right
from agentd.apps.letters.evidence.case import Case, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.heard import Sentence
from agentd.apps.letters.evidence.named import Named, narrow
from agentd.apps.letters.evidence.numbers import SPOKEN
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.settling import Claim
from agentd.apps.letters.evidence.shapes import ANYBODY, Shape
from agentd.apps.letters.evidence.spans import TEXTS, Span, fits, spans
from agentd.apps.letters.languages import phrases

_CLAUSE = 24
"""Words around a value in which the citizen may name himself as its owner."""
_NEAR = 6
"""Names of fields that are looked at before a value."""
_COPULAS = phrases().copulas
_FOREIGN = {
    **dict.fromkeys(
        ("code", "number", "phone", "nik", "kk"), frozenset({"nik", "kk", "telepon", "x:nomor", "rt", "rw"})
    ),
    "date": frozenset({"lahir", "tanggal_lahir"}),
    "name": frozenset({"nama", "x:nama", "nama_usaha"}),
}
"""Common labels under which a value of a kind is no value of the tool's own field."""


def own(field: Field) -> bool:
    """Whether a field is the tool's own, and no common one."""
    tools = field.label.startswith("field:") and field.kind != "relation"
    return (tools or field.told_about) and field.kind != "boolean"


def mentions(field: Field, case: Case) -> Iterator[Claim]:
    """What each sentence says of the field, in order."""
    for turn in case.turns:
        before: tuple[Named, ...] = ()
        for sentence, named in zip(turn.heard.sentences, turn.named, strict=True):
            spend()
            yield from _claims(field, case, turn, sentence, named, before)
            before = named or before


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


def _claims(
    field: Field, case: Case, turn: Turn, sentence: Sentence, named: Sequence[Named], before: Sequence[Named]
) -> Iterator[Claim]:
    """`before`: what the sentence before it named."""
    found = spans(field, sentence.words, turn.day)
    starts = [one.start for one in named]
    meant = [span for span in found if _means(field, case, turn, sentence, _near(named, starts, span), before, span)]
    for span in meant:
        yield Claim(turn.order, mood(field, case, sentence, span), span.supports, True, sentence.corrected[span.start])
    if meant:
        yield from _instead(field, turn, sentence, named, meant)
        return
    label = next((one for one in named if one.keys == {field.key}), None)
    if field.kind in TEXTS and not found:
        yield from _wording(field, case, turn, sentence, named, label)


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
        if not _whose(field, case, sentence, named, place, asked=start == 0):
            return
        supports = field.kind == "text" and texts.supports(said, str(field.value))
        yield Claim(turn.order, mood(field, case, sentence, place), supports, True, sentence.corrected[start])


def _means(
    field: Field,
    case: Case,
    turn: Turn,
    sentence: Sentence,
    named: Sequence[Named],
    before: Sequence[Named],
    span: Span,
) -> bool:
    """Whether a value is meant of this field and of no other."""
    shapes = case.form.shapes
    candidates = frozenset(
        key for key, shape in shapes.items() if key == field.key or fits(shape, field, sentence.words, span)
    )
    candidates = _owned(candidates, field, case, sentence, span) or candidates
    labels = _labels(sentence, named, span, candidates)
    if labels is None or _foreign(field, sentence, named, span):
        return False
    asked = narrow(turn.asked, candidates)
    topic = narrow((one.keys for one in before[-_NEAR:]), candidates)
    narrowed = candidates
    for keys in (*labels, asked, topic):
        narrowed = narrowed & keys or narrowed
    whole = frozenset(key for key in candidates if key in shapes and shapes[key].person == field.person)
    by_kind = not asked and all(field.person is not None and keys == whole for keys in labels)
    if by_kind and field.kind in TEXTS:
        narrowed = frozenset(key for key in narrowed if key in shapes and shapes[key].kind == field.kind)
    narrowed = _plainest(narrowed, [*labels, asked, topic], shapes)
    return narrowed == {field.key} and _whose(field, case, sentence, named, span, asked=bool(asked))


def _plainest(keys: frozenset[str], spoken: Sequence[frozenset[str]], shapes: Mapping[str, Shape]) -> frozenset[str]:
    """Without the fields of a longer name whose further words nobody spoke: `account_type`, not the recipient's."""
    kept = set(keys)
    for key in keys & shapes.keys():
        words = set(shapes[key].words)
        for other in keys & shapes.keys():
            plainer = set(shapes[other].words) < words
            if plainer and not any(key in named and other not in named for named in spoken):
                kept.discard(key)
    return frozenset(kept)


def _labels(
    sentence: Sentence, named: Sequence[Named], span: Span, candidates: frozenset[str]
) -> list[frozenset[str]] | None:
    """The fields that the words around a value name, the nearest first."""
    clause = sentence.clauses[span.start]
    corrected = sentence.corrected[span.start]
    inside = [one for one in named if one.start < span.end and one.end > span.start]
    left = [one for one in named if one.end <= span.start and (corrected or sentence.clauses[one.start] == clause)]
    right = [one for one in named if span.end <= one.start <= span.end + 1 and sentence.clauses[one.start] == clause]
    before = [one for one in reversed(left[-_NEAR:]) if not _counted(sentence.words, one)]
    nearest = before[:1] if before and before[0].end >= span.start - 1 else []
    ordered = [*inside, *nearest, *right, *before[len(nearest) :]]
    return [keys for one in ordered if (keys := one.keys & candidates)]


def _counted(words: Sequence[str], label: Named) -> bool:
    """`3 kamar tidur`: a number before a label is its value, so that the label says nothing of what follows."""
    before = words[label.start - 1] if label.start else ""
    return before.isdecimal() or before in SPOKEN


def _foreign(field: Field, sentence: Sentence, named: Sequence[Named], span: Span) -> bool:
    """Whether a common label that is not the field's stands nearer before a value than any of the form's names."""
    kinds = _FOREIGN.get(field.kind)
    if kinds is None:
        return False
    own = {at for one in named for at in range(one.start, one.end)}
    last = max((one.end for one in named if one.end <= span.start), default=-1)
    return any(
        mark.value in kinds and last < mark.end <= span.start and own.isdisjoint(range(mark.start, mark.end))
        for mark in sentence.labels
    )


def _owned(candidates: frozenset[str], field: Field, case: Case, sentence: Sentence, span: Span) -> frozenset[str]:
    """The candidates of the person that the sentence speaks of; none where it speaks of nobody."""
    whose, clause = owner(sentence, span), sentence.clauses[span.start]
    if whose is None:
        near = range(max(0, span.start - _CLAUSE), min(len(sentence.words), span.end + _CLAUSE))
        if not any(at in sentence.own and sentence.clauses[at] == clause for at in near):
            return frozenset()
        whose = CITIZEN
    people = {key: shape.person for key, shape in case.form.shapes.items()} | {field.key: field.person}
    return frozenset(key for key in candidates if _same(people.get(key), whose, case))


def _same(person: str | None, owner: str | None, case: Case) -> bool:
    if owner in (None, CITIZEN):
        return person in (None, CITIZEN)
    return person == owner or (owner, person) in case.aliases or owner in _KIN.get(str(person), ())


def _whose(field: Field, case: Case, sentence: Sentence, named: Sequence[Named], span: Span, *, asked: bool) -> bool:
    """Whether what is said is said of the field's person: by name, by a word of that person's own, or as the answer."""
    whose = owner(sentence, span)
    if field.person == ANYBODY:
        return True
    if whose is not None or field.person in (None, CITIZEN):
        return _same(field.person, whose, case)
    clause, corrected = sentence.clauses[span.start], sentence.corrected[span.start]
    common = {(mark.start, mark.end) for mark in sentence.labels if not mark.value.startswith("field:")}
    others = {key for key, shape in case.form.shapes.items() if shape.person != field.person}
    by_name = any(
        field.key in one.keys
        and others.isdisjoint(one.keys)
        and (one.start, one.end) not in common
        and (corrected or sentence.clauses[one.start] == clause)
        for one in named
    )
    return by_name or (asked and not any(sentence.clauses[at] == clause for at in sentence.own))


_KIN: Mapping[str, tuple[str, ...]] = {"orang tua": ("ayah", "ibu"), "parent": ("ayah", "ibu", "orang tua")}
