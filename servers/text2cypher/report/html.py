"""Writes an experiment's figures, charts and every question's attempts to one HTML file."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from servers.text2cypher.report import plots
from servers.text2cypher.report.results import Record, read_records, read_summary

REPORT = "report.html"


def write_report(folder: Path) -> Path:
    """Writes `folder`/report.html from the results in `folder`. Raises results.ResultsError."""
    from jinja2 import Environment, FileSystemLoader

    summary = read_summary(folder)
    records = {name: read_records(folder, name) for name in summary["configurations"]}
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True)
    pictures = [(title, base64.b64encode(png).decode()) for title, png in _pictures(summary["configurations"], records)]
    text = environment.get_template("report.html.jinja").render(summary=summary, records=records, pictures=pictures)
    target = folder / REPORT
    target.write_text(text, encoding="utf-8")
    return target


def _pictures(found: dict[str, Any], records: dict[str, list[Record]]) -> list[tuple[str, bytes]]:
    names = list(found)
    main = {
        "Pass@1": [found[name]["pass_at_1_rate"] for name in names],
        "KG valid": [found[name]["kg_valid_rate"] for name in names],
        "LLMetric": [found[name]["llmetric"] for name in names],
    }
    pictures = [("Konfigurasi", plots.grouped_bars(names, main, title="Per konfigurasi", unit="%"))]
    for key, title in (("by_complexity", "Pass@1 per kompleksitas"), ("by_hops", "Pass@1 per jumlah hop")):
        groups = list(dict.fromkeys(group for name in names for group in found[name][key]))
        if groups:
            series = {name: [found[name][key].get(g, {}).get("pass_at_1_rate", 0.0) for g in groups] for name in names}
            pictures.append((title, plots.grouped_bars(groups, series, title=title, unit="%")))
    most = max((r["total_iterations"] for held in records.values() for r in held), default=1)
    if most > 1:
        xs = list(range(1, most + 1))
        valid = {name: [_valid_by(held, x) for x in xs] for name, held in records.items()}
        title = "Query valid sampai iterasi ke-n"
        pictures.append((title, plots.lines(xs, valid, title=title, unit="%", along="iterasi")))
    return pictures


def _valid_by(records: list[Record], iteration: int) -> float:
    good = sum(bool(r["success"]) and r["total_iterations"] <= iteration for r in records)
    return 100 * good / len(records) if records else 0.0
