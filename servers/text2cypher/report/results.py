"""Reads an experiment's results from its folder. Draws nothing."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]
_NUMBERS = ("bleu", "rouge_l_f1", "jaro_winkler", "jaccard_cypher", "jaccard_output", "llmetric_q")
_WHOLE = ("pass_at_1", "total_iterations", "prompt_tokens", "completion_tokens")


class ResultsError(ValueError):
    """The folder has no finished experiment."""


def read_summary(folder: Path) -> dict[str, Any]:
    """experiment_summary.json. Raises ResultsError."""
    file = folder / "experiment_summary.json"
    if not file.exists():
        raise ResultsError(f"{file}: not there; finish a run with `text2cypher run --out {folder}` first")
    summary: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return summary


def read_records(folder: Path, name: str) -> list[Record]:
    """One configuration's rows, with parsed numbers and attempts as lists. Raises ResultsError."""
    file = folder / name / "agentic_results.csv"
    if not file.exists():
        raise ResultsError(f"{file}: not there; run that configuration again")
    csv.field_size_limit(1 << 24)
    with file.open(encoding="utf-8", newline="") as handle:
        return [_typed(row) for row in csv.DictReader(handle)]


def _typed(row: dict[str, str]) -> Record:
    typed: Record = dict(row)
    for name in _NUMBERS:
        typed[name] = float(row[name])
    for name in _WHOLE:
        typed[name] = int(row[name])
    for name in ("success", "first_attempt_valid", "kg_valid"):
        typed[name] = row[name] == "True"
    typed["attempts"] = json.loads(row["attempts"])
    return typed
