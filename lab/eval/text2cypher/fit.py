"""Fits core/calibration.toml to the tuning halves; each record counts once, so a confidence is a share of records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy

from lab.eval.text2cypher.asking import Record
from servers.text2cypher.core.calibration import FILE, MOST, Weights, score

KINDS = (
    *("unused", "unasked", "direction", "empty", "repeats", "everything", "duplicates", "counted", "unordered"),
    *("meant", "guessed", "tied", "left_out", "unranked", "either"),
)
RIDGE = 1.0
LEAST = -2.0
"""Maximum weight of a doubt: one doubt is enough to fall below the threshold."""


def records_in(folder: Path, *halves: str) -> list[Record]:
    """The records of first readings and of right and wrong queries, without those that were refused or invalid."""
    files = [file for way in ("first", "wrong") for file in sorted(folder.glob(f"*.{way}.*.jsonl"))]
    records = [Record(**json.loads(line)) for file in files for line in file.read_text().splitlines()]
    return [record for record in records if record.half in halves and record.valid and "refused" not in record.doubts]


def fit(records: Sequence[Record]) -> str:
    """The text of calibration.toml: a logistic model by maximum likelihood with a ridge, weights at most LEAST.

    An answer is right if it says the same as gold: which columns show it is a note of the answer, no doubt. Two doubts
    are less than twice as bad as one, which a logistic model can't express; an isotonic curve corrects it.
    """
    from scipy.optimize import minimize  # imported here because it is slow

    held = numpy.array([[min(record.doubts.get(kind, 0), MOST) for kind in KINDS] for record in records], dtype=float)
    right = numpy.array([record.same for record in records])

    def loss(point: numpy.ndarray) -> float:
        logit = point[0] + held @ point[1:]
        each = numpy.logaddexp(0, numpy.where(right, -logit, logit))
        return float(each.sum() + RIDGE * point[1:] @ point[1:] / 2)

    bounds = [(None, None), *([(None, LEAST)] * len(KINDS))]
    found = minimize(loss, numpy.array([2.0, *([-1.0] * len(KINDS))]), method="L-BFGS-B", bounds=bounds).x
    lines = [
        "# Fitted by `python -m lab.eval.text2cypher fit`; do not edit. Each record weighs the same.",
        f"records = {len(records)}",
        f"right = {int(right.sum())}",
        f"intercept = {found[0]:.3f}",
        f"curve = {_curve(records, Weights(found[0], dict(zip(KINDS, found[1:], strict=True))))}",
        "",
        "[weights]",
        *(f"{kind} = {weight:.3f}" for kind, weight in zip(KINDS, found[1:], strict=True)),
    ]
    return "\n".join(lines) + "\n"


def _curve(records: Sequence[Record], weights: Weights) -> list[list[float]]:
    """[score, share] at both ends of each level of the isotonic regression, starting at [0, 0]."""
    from scipy.optimize import isotonic_regression

    scores, place, times = numpy.unique(
        [score(record.doubts, weights) for record in records], return_inverse=True, return_counts=True
    )
    share = numpy.bincount(place, [record.same for record in records]) / times
    levels = isotonic_regression(share, weights=times).x
    best = times[levels == 1].sum()  # all of these were right, but the next one may not be
    levels[levels == 1] = (best + 1) / (best + 2)
    held = ((scores[levels == y], y) for y in numpy.unique(levels))
    ends = dict.fromkeys((x, y) for level, y in held for x in (level.min(), level.max()))
    return [[0.0, 0.0], *([round(float(x), 4), round(float(y), 4)] for x, y in ends if y > 0)]


def write(folder: Path) -> str:
    """Fit, write calibration.toml, and return its text."""
    text = fit(records_in(folder, "tuning"))
    FILE.write_text(text, encoding="utf-8")
    return text
