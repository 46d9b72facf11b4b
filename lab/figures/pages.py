"""Fills the marked places of README and docs/ from docs/figures.json. It measures nothing.

    <!-- figures: bench.rpc bench.steps -->   a block: what was measured, when and where, then the tables
    <!-- figure: eval.letters_embedded letters_right -->…<!-- / -->   one figure in a sentence or a cell
    <!-- figure: bench.agents langgraph/step_ms -->…<!-- / -->   one cell: the row that starts with it, then its column
    <!-- figure: eval.letters_embedded first:letters_right -->…<!-- / -->   the same as it was measured first

Both end in `<!-- / -->`. A figure of a set whose failures were inspected is followed by "a tuning set", a figure whose
code more than 30 commits have changed since by "stale".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from lab.figures.commits import stale
from lab.figures.goals import GOALS, found
from lab.figures.record import ROOT, Figure, History, Measurement, read
from lab.figures.sections import Section, sections

_BLOCK = re.compile(r"(<!-- figures: ([\w. *]+) -->\n).*?(<!-- / -->)", re.DOTALL)
_SINGLE = re.compile(r"(<!-- figure: ([\w.]+) ([^>]+?) -->).*?(<!-- / -->)")
STALE = "**stale**"
"""Marks a figure whose code has changed since; tests compare pages without it."""

Judge = Callable[[Measurement, tuple[str, ...]], bool]


def pages() -> list[Path]:
    """Every page that may contain figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fill(judge: Judge = stale) -> list[Path]:
    """Update the outdated pages and return them."""
    history, known, written = read(), sections(), []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (now := filled(text, history, known, judge)) != text:
            page.write_text(now, encoding="utf-8")
            written.append(page)
    return written


def filled(text: str, history: History, known: Mapping[str, Section], judge: Judge) -> str:
    """A page's text with its marked places filled. Raises KeyError for an unknown section or figure."""

    def block(mark: re.Match[str]) -> str:
        names = [name for asked in mark[2].split() for name in _named(asked, known)]
        return f"{mark[1]}\n{_block([known[name] for name in names], history, judge)}\n{mark[3]}"

    def single(mark: re.Match[str]) -> str:
        return f"{mark[1]}{_single(known[mark[2]], mark[3], history, judge)}{mark[4]}"

    return _SINGLE.sub(single, _BLOCK.sub(block, text))


def _named(asked: str, known: Mapping[str, Section]) -> list[str]:
    """The sections that one word of a mark names; `bench.*` means all with that prefix. Raises KeyError for none."""
    return [name for name in known if name.startswith(asked[:-1])] if asked.endswith("*") else [known[asked].name]


def _single(section: Section, mark: str, history: History, judge: Judge) -> str:
    """A figure or table cell as text for a sentence. Raises KeyError or StopIteration when there is none."""
    first, _, name = mark.rpartition(":")
    measured = history[section.name][0 if first else -1]
    if "/" in name:
        text = str(found(measured, name))
    else:
        figure = measured.figures[name]
        text = f"{figure} {figure.unit}".strip() if figure.of is None else str(figure)
    old = not first and judge(measured, section.paths)
    return text + ", a tuning set" * section.tuning + f" ({STALE})" * old


def _block(shown: Sequence[Section], history: History, judge: Judge) -> str:
    """The sections' descriptions, when they were measured, and their tables, grouped by equal columns."""
    lines = [section.about for section in shown if section.about]
    there = [section for section in shown if history.get(section.name)]
    heads: dict[str, list[str]] = {}
    for section in there:
        heads.setdefault(_head(section, history[section.name][-1], judge), []).append(section.name)
    for head, names in heads.items():
        lines.append(f"{', '.join(f'`{name}`' for name in names)}: {head}")
    if missing := [f"`{section.name}`" for section in shown if section not in there]:
        lines.append(f"Not measured yet: {', '.join(missing)}.")
    return "\n\n".join([*lines, *_tables(there, history)]) + "\n"


def _head(section: Section, measured: Measurement, judge: Judge) -> str:
    many = "".join(f", {name} {count:,}" for name, count in measured.many.items())
    more = " with changes of its own" if measured.changed else ""
    taken = f"{measured.at}, commit {measured.commit[:9]}{more}, {measured.machine}, load {measured.load}{many}"
    return f"{taken}{', a tuning set' * section.tuning}.{f' {STALE}' * judge(measured, section.paths)}"


def _tables(shown: Sequence[Section], history: History) -> list[str]:
    """The latest rows of all sections as tables, one for each set of columns; then pictures, figures and goals."""
    rows = [
        (tuple(row), tuple(row.values()))
        for section in shown
        for table in history[section.name][-1].tables.values()
        for row in table
    ]
    made = [_table(columns, [row for _, row in group]) for columns, group in groupby(rows, key=lambda pair: pair[0])]
    made += [f"![{section.name}]({picture})" for section in shown if (picture := history[section.name][-1].picture)]
    made += [_figures(history[section.name]) for section in shown if history[section.name][-1].figures]
    due = [(goal, goal.met(history[section.name][-1])) for section in shown for goal in GOALS.get(section.name, ())]
    return [*made, _table(("goal", "measured"), due)] if due else made


def _figures(measured: Sequence[Measurement]) -> str:
    """Single figures; the first measurement is beside the latest when there are two."""
    first, last = measured[0], measured[-1]
    if first is last:
        return _table(("figure", "value"), [(name, _shown(figure)) for name, figure in last.figures.items()])
    rows = [(name, _shown(figure), _shown(first.figures.get(name))) for name, figure in last.figures.items()]
    return _table(("figure", "value", f"first, {first.at[:10]}"), rows)


def _shown(figure: Figure | None) -> str:
    return "–" if figure is None else str(figure)


def _table(columns: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
