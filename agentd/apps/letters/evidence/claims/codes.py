"""Finds codes by the patterns that fields declare, and the field that each belongs to. Ignores labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, takewhile

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.case import Case, Place
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.normalisers.patterns import matching
from agentd.apps.letters.evidence.reading.lexicon import Cue
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_LEAST = 6
"""The fewest characters of a code that is recognised by its pattern alone."""
_PIECE = 4
"""The most capitals that stand alone as a piece of a code."""
_SMALL = 3
"""The most small letters that stand alone as one: `b 4471 tkx`."""
_PIECES = 4
"""The most pieces on each side of a number."""
_LABELS = frozenset({Cue.LABEL})
_NO_PIECE = all_words().detection | phrases().clitics | {*phrases().senses["identifier"]}


def of_another(field: Field, place: Place) -> bool:
    """Whether a value is inside another field's pattern match (`2026/2027`), or outside those of its own pattern."""
    known = _codes(place.case, place.sentence)
    own = known.get(field.key)
    if own is not None and place.span.supports:
        return False
    key = ("within", field.key if own is not None else "", id(place.sentence))
    found = own if own is not None else chain(*known.values())
    within = place.case.cached(key, lambda: frozenset(at for start, end in found for at in range(start, end)))
    return within.issuperset(range(place.span.start, place.span.end)) is (own is None)


def extent(sentence: Sentence, start: int, end: int) -> range:
    """The words of the whole code of which some words are a part: `4471` of `B 4471 TKX`."""
    named, raws = sentence.covered(_LABELS), sentence.raws

    def belongs(at: int) -> bool:
        return at not in named and _piece(raws[at])

    before = takewhile(belongs, range(start - 1, max(-1, start - 1 - _PIECES), -1))
    behind = takewhile(belongs, range(end, min(len(raws), end + _PIECES)))
    return range(min(before, default=start), max(behind, default=end - 1) + 1)


def _piece(raw: str) -> bool:
    """Whether a word as written may be a piece of a code: some letters that are no word, or capitals and digits."""
    capitals = raw.isalnum() and raw.isupper() and raw.isascii()
    small = raw.isalpha() and raw.isascii() and len(raw) <= _SMALL and raw not in _NO_PIECE | FILLERS
    known = len(raw) > 1 and raw.lower() in _NO_PIECE
    return small or (capitals and (len(raw) <= _PIECE or not raw.isalpha()) and not known)


def only(field: Field, place: Place) -> bool:
    """Whether a value is its pattern's only match in the conversation and matches no other field's pattern."""
    case, span = place.case, place.span
    said = _matched(case, field.key)
    code = "".join(place.sentence.words[span.start : span.end])
    here = [key for key, found in _codes(case, place.sentence).items() if (span.start, span.end) in found]
    return said == {code} and here == [field.key] and len(code) >= _LEAST


@once
def _matched(case: Case, key: str) -> set[str]:
    sentences = [sentence for turn in case.turns for sentence in turn.heard.sentences]
    found = ((sentence.words, _codes(case, sentence).get(key, ())) for sentence in sentences)
    return {"".join(words[start:end]) for words, runs in found for start, end in runs}


@once
def _codes(case: Case, sentence: Sentence) -> Mapping[str, Sequence[tuple[int, int]]]:
    """{field key: spans of a sentence that match its pattern}."""
    shapes = case.form.shapes.items()
    return {path: matching(one.pattern, sentence.words) for path, one in shapes if one.pattern}
