"""Fits core/calibration.toml to the tuning halves; each record counts once, so a confidence is a share of records.

Says too how reliable it is for a graph that the fit never saw: each graph is left out once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy

from lab.eval.text2cypher.asking import Record
from lab.eval.text2cypher.sets import BLIND, WORDINGS
from servers.text2cypher.core.calibration import FILE, MOST, Weights, confidence, score
from servers.text2cypher.core.confidence import CERTAIN

KINDS = (
    *("unused", "unasked", "direction", "empty", "repeats", "everything", "duplicates", "counted", "unordered"),
    *("meant", "guessed", "tied", "left_out", "unranked", "either"),
)
RIDGE = 1.0
LEAST = -2.0
"""Maximum weight of a doubt: one doubt is enough to fall below the threshold."""


def records_by_graph(folder: Path, *halves: str) -> dict[str, list[Record]]:
    """graph → first readings, and right and wrong queries, without those that were refused or invalid."""
    found: dict[str, list[Record]] = {}
    for file in (file for way in ("first", "wrong") for file in sorted(folder.glob(f"*.{way}.*.jsonl"))):
        name = file.name.partition(".")[0]
        records = (Record(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines())
        found.setdefault("home" if name in WORDINGS else name.removesuffix(BLIND), []).extend(
            one for one in records if one.half in halves and one.valid and "refused" not in one.doubts
        )
    return found


def records_in(folder: Path, *halves: str) -> list[Record]:
    """The same of all graphs together."""
    return [record for records in records_by_graph(folder, *halves).values() for record in records]


def left_out(by_graph: Mapping[str, Sequence[Record]]) -> dict[str, list[int]]:
    """graph → [right ones, answers called certain] with the confidence fitted on all other graphs."""
    found = {}
    for graph, records in by_graph.items():
        weights = fitted([one for other, held in by_graph.items() if other != graph for one in held])
        certain = [one.same for one in records if one.certain and confidence([], weights) >= CERTAIN]
        found[graph] = [sum(certain), len(certain)]
    return found


def fitted(records: Sequence[Record]) -> Weights:
    """A logistic model by maximum likelihood with a ridge, weights at most LEAST.

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
    weights = Weights(found[0], dict(zip(KINDS, found[1:], strict=True)))
    return replace(weights, curve=tuple(_curve(records, weights)))


def fit(by_graph: Mapping[str, Sequence[Record]]) -> str:
    """The text of calibration.toml."""
    records = [record for held in by_graph.values() for record in held]
    weights = fitted(records)
    told = left_out(by_graph) if len(by_graph) > 1 else {}
    lines = [
        "# Fitted by `python -m lab.eval.text2cypher fit`; do not edit. Each record weighs the same.",
        f"records = {len(records)}",
        f"right = {sum(record.same for record in records)}",
        f"intercept = {weights.intercept:.3f}",
        f"curve = {[list(point) for point in weights.curve]}",
        "",
        "[weights]",
        *(f"{kind} = {weight:.3f}" for kind, weight in weights.weights.items()),
        "",
        "[left_out]  # graph: right, called certain, if the fit never saw the graph",
        *(f"{graph} = {counts}" for graph, counts in told.items()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _curve(records: Sequence[Record], weights: Weights) -> list[tuple[float, float]]:
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
    return [(0.0, 0.0), *((round(float(x), 4), round(float(y), 4)) for x, y in ends if y > 0)]


def write(folder: Path) -> str:
    """Fit, write calibration.toml, and return its text."""
    text = fit(records_by_graph(folder, "tuning"))
    FILE.write_text(text, encoding="utf-8")
    return text
