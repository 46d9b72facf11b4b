"""Embeds texts with multilingual-e5-small, bundled, on the CPU. Downloads and sends nothing."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardening.e5 import e5
from hardening.texts import sendable

Vector = NDArray[np.float32]
DIMENSIONS = 384


class Embedder:
    """Loads the weights (0.1 s, 90 MB) at first use. Its methods compute for milliseconds: call them on a thread."""

    def query(self, text: str) -> Vector:
        """Return one normalised vector (about 18 ms); recent texts are cached."""
        vector: Vector = self._remembered(sendable(text[:1000]))
        return vector

    def passages(self, texts: list[str]) -> list[Vector]:
        return [np.asarray(vector, dtype=np.float32) for vector in e5().passage([sendable(text) for text in texts])]

    @cached_property
    def _remembered(self) -> Any:
        return lru_cache(maxsize=512)(lambda text: np.asarray(e5().query(text), dtype=np.float32).reshape(-1))
