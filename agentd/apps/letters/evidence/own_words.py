"""Which of several fields a value is of by the words that only one of their names has. It binds nothing by itself."""

from __future__ import annotations

from functools import lru_cache

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.case import CLAUSE, Place
from agentd.apps.letters.evidence.lexicon import person
from agentd.apps.letters.languages import phrases

_BUSINESS = phrases().business
_HEADS = FILLERS | frozenset(phrases().senses["name"])


@lru_cache(maxsize=4096)
def relates(word: str) -> bool:
    """Whether a word of a field's name is a relation (`ibu`)."""
    return person([word]) is not None


def by_own_words(keys: frozenset[str], place: Place) -> frozenset[str]:
    """Of several fields the one whose own word stands in the clause, or else before it: `meninggal …, di RSUD`."""
    shapes, said = place.case.form.shapes, place.sentence.words
    known = ((key, shapes[key].words) for key in keys & shapes.keys())
    words = {key: {word for word in own if word not in _HEADS and not relates(word)} for key, own in known}
    if len(words) < 2:
        return keys
    words = {key: own | _BUSINESS if own & _BUSINESS else own for key, own in words.items()}
    shared = set.intersection(*words.values())
    start = place.span.start
    for spoken in ({said[at] for at in place.around()}, {*said[max(0, start - CLAUSE) : start]}):
        found = frozenset(key for key, own in words.items() if (own - shared) & spoken)
        if found:
            return found
    return keys
