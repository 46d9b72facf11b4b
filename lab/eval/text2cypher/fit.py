"""Fits core/calibration.toml on records of the tuning halves: right and wrong queries in equal weight."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy
from scipy.optimize import minimize

from lab.eval.text2cypher.asking import Record
from servers.text2cypher.core.calibration import FILE, MOST

KINDS = ("unused", "unasked", "direction", "empty", "repeats", "everything", "duplicates", "counted")
RIDGE = 1.0
LEAST = -2.0
"""Every doubt lowers it by at least this: one is enough to fall below the line."""


def records_in(folder: Path) -> list[Record]:
    """The tuning records of every run with right and wrong queries; refused questions have no doubts to learn from."""
    lines = [line for file in sorted(folder.glob("*.wrong.*.jsonl")) for line in file.read_text().splitlines()]
    records = [Record(**json.loads(line)) for line in lines]
    return [record for record in records if record.half == "tuning" and "refused" not in record.doubts]


def fit(records: Sequence[Record]) -> str:
    """The text of calibration.toml: a logistic model by maximum likelihood with a ridge, weights at most LEAST."""
    held = numpy.array([[min(record.doubts.get(kind, 0), MOST) for kind in KINDS] for record in records], dtype=float)
    right = numpy.array([record.passed for record in records])
    share = numpy.where(right, 0.5 / right.sum(), 0.5 / (~right).sum()) * len(records)

    def loss(point: numpy.ndarray) -> float:
        logit = point[0] + held @ point[1:]
        each = numpy.logaddexp(0, numpy.where(right, -logit, logit))
        return float(share @ each + RIDGE * point[1:] @ point[1:] / 2)

    bounds = [(None, None), *([(None, LEAST)] * len(KINDS))]
    found = minimize(loss, numpy.array([2.0, *([-1.0] * len(KINDS))]), method="L-BFGS-B", bounds=bounds).x
    lines = [
        "# Fitted by `python -m lab.eval.text2cypher fit`; do not edit. Right and wrong queries weigh the same in all.",
        f"records = {len(records)}",
        f"right = {int(right.sum())}",
        f"intercept = {found[0]:.3f}",
        "",
        "[weights]",
        *(f"{kind} = {weight:.3f}" for kind, weight in zip(KINDS, found[1:], strict=True)),
    ]
    return "\n".join(lines) + "\n"


def write(folder: Path) -> str:
    """Fits and writes; returns the text."""
    text = fit(records_in(folder))
    FILE.write_text(text, encoding="utf-8")
    return text
