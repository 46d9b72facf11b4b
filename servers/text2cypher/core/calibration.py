"""Converts doubts to a confidence: a logistic model and a monotone curve, both fitted on other people's questions."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

FILE = Path(__file__).parent / "calibration.toml"
MOST = 3
"""The most doubts of one kind that count."""


@dataclass(frozen=True)
class Weights:
    """`intercept`: the score without doubts; `weights`: kind → what one doubt adds, never above 0.

    `curve`: (score, share of correct answers), both rising, from (0, 0) on.
    """

    intercept: float
    weights: dict[str, float]
    curve: tuple[tuple[float, float], ...] = ((0.0, 0.0), (1.0, 1.0))


@cache
def shipped() -> Weights:
    """The shipped weights."""
    held = tomllib.loads(FILE.read_text(encoding="utf-8"))
    weights = {kind: float(weight) for kind, weight in held["weights"].items()}
    return Weights(float(held["intercept"]), weights, tuple((float(x), float(y)) for x, y in held["curve"]))


def confidence(kinds: Sequence[str], weights: Weights | None = None) -> float:
    """0–1: the share of correct answers among those with such doubts."""
    used = weights or shipped()
    at = score(Counter(kinds), used)
    for (low, least), (high, most) in pairwise(used.curve):
        if at <= high:
            return least + (most - least) * (at - low) / (high - low)
    return used.curve[-1][1]


def score(doubts: Mapping[str, int], weights: Weights) -> float:
    """The logistic score, 0–1; an unknown kind gets the largest negative weight."""
    heaviest = min(weights.weights.values(), default=0.0)
    total = weights.intercept + sum(
        weights.weights.get(kind, heaviest) * min(times, MOST) for kind, times in doubts.items()
    )
    return 1 / (1 + math.exp(-total))
