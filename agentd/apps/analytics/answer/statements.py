"""Comparisons, trends, ranks and shares that the host computes from the results and words itself. Asks no model.

| in a template             | says, from the rows                                                                    |
|---------------------------|----------------------------------------------------------------------------------------|
| {COMPARE NEW OLD}         | how the first figure stands to the second: up or down, by how much, from what to what  |
| {SHARE PART WHOLE}        | the first as a percentage of the second                                                |
| {TREND ROWS [COLUMN]}     | how a column moves over its periods (rows are put in the order of their first column)  |
| {TOP ROWS [COLUMN]}       | whose value is the highest; {BOTTOM …} the lowest; all of them where several are equal |
| {FIRST ROWS}, {LAST ROWS} | the earliest or latest row and its value                                               |
| {RANK ROWS [COLUMN]}      | the rows as a numbered list from the highest; equal values share a place               |
| {RANK ROWS NAME}          | the place of the one row that a figure or the words NAME name                          |

ROWS is a result of several rows; its label is the first column that isn't the value. Without COLUMN the last column of
numbers is meant. Figures stay placeholders here: the placeholder server writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agentd.apps.analytics.answer.placeholders import names_in
from agentd.apps.analytics.answer.rules import number
from agentd.apps.analytics.wording import Wording

ENDS = ("TOP", "BOTTOM", "FIRST", "LAST", "RANK")
KINDS = ("COMPARE", "SHARE", "TREND", *ENDS)
_STATEMENT = re.compile(rf"\{{\s*({'|'.join(KINDS)})\s+([^{{}}]+?)\s*\}}")
RANKED = 10
"""The most rows of a ranking in the narrative; the table has all."""
_ORDERED = re.compile(r"\d{4}(?:-\d\d){0,2}|\d{1,4}|\d{4}-?Q[1-4]")


@dataclass(frozen=True, slots=True)
class Statement:
    """One computed statement of a template."""

    kind: str
    args: tuple[str, ...]
    text: str
    """The statement as written in the template."""


@dataclass(slots=True)
class Said:
    """A worded statement: its text with its own placeholders, their values and formats."""

    text: str
    values: dict[str, Any] = field(default_factory=dict)
    like: dict[str, str] = field(default_factory=dict)
    """{placeholder: the figure or column whose format it has, or `percentage:1`}"""
    known: bool = True
    """False if the results lack what it needs."""


def statements_in(template: str) -> list[Statement]:
    """The computed statements of a template, each once."""
    found = {each[0]: Statement(each[1], tuple(each[2].split()), each[0]) for each in _STATEMENT.finditer(template)}
    return list(found.values())


def names_of(statement: Statement) -> tuple[str, ...]:
    """The results that it names; columns and names to rank don't count."""
    return statement.args[:2] if statement.kind in ("COMPARE", "SHARE") else statement.args[:1]


def spoken_of(template: str) -> list[str]:
    """The names in a template's placeholders and computed statements, each once."""
    named = [name for each in statements_in(template) for name in names_of(each)]
    return list(dict.fromkeys([*names_in(template), *named]))


def worded(
    statement: Statement, place: int, looked_up: Callable[[str], Any], shown_as: Callable[[str], str], words: Wording
) -> Said:
    """The statement in words. `place`: its number; `looked_up`: returns a result (or raises KeyError); `shown_as`:
    returns the format of a figure or column."""
    teller = _Teller(f"S{place}", words.say, shown_as)
    try:
        if statement.kind in ("COMPARE", "SHARE"):
            if len(statement.args) != 2:
                return Said(words.say["empty"], known=False)
            first, second = statement.args
            act = teller.compare if statement.kind == "COMPARE" else teller.share
            return act(first, looked_up(first), second, looked_up(second))
        rows = _rows(looked_up(statement.args[0]))
    except KeyError:
        return Said(words.say["empty"], known=False)
    return teller.series(statement.kind, rows, list(statement.args[1:]), looked_up)


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        value = value.get("rows") or [value]
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class _Point:
    label: Any
    value: Decimal
    exact: Any


