"""From doubts to a confidence: a logistic model whose weights are data, fitted on questions by other hands."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "calibration.toml"
MOST = 3
"""Of one kind no more doubts are counted."""


@dataclass(frozen=True)
class Weights:
    """`intercept` without a doubt; `weights` kind → what one doubt of it adds, never above 0."""

    intercept: float
    weights: dict[str, float]


@cache
def shipped() -> Weights:
    """The shipped weights."""
    held = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return Weights(float(held["intercept"]), {kind: float(weight) for kind, weight in held["weights"].items()})


def confidence(kinds: Sequence[str], weights: Weights | None = None) -> float:
    """0–1; a kind that was never met in fitting weighs as much as the heaviest."""
    used = weights or shipped()
    heaviest = min(used.weights.values(), default=0.0)
    total = used.intercept + sum(
        used.weights.get(kind, heaviest) * min(times, MOST) for kind, times in Counter(kinds).items()
    )
    return 1 / (1 + math.exp(-total))
