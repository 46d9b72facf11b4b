"""Totals of records: Pass@1, valid, selective accuracy with coverage, calibration, 95 % intervals. Asks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.eval.text2cypher.asking import Record
from servers.text2cypher.metrics.statistics import interval_of_rate

BINS = 10


def totals(records: Sequence[Record]) -> dict[str, Any]:
    """Rates in percent as {rate, of, interval}; `calibration` has a row for each non-empty bin.

    `pass_at_1` and `right_…` compare whole rows; `same_of_certain` and the calibration compare what both results show;
    `tied_of_certain` are those of the same that differ from gold only in what its order leaves open.
    """
    certain = [record for record in records if record.certain]
    kinds = sorted({record.kind for record in records})
    return {
        "questions": len(records),
        "pass_at_1": _rate(sum(record.passed for record in records), len(records)),
        "valid": _rate(sum(record.valid for record in records), len(records)),
        "untouched": _rate(sum(record.untouched for record in records), len(records)),
        "certain": _rate(len(certain), len(records)),
        "right_of_certain": _rate(sum(record.passed for record in certain), len(certain)),
        "same_of_certain": _rate(sum(record.same for record in certain), len(certain)),
        "tied_of_certain": _rate(sum(record.tied for record in certain), len(certain)),
        "right_called_certain": _rate(
            sum(record.passed for record in certain), sum(record.passed for record in records)
        ),
        "by_kind": {
            kind: _rate(sum(r.passed for r in records if r.kind == kind), sum(r.kind == kind for r in records))
            for kind in kinds
        },
        "wrong_called_certain": {
            how: _rate(sum(r.certain for r in records if r.wrong == how), sum(r.wrong == how for r in records))
            for how in sorted({record.wrong for record in records if record.wrong})
        },
        "calibration": _calibration(records),
        "seconds_a_question": round(sum(r.seconds for r in records) / len(records), 3) if records else None,
    }


def _rate(part: int, whole: int) -> dict[str, Any]:
    if not whole:
        return {"rate": None, "of": 0}
    return {
        "rate": round(100 * part / whole, 1),
        "of": whole,
        "interval": [round(b, 1) for b in interval_of_rate(part, whole)],
    }


def _calibration(records: Sequence[Record]) -> list[dict[str, Any]]:
    found = []
    for place in range(BINS):
        held = [r for r in records if min(int(r.confidence * BINS), BINS - 1) == place]
        if held:
            said = sum(r.confidence for r in held) / len(held)
            right = sum(r.same for r in held) / len(held)
            found.append({"said": round(said, 3), "right": round(right, 3), "answers": len(held)})
    return found