class _Teller:
    """Words one statement; its placeholders are `S1.new`, `S1.old`, …"""

    def __init__(self, prefix: str, say: Mapping[str, str], shown_as: Callable[[str], str]) -> None:
        self._prefix = prefix
        self._say = say
        self._shown_as = shown_as

    def compare(self, new_name: str, new: Any, old_name: str, old: Any) -> Said:
        now, before = number(new), number(old)
        if now is None or before is None:
            missing = new_name if now is None else old_name
            return Said(self._say["compare_unknown"].format(missing=missing.replace("_", " ").casefold()))
        if now == before:
            return self._filled("compare_same", new=(new, new_name))
        up = "up" if now > before else "down"
        figures = {"new": (new, new_name), "old": (old, old_name)}
        change = abs(now - before) / before if before > 0 and now >= 0 else None
        percent = self._shown_as(new_name).startswith("percent")
        if change is None or percent or change < Decimal("0.0005"):
            return self._filled(f"compare_{up}_plain", **figures)
        return self._filled(f"compare_{up}", change=(str(change), "percentage:1"), **figures)

    def share(self, part_name: str, part: Any, whole_name: str, whole: Any) -> Said:
        some, all_of = number(part), number(whole)
        if some is None or all_of is None or all_of == 0:
            return Said(self._say["share_unknown"])
        if some < 0 or all_of < 0:
            return self._filled("share_negative", part=(part, part_name), whole=(whole, whole_name))
        return self._filled("share", share=(str(some / all_of), "percentage:1"), whole=(whole, whole_name))

    def series(self, kind: str, rows: list[dict[str, Any]], rest: list[str], looked_up: Callable[[str], Any]) -> Said:
        if not rows:
            return Said(self._say["empty"])
        column = _column(rows, rest[0] if rest else "")
        if column is None:
            return Said(self._say["no_values"])
        label = next((name for name in rows[0] if name != column), column)
        points = [
            _Point(row.get(label), value, row.get(column))
            for row in rows
            if (value := number(row.get(column))) is not None
        ]
        if not points:
            return Said(self._say["no_values"])
        if kind in ("TREND", "FIRST", "LAST"):
            points = _in_order(points)
        timed = all(_ORDERED.match(str(point.label)) for point in points)
        if kind == "TREND" and not timed:
            said = self._ranked(points, column, label)  # without an order in time there is no trend
        elif kind == "TREND":
            said = self._trend(points, column, label)
        elif kind in ("FIRST", "LAST"):
            said = self._one(points[0 if kind == "FIRST" else -1], column, label)
        elif kind == "RANK":
            named = rest[0] if rest and rest[0].casefold() != column.casefold() else ""
            said = self._place(points, _meant(named, rest, looked_up)) if named else self._ranked(points, column, label)
        else:
            said = self._extreme(points, column, label, highest=kind == "TOP")
        if len(points) < len(rows):
            said.text += self._say["gaps"].format(count=len(rows) - len(points))
        return said

    def _trend(self, points: list[_Point], column: str, label: str) -> Said:
        first, last = points[0], points[-1]
        ends = {"last": (last.exact, column), "last_label": (last.label, label)}
        if len(points) == 1:
            return self._filled("trend_one", **ends)
        ends |= {"first": (first.exact, column), "first_label": (first.label, label)}
        values = [point.value for point in points]
        if len(set(values)) == 1:
            ends.pop("first")
            return self._filled("trend_same", **ends)
        if values == sorted(values) or values == sorted(values, reverse=True):
            level = "" if len(set(values)) == len(values) else "_level"
            return self._filled(f"trend_{'up' if values[-1] > values[0] else 'down'}{level}", **ends)
        high, low = max(points, key=lambda each: each.value), min(points, key=lambda each: each.value)
        ends |= {"high": (high.exact, column), "high_label": (high.label, label)}
        return self._filled("trend_mixed", low=(low.exact, column), low_label=(low.label, label), **ends)

    def _one(self, point: _Point, column: str, label: str) -> Said:
        return self._filled("top_one", name=(point.label, label), value=(point.exact, column))

    def _extreme(self, points: list[_Point], column: str, label: str, *, highest: bool) -> Said:
        best = (max if highest else min)(point.value for point in points)
        tied = [point for point in points if point.value == best]
        value = (tied[0].exact, column)
        if len(tied) == 1:
            return self._filled("top_only" if len(points) == 1 else "top_one", name=(tied[0].label, label), value=value)
        said = self._filled("top_ties", value=value)
        names = []
        for place, point in enumerate(tied, 1):
            names.append(self._slot(said, f"name{place}", (point.label, label)))
        listed = ", ".join(names[:-1]) + self._say["and"] + names[-1]
        said.text = said.text.replace("{names}", listed)
        return said

    def _ranked(self, points: list[_Point], column: str, label: str) -> Said:
        said = Said("")
        ranked = sorted(points, key=lambda each: each.value, reverse=True)
        for place, point in enumerate(ranked[:RANKED], 1):
            rank = 1 + sum(other.value > point.value for other in ranked)
            name = self._slot(said, f"name{place}", (point.label, label))
            said.text += f"\n{rank}. {name}: {self._slot(said, f'value{place}', (point.exact, column))}"
        if len(ranked) > RANKED:
            said.text += "\n" + self._say["more"].format(count=len(ranked) - RANKED)
        return said

    def _place(self, points: list[_Point], name: str) -> Said:
        mine = next((point for point in points if str(point.label).casefold() == name.casefold()), None)
        if mine is None:
            return Said(self._say["rank_missing"])
        place = 1 + sum(other.value > mine.value for other in points)
        return Said(self._say["rank_of"].format(place=place, count=len(points)))

    def _filled(self, phrase: str, **figures: tuple[Any, str]) -> Said:
        said = Said(self._say[phrase])
        for name, figure in figures.items():
            said.text = said.text.replace(f"{{{name}}}", self._slot(said, name, figure))
        return said

    def _slot(self, said: Said, name: str, figure: tuple[Any, str]) -> str:
        slot = f"{self._prefix}.{name}"
        said.values[slot], said.like[slot] = figure
        return f"{{{slot}}}"


def _column(rows: Sequence[Mapping[str, Any]], named: str) -> str | None:
    """The column of that name, else the last numeric one."""
    same = next((name for name in rows[0] if name.casefold() == named.casefold()), None)
    if same is not None and any(number(row.get(same)) is not None for row in rows):
        return same
    numeric = [
        name
        for name in rows[0]
        if any(isinstance(row.get(name), int | float) or number(row.get(name)) is not None for row in rows)
        and all(row.get(name) is None or number(row.get(name)) is not None for row in rows)
    ]
    return numeric[-1] if numeric else None


def _in_order(points: list[_Point]) -> list[_Point]:
    """The points sorted by their labels if these are dates, months or numbers; otherwise unchanged."""
    labels = [str(point.label) for point in points]
    if not all(_ORDERED.match(label) for label in labels):
        return points
    short = all(label.isdigit() for label in labels)
    return sorted(points, key=lambda each: (int(str(each.label)) if short else 0, str(each.label)))


def _meant(named: str, rest: list[str], looked_up: Callable[[str], Any]) -> str:
    """The value of the figure so named, or, if there is none, the label that the words themselves give."""
    try:
        return str(looked_up(named))
    except KeyError:
        return " ".join(rest)
