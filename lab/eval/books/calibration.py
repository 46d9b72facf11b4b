"""What a quality_score says beside what is right, from the answers of `lab.eval.books --json`. It asks nobody.

`python -m lab.eval.books.calibration ANSWERS.json … --plot docs/analytics/calibration.png` prints the table, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from servers.text2cypher.metrics.statistics import interval_of_rate

BANDS = ((0, 59), (60, 69), (70, 79), (80, 89), (90, 99), (100, 100))


def bands(answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each band with answers: bounds, number of answers, number right, and the share's 95 % interval in percent."""
    found = []
    for low, high in BANDS:
        held = [each for each in answers if each["score"] is not None and low <= each["score"] <= high]
        right = sum(not each["wrong"] for each in held)
        if held:
            interval = [round(bound, 1) for bound in interval_of_rate(right, len(held))]
            found.append({"low": low, "high": high, "answers": len(held), "right": right, "interval": interval})
    return found


def _name(band: dict[str, Any]) -> str:
    return str(band["low"]) if band["low"] == band["high"] else f"{band['low']}–{band['high']}"


def table(found: Sequence[dict[str, Any]]) -> str:
    """The bands as a Markdown table."""
    rows = [
        f"| {_name(each)} | {each['answers']} | {each['right']} "
        f"({100 * each['right'] / each['answers']:.0f} %) | {each['interval'][0]}–{each['interval'][1]} % |"
        for each in found
    ]
    return "\n".join(["| quality_score | answers | right | 95 % interval |", "|---|---|---|---|", *rows])


def plot(found: Sequence[dict[str, Any]], file: Path) -> None:
    """Plot the share of right answers by band, with interval and number of answers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.2))
    shares = [100 * each["right"] / each["answers"] for each in found]
    errors = [
        [share - each["interval"][0] for share, each in zip(shares, found, strict=True)],
        [each["interval"][1] - share for share, each in zip(shares, found, strict=True)],
    ]
    axes.bar(range(len(found)), shares, yerr=errors, capsize=4, color="#7fa6c9")
    axes.set_xticks(range(len(found)), [f"{_name(each)}\nn = {each['answers']}" for each in found])
    axes.set_xlabel("quality_score")
    axes.set_ylabel("right, %")
    axes.set_ylim(0, 108)
    figure.tight_layout()
    figure.savefig(file, dpi=100, metadata={"Software": None})
    pyplot.close(figure)


def main() -> None:
    """Read the answers, print the table, draw the plot."""
    parser = argparse.ArgumentParser(prog="lab.eval.books.calibration", description=__doc__)
    parser.add_argument("answers", type=Path, nargs="+")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    found = bands([each for file in given.answers for each in json.loads(file.read_text(encoding="utf-8"))])
    print(table(found))
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
