"""Finds the stored text most similar to a misspelt one without comparing all of them. Knows texts, not graphs.

Texts with a similarity of CLOSE (1 - insertions and deletions over both lengths) share trigrams: a text of n letters
loses at most three quarters of n. Only texts with enough shared trigrams are compared. Without the extra `graph`
nothing is indexed, and numpy and rapidfuzz aren't imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

CLOSE = 0.86
_LOST = 0.75
"""Deleting x of n letters loses 3x trigrams; 1 - x / (2n - x) >= 0.86 allows x <= 0.246 n. Insertions lose fewer."""


class NearTexts:
    """An index of texts in folded form (`values.folded`)."""

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
        """The most similar text with at least the similarity CLOSE, or None."""
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
    """The `count` most similar texts, by comparing all; with a similarity of at least `least` (0 to 1)."""
    from rapidfuzz.distance.Indel import normalized_similarity
    from rapidfuzz.process import extract

    found = extract(text, texts, scorer=normalized_similarity, limit=count, score_cutoff=least)
    return [near for near, _, _ in found]


def _grams(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
