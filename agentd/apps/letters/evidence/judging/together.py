"""Judges the arguments of one call together: which words belong to another argument, and what the rest may be.

No two fields share words: a text that is only a date, number or name of another argument is no value. Words written as
a name that no field has must fit the unproven fields in exactly one way. A person's name must be introduced (`I'm …`)
or be all of its clause. The model proposes which name goes where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, permutations

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.asserted import mood, taken_back, taking_back
from agentd.apps.letters.evidence.claims.binding import whose
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.named import Named
from agentd.apps.letters.evidence.fields.shapes import Shape
from agentd.apps.letters.evidence.fields.spans import TEXTS, Span, alone, clear, values_of
from agentd.apps.letters.evidence.judging.possible import IDLE
from agentd.apps.letters.evidence.reading.lexicon import SALUTATIONS, SELF
from agentd.apps.letters.evidence.reading.persons import CITIZEN
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_KINDS = frozenset({"text", "name"})
_RANKS = {"name": 1, "text": 2, "place": 2, "relation": 2}
_COMMON_WORDS = TEXTS | {"choice", "boolean"}
"""Kinds whose value may be any words (`menikah` is a marital status and a purpose)."""
_MOST = 3
"""The most fields that may remain unproven."""
_WITHIN = phrases().joins | phrases().articles
"""Words that may be part of a name: `War and Peace`."""


def anothers(field: Field, proven: Iterable[Field], case: Case) -> bool:
    """Whether a text or name contains, in every place, only words of another argument's value."""
    if field.kind not in _RANKS or field.many:
        return False
    places = case.stated_anywhere(field)
    once = len(places) == 1
    taken = _taken((one for one in proven if one is not field and _outranks(one, field, once=once)), case)
    return bool(places) and all(_says_nothing(place, taken[id(place.sentence)]) for place in places)


def _taken(fields: Iterable[Field], case: Case) -> Mapping[int, set[int]]:
    """{id of a sentence: indices of the words that are the fields' values}."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for place in chain.from_iterable(map(case.stated_anywhere, fields)):
        found[id(place.sentence)].update(range(place.span.start, place.span.end))
    return found


def _outranks(other: Field, field: Field, *, once: bool) -> bool:
    """Whether shared words belong to the other field: dates and numbers go before names, names before texts.

    The names of two people that were said only `once` belong to neither.
    """
    rank = _RANKS.get(other.kind, 3 if other.kind in _COMMON_WORDS else 0)
    both = rank == 1 and (other.person or CITIZEN) != (field.person or CITIZEN) and once
    return rank < _RANKS[field.kind] or (both and rank == _RANKS[field.kind])


def _says_nothing(place: Place, taken: set[int]) -> bool:
    said, names = place.sentence.words, place.case.form.names
    words = [at for at in range(place.span.start, place.span.end) if said[at][0].isalnum()]
    rest = [said[at] for at in words if at not in taken]
    return len(rest) < len(words) and all(word in IDLE | SALUTATIONS or names.has(word) for word in rest)


def left(unproven: Sequence[Field], proven: Iterable[Field], case: Case) -> bool:
    """Whether the unproven fields hold the names that the proven ones leave over, in the only possible assignment."""
    shapes = case.form.shapes
    known = {field.key for field in proven}
    missing = {key for key, shape in shapes.items() if shape.kind in TEXTS and key not in known}
    denied = any(taken_back(field, case, turn) for turn in taking_back(case) for field in unproven)
    if denied or not 0 < len(unproven) <= _MOST or missing != {field.key for field in unproven}:
        return False
    if any(field.kind not in _KINDS or field.many for field in unproven):
        return False
    theirs = _taken(proven, case)
    found = list(islice(chain.from_iterable(_names(case, turn, theirs) for turn in case.turns), _MOST + 1))
    if len(found) != len(unproven):
        return False
    ways = [way for way in permutations(found) if all(map(_suits, way, (shapes[field.key] for field in unproven)))]
    return len(ways) == 1 and all(map(_says, unproven, ways[0]))


def _suits(place: Place, shape: Shape) -> bool:
    """Whether a name, as it stands in its clause, suits a field: `saya Budi` and `Budi` alone are only a person's."""
    sentence, start = place.sentence, place.span.start
    if any(_labels(one, place) for one in place.near):
        return False  # the name before it determines its field
    before = [word for word in sentence.words[sentence.clause(start).start : start] if word[0].isalnum()]
    introduced = bool(before) and before[0] in SELF and all(word in IDLE for word in before)
    if shape.kind == "name" and "title" not in shape.senses:
        return introduced or alone(sentence.words, place.span, sentence.clause(start))
    return not introduced


def _labels(one: Named, place: Place) -> bool:
    """Whether a text field's own name stands directly before a value."""
    shapes, start = place.case.form.shapes, place.span.start
    texts = any(shapes[key].kind in TEXTS for key in one.keys)
    return one.plain and texts and one.end <= start and clear(place.sentence.words[one.end : start])


def _says(field: Field, place: Place) -> bool:
    said = tuple(word for word in place.sentence.words[place.span.start : place.span.end] if word[0].isalnum())
    asserts = mood(field, place) is Mood.SAID and not any(place.sentence.corrected)
    return asserts and said == field.spoken and whose(field, place, asked=False)


def _names(case: Case, turn: Turn, theirs: Mapping[int, set[int]]) -> Iterator[Place]:
    """The spans that a message writes as a name and that aren't another value (`theirs`), label or title."""
    for sentence, named, before in turn.sentences():
        values = chain(*(values_of(shape, sentence.words, turn.day) for shape in case.form.shapes.values()))
        called = (one for one in named if one.plain or sentence.raws[one.start][0].islower())
        known = [(one.start, one.end) for ones in (values, called, sentence.marks) for one in ones]
        taken = theirs[id(sentence)].union(*(range(start, end) for start, end in known))
        for start, end in _capitals(sentence, taken):
            span = Span(start, end, True)
            begins = (start, end) == (0, 1) and not alone(sentence.words, span, sentence.clause(0))
            if not begins:  # the first word of a sentence is always capitalised
                yield case.place(turn, sentence, named, before, span)


def _capitals(sentence: Sentence, taken: set[int]) -> Iterator[tuple[int, int]]:
    """(index of the first word, index after the last) of each run of capitalised words, including joining words."""

    def part(at: int) -> tuple[int, bool]:
        return sentence.clauses[at], at not in taken and (upper(at) or sentence.words[at] in _WITHIN)

    def upper(at: int) -> bool:
        return sentence.raws[at][0].isupper() and sentence.words[at] not in FILLERS

    for (_, inside), run in groupby(range(len(sentence.raws)), key=part):
        capitals = [at for at in run if inside and upper(at)]
        if sum(len(sentence.raws[at]) for at in capitals) > 1:
            yield capitals[0], capitals[-1] + 1
