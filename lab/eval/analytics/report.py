"""Writes the report of one planner's answers as CSV and as an HTML page with plots. It judges nothing."""

from __future__ import annotations

import base64
import csv
import html
import io
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

COLUMNS = (
    "kind",
    "style",
    "question",
    "right",
    "invented",
    "error_node",
    "status",
    "seconds",
    "turns",
    "input_tokens",
    "output_tokens",
)


def write(folder: Path, planner: str, made: list[dict[str, Any]], *, asked_of: int) -> None:
    """Write `PLANNER.csv` and `PLANNER.html` (not tracked) beside the existing `PLANNER.json`."""
    with (folder / f"{planner}.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
        rows.writeheader()
        rows.writerows(made)
    (folder / f"{planner}.html").write_text(_page(planner, made, asked_of), encoding="utf-8")


def _page(planner: str, made: list[dict[str, Any]], asked_of: int) -> str:
    styles = [style for style in ("sql", "operations") if any(each["style"] == style for each in made)]
    kinds = list(dict.fromkeys(each["kind"] for each in made))
    head = "".join(f"<th>{style}</th>" for style in styles)
    by_kind = "".join(
        f"<tr><td>{kind}</td>" + "".join(f"<td>{_share(made, style, kind)}</td>" for style in styles) + "</tr>"
        for kind in kinds
    )
    overall = "".join(f"<td><b>{_share(made, style)}</b></td>" for style in styles)
    made_up = "".join(f"<td>{sum(bool(each['invented']) for each in _of(made, style))}</td>" for style in styles)
    times = "".join(f"<td>{_times(made, style)}</td>" for style in styles)
    tokens = "".join(f"<td>{_tokens(made, style)}</td>" for style in styles)
    nodes = Counter((each["error_node"], each["style"]) for each in made if not each["right"] and each["error_node"])
    wrong = Counter(each["style"] for each in made if not each["right"] and not each["error_node"])
    errors = "".join(f"<li>{node} ({style}): {count}</li>" for (node, style), count in nodes.most_common())
    errors += "".join(f"<li>answered, but not right ({style}): {count}</li>" for style, count in wrong.items())
    failures = "".join(
        f"<tr><td>{each['style']}</td><td>{html.escape(each['question'])}</td><td>{html.escape(_why(each))}</td></tr>"
        for each in made
        if not each["right"]
    )
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Asking the books: {planner}</title>
<style>body{{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}td,th{{padding:.2rem .8rem;
border-bottom:1px solid #ddd;text-align:left;vertical-align:top}}table{{border-collapse:collapse}}</style>
<h1>Asking the books: {planner} planner</h1>
<p>{len(made)} answers of {asked_of} (67 questions in two styles).
Right means: the values fetched are the gold values, and what has no answer was not answered.</p>
<table><tr><th>kind</th>{head}</tr>{by_kind}<tr><td><b>all</b></td>{overall}</tr>
<tr><td>answers with a number that no result holds</td>{made_up}</tr>
<tr><td>seconds, median (longest)</td>{times}</tr><tr><td>tokens read + written, median</td>{tokens}</tr></table>
<p><img alt="right answers by kind" src="data:image/png;base64,{_plot(made, styles, kinds)}"></p>
<h2>Where it failed</h2><ul>{errors or "<li>nowhere</li>"}</ul>
<table>{failures}</table></html>
"""


def _of(made: list[dict[str, Any]], style: str, kind: str | None = None) -> list[dict[str, Any]]:
    return [each for each in made if each["style"] == style and kind in (None, each["kind"])]


def _share(made: list[dict[str, Any]], style: str, kind: str | None = None) -> str:
    asked = _of(made, style, kind)
    right = sum(each["right"] for each in asked)
    return f"{right} of {len(asked)} ({100 * right / len(asked):.0f} %)" if asked else "–"


def _times(made: list[dict[str, Any]], style: str) -> str:
    seconds = [each["seconds"] for each in _of(made, style)]
    return f"{statistics.median(seconds):.3g} ({max(seconds):.3g})"


def _tokens(made: list[dict[str, Any]], style: str) -> str:
    asked = _of(made, style)
    read = statistics.median(each["input_tokens"] for each in asked)
    return f"{read:.0f} + {statistics.median(each['output_tokens'] for each in asked):.0f}"


def _why(each: dict[str, Any]) -> str:
    if each["error_node"]:
        return f"{each['error_node']}: {each['details'] or ''}"[:300]
    steps = each["plan"] or []
    return " | ".join(str(step.get("query") or step.get("main_table")) for step in steps)[:300]


def _plot(made: list[dict[str, Any]], styles: list[str], kinds: list[str]) -> str:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 3.2))
    width = 0.8 / max(1, len(styles))
    for number, style in enumerate(styles):
        shares = []
        for kind in kinds:
            asked = _of(made, style, kind)
            shares.append(100 * sum(each["right"] for each in asked) / len(asked) if asked else 0)
        axes.bar([place + number * width for place in range(len(kinds))], shares, width, label=style)
    axes.set_xticks([place + width / 2 for place in range(len(kinds))], kinds, rotation=30, ha="right")
    axes.set_ylabel("right, %")
    axes.set_ylim(0, 105)
    axes.legend()
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=90, metadata={"Software": None})
    pyplot.close(figure)
    return base64.b64encode(out.getvalue()).decode()
