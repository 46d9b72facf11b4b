"""Finds the stored texts most like a misspelt one without comparing it to all of them. Knows texts, not graphs.

Two texts as alike as CLOSE (1 - insertions and deletions over both lengths) differ so little that some of their
trigrams are the same: of a text of n letters at most three quarters of n can be lost. Only the texts that share the
rest are compared. Without the extra `graph` nothing is stored, and neither numpy nor rapidfuzz is imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

CLOSE = 0.86
_LOST = 0.75
"""Deleting x of n letters loses 3x trigrams; 1 - x / (2n - x) >= 0.86 allows x <= 0.246 n. Inserting loses fewer."""


class NearTexts:
    """Over texts as values are compared (`values.folded`)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._places: dict[str, Any] = {}
        if not self._texts:
            return
        import numpy

        places: dict[str, list[int]] = {}
        for place, text in enumerate(self._texts):
            for gram in _grams(text):
                places.setdefault(gram, []).append(place)
        self._places = {gram: numpy.array(held, dtype=numpy.int32) for gram, held in places.items()}

    def nearest(self, text: str) -> str | None:
        """The text most like this one, if any is at least CLOSE."""
        grams = _grams(text)
        held = [self._places[gram] for gram in grams if gram in self._places]
        shared = max(math.ceil(len(grams) - _LOST * len(text)), 1)
        if len(held) < shared:
            return None
        import numpy
        from rapidfuzz.distance.Indel import normalized_similarity
        from rapidfuzz.process import extractOne

        counts = numpy.bincount(numpy.concatenate(held))
        candidates = [self._texts[place] for place in numpy.flatnonzero(counts >= shared)]
        found = extractOne(text, candidates, scorer=normalized_similarity, score_cutoff=CLOSE)
        return found[0] if found else None


def most_like(text: str, texts: Sequence[str], count: int, least: float) -> list[str]:
    """The `count` texts most like this one, compared to each; at least `least` alike (0 to 1)."""
    from rapidfuzz.distance.Indel import normalized_similarity
    from rapidfuzz.process import extract

    found = extract(text, texts, scorer=normalized_similarity, limit=count, score_cutoff=least)
    return [near for near, _, _ in found]


def _grams(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
