"""Where an item of a list of data ends without a comma: `lahir Klaten 12 maret 1968 islam kawin guru jl …`.

It looks only behind a date of birth or a NIK, and names no field.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.choices import JOBS, meanings
from agentd.apps.letters.evidence.dates import dates
from agentd.apps.letters.evidence.lexicon import Cue, Mark
from agentd.apps.letters.languages import phrases

_PACK = phrases()
EVENTS = _PACK.events | {word for senses in _PACK.tenses.values() for sense in senses for word in _PACK.senses[sense]}
"""What a date is of, when it is no birth."""
_DATE = 8
"""Words of a date, at most."""
_CHOICE = 5
_ITEMS = 6
"""Choices that people tell in a row."""
_PLACE = 2
"""Words of a place of birth that stands alone before its date."""
_NO_PLACE = EVENTS | FILLERS | _PACK.lies | _PACK.toward | _PACK.quiet | _PACK.copulas


def ends_with_date(words: Sequence[str]) -> bool:
    """Whether the last of these words are a date."""
    last = words[-_DATE:]
    return any(end == len(last) for _, end, _ in dates(last))


def choice(words: Sequence[str], at: int, ends: Container[int]) -> int:
    """How many words from there on are a choice or an occupation; 0: none, or one of a run that doesn't come to an end
    (of the sentence, or one of `ends`)."""
    after = at
    for _ in range(_ITEMS):
        after += (size := _known(words, after))
        if not size or after == len(words) or after in ends:
            return _known(words, at) if size else 0
    return 0


def _known(words: Sequence[str], at: int) -> int:
    """How many words there are one choice or one occupation."""
    if len(words[at]) == 1:
        return 0
    sizes = range(min(_CHOICE, len(words) - at), 0, -1)
    return next((size for size in sizes if meanings(words[at : at + size])), int(words[at] in JOBS))


def birth(words: Sequence[str], at: int, marks: Mapping[int, Mark]) -> bool:
    """Whether a place and a date begin right behind a NIK: `3175064908850004 pematangsiantar 9/8/1985`."""
    if not at or len(words[at - 1]) != 16 or not words[at - 1].isdecimal():
        return False
    found = dates(words[at : at + _PLACE + _DATE])
    place = words[at : at + found[0][0]] if found else ()
    named = all(word.isalpha() and word not in _NO_PLACE and at + near not in marks for near, word in enumerate(place))
    return 0 < len(place) <= _PLACE and named


def item_ends(words: Sequence[str], marks: Mapping[int, Mark], breaks: Container[str]) -> frozenset[int]:
    """Where a choice of such a list may end: before a comma, the name of a field, a street."""
    named = {at for at, mark in marks.items() if mark.cue is Cue.LABEL}
    return frozenset(named | {at for at, word in enumerate(words) if word in breaks})
