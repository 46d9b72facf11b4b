"""Which words of a question mean a name of a schema in another language: `pasien` is Patient. By embeddings alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from servers.common.catalogue import Catalogue
from servers.graphiti import glossary
from servers.graphiti.embedding import Embedder, Vector

CERTAIN = 0.055
"""By how much a name must be nearer to a word than to words that name nothing: some names are near to every word."""
APART = 0.02
"""By how much it must be nearer than any other name."""
SAME = 4
"""Names with so many first letters in common are one: `actor` and `actors`."""
LETTERS = 4
"""Shorter words are near to too much."""
MAX_WORDS = 8
MAX_NAMES = 400
"""With more names, only those of tables are compared; with more of these, none."""
NAMELESS = sorted(word for word in glossary.NEUTRAL if len(word) >= LETTERS)[::8]


def as_words(name: str) -> str:
    return " ".join(glossary.words(name))


class OtherWords:
    """A schema's names, to compare words with. Computes for seconds when made, for milliseconds a word: on a thread."""

    def __init__(self, schema: Catalogue, embedder: Embedder) -> None:
        tables = {as_words(table.name) for table in schema.tables}
        columns = {as_words(column.name) for table in schema.tables for column in table.columns}
        every = tables | columns if len(tables | columns) <= MAX_NAMES else tables
        single = sorted(name for name in every if name and " " not in name)  # `sales by store` is near to any purchase
        self._embedder = embedder
        self._names = single if len(single) <= MAX_NAMES else []
        if self._names:
            self._matrix: NDArray[np.float32] = np.stack(embedder.passages(self._names))
            self._usual = (self._matrix @ np.stack([embedder.query(word) for word in NAMELESS]).T).mean(axis=1)

    def meant(self, words: Iterable[str]) -> Mapping[str, list[str]]:
        """`{name, as words: the question's words for it}`."""
        found: dict[str, list[str]] = {}
        for word in [each for each in words if len(each) >= LETTERS][:MAX_WORDS] if self._names else ():
            if name := self._nearest(self._embedder.query(word)):
                found.setdefault(name, []).append(word)
        return found

    def _nearest(self, word: Vector) -> str:
        nearer = self._matrix @ word - self._usual
        first, *others = np.argsort(-nearer)
        name = self._names[first]
        second = next((nearer[place] for place in others if self._names[place][:SAME] != name[:SAME]), -1.0)
        return name if nearer[first] >= max(CERTAIN, second + APART) else ""
