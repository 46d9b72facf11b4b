"""Goals for the measured figures, and whether they are met. It measures nothing."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lab.figures.record import Cell, Measurement


@dataclass(frozen=True)
class Goal:
    """A limit for one figure (`name`, or `first cell of its row/column`): a maximum, or with `least` a minimum."""

    figure: str
    limit: float
    least: bool = False

    @classmethod
    def of(cls, written: str) -> Goal:
        """Read `figure ≤ 2` or `figure ≥ 2`, as `str` writes it."""
        figure, sign, limit = written.rsplit(" ", 2)
        return cls(figure, float(limit), sign == "≥")

    def __str__(self) -> str:
        return f"{self.figure} {'≥' if self.least else '≤'} {self.limit:g}"

    def met(self, measured: Measurement) -> str:
        """The figure and whether it meets the goal; "not measured yet" when the measurement lacks it."""
        try:
            value = found(measured, self.figure)
        except (KeyError, StopIteration):
            return "not measured yet"
        if not isinstance(value, int | float):
            return f"{value}: no number"
        good = value >= self.limit if self.least else value <= self.limit
        return f"{value}: {'met' if good else '**missed**'}"


def found(measured: Measurement, figure: str) -> Cell:
    """The value of a single figure or table cell. Raises KeyError or StopIteration when there is none."""
    row, _, column = figure.rpartition("/")
    if not row:
        return measured.figures[figure].value
    lines = (line for table in measured.tables.values() for line in table)
    return next(line for line in lines if str(next(iter(line.values()))) == row)[column]


GOALS = {
    section: tuple(map(Goal.of, goals))
    for section, goals in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
