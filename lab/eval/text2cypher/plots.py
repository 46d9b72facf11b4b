"""Draws the results: share of right answers by stated confidence, and the effect of leaving out each aid."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

from lab.eval.text2cypher.asking import Record
from lab.eval.text2cypher.fit import records_in
from lab.eval.text2cypher.totals import totals
from servers.text2cypher.core.confidence import CERTAIN
from servers.text2cypher.experiment.experiment_runner import SUMMARY
from servers.text2cypher.report.plots import COLOURS, grouped_bars

PAGES = Path(__file__).parents[3] / "docs" / "text2cypher"
_HALVES = {"tuning": "rules were made with it", "test": "only reported"}


def draw(runs: Path, out: Path) -> list[Path]:
    """Draw calibration.png from `runs` and ablation.png from the study's summaries; return their paths."""
    records = records_in(runs, *_HALVES)
    calibration, ablation = out / "calibration.png", out / "ablation.png"
    _calibration(records).savefig(calibration)
    ablation.write_bytes(_ablation())
    return [calibration, ablation]


def _calibration(records: list[Record]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.2), dpi=110, layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#9aa3ab", linestyle="--", linewidth=1, label="as said")
    axes.axvline(CERTAIN, color="#b23a48", linewidth=1, label=f"certain from {CERTAIN}")
    for colour, (half, what) in zip(COLOURS, _HALVES.items(), strict=False):
        rows = totals([record for record in records if record.half == half])["calibration"]
        said, right = [row["said"] for row in rows], [row["right"] for row in rows]
        axes.plot(said, right, marker="o", color=colour, label=f"{half} half ({what})")
        for row in rows:
            beside = (-24, 6) if half == "test" else (7, -12)
            place = (row["said"], row["right"])
            axes.annotate(str(row["answers"]), place, beside, textcoords="offset points", fontsize=8, color=colour)
    axes.set(xlim=(-0.02, 1.04), ylim=(-0.04, 1.06), xlabel="confidence said", ylabel="share that was right")
    axes.set_title("Share of right answers by the confidence said; numbers: answers", loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return figure


def _ablation() -> bytes:
    rates: dict[str, list[float]] = {"Pass@1": [], "KG valid": []}
    with tarfile.open(PAGES / "results.tar.xz") as packed:
        files = {file.split("/")[1]: packed.extractfile(file) for file in packed.getnames() if file.endswith(SUMMARY)}
        summaries = {run: json.load(file) for run, file in files.items() if file is not None}
    left_out = {run: run.replace("_", " ") for run in sorted(summaries) if run.startswith("without_")}
    names = {"all": "all aids"} | left_out | {"none": "none"}
    for name in names:
        held = summaries[name]["configurations"]["Few-Shot_Nodes+Paths"]
        rates["Pass@1"].append(held["pass_at_1_rate"])
        rates["KG valid"].append(held["kg_valid_rate"])
    return grouped_bars(list(names.values()), rates, title="52 questions, each aid left out (2026-11-21)", unit="%")
