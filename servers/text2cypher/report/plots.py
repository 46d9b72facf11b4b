"""The report's charts as PNG. Draws the numbers it is given."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = ("#1b6ca8", "#e08e0b", "#3a8f5c", "#8d4b9e", "#b23a48", "#5c6770", "#2bb3c0", "#a7812f", "#e377a5")


def grouped_bars(groups: Sequence[str], series: Mapping[str, Sequence[float]], *, title: str, unit: str) -> bytes:
    """One group of bars per name, one bar per series; series values in the order of `groups`."""
    figure, axes = _canvas()
    width = min(0.8 / max(len(series), 1), 0.25)
    for number, (name, values) in enumerate(series.items()):
        places = [place + width * (number + 0.5 - len(series) / 2) for place in range(len(groups))]
        bars = axes.bar(places, values, width * 0.92, label=name, color=COLOURS[number % len(COLOURS)])
        if len(groups) * len(series) <= 30:
            axes.bar_label(bars, fmt="%.0f" if unit == "%" else "%.2f", fontsize=7, padding=1)
    axes.set_xticks(
        range(len(groups)), groups, rotation=20 if len(groups) > 4 else 0, ha="right" if len(groups) > 4 else "center"
    )
    axes.set_xlim(-0.7, len(groups) - 0.3)
    axes.set_ylabel(unit)
    if unit == "%":
        axes.set_ylim(0, 108)
    axes.set_title(title, loc="left", fontsize=11)
    figure.legend(fontsize=8, frameon=False, ncols=min(len(series), 5), loc="outside lower center")
    return _png(figure)


def lines(xs: Sequence[int], series: Mapping[str, Sequence[float]], *, title: str, unit: str, along: str) -> bytes:
    """One line per series over whole numbers."""
    figure, axes = _canvas()
    for number, (name, values) in enumerate(series.items()):
        axes.plot(xs, values, marker="o", label=name, color=COLOURS[number % len(COLOURS)])
    axes.set_xticks(list(xs))
    axes.set_xlabel(along)
    axes.set_ylabel(unit)
    axes.set_ylim(0, 108)
    axes.set_title(title, loc="left", fontsize=11)
    figure.legend(fontsize=8, frameon=False, ncols=min(len(series), 3), loc="outside lower center")
    return _png(figure)


def _canvas() -> tuple[Any, Any]:
    """All charts have the same width, so that their letters have the same size in the report."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.8), dpi=110, layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    axes.set_axisbelow(True)
    return figure, axes


def _png(figure: Any) -> bytes:
    held = io.BytesIO()
    figure.savefig(held, format="png", metadata={"Software": None})
    return held.getvalue()
