"""What was measured, as docs/figures.json keeps it: each section's first measurement and its latest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "figures.json"
UNITS = {"ms": "ms", "us": "µs", "s": "s", "mb": "MB", "kb": "kB", "mib": "MiB", "ratio": "ratio", "second": "1/s"}
"""By the last word of a figure's name."""

Cell = str | int | float | bool | None
Tables = dict[str, list[dict[str, Cell]]]


class Figure(BaseModel):
    """One value. `of`: how many there were, where the value counts some of them."""

    model_config = ConfigDict(frozen=True)

    value: Cell
    unit: str = ""
    of: int | None = None

    def __str__(self) -> str:
        return f"{self.value}" if self.of is None else f"{self.value} of {self.of:,}"


class Measurement(BaseModel):
    """One run of a section.

    `commit` is the last one of the main branch that the measured code has; `changed`: it had more than that. `load` is
    the machine's before the start; `many` says how many rounds or questions the figures come from.
    """

    model_config = ConfigDict(frozen=True)

    at: str
    commit: str
    changed: bool = False
    machine: str
    load: float
    took_s: float = 0.0
    many: dict[str, int] = {}
    figures: dict[str, Figure] = {}
    tables: Tables = {}
    picture: str | None = None


class Found(BaseModel):
    """What a section's run answers; `wrong`: what should not have been so, a line each."""

    figures: dict[str, Figure] = {}
    tables: Tables = {}
    picture: str | None = None
    many: dict[str, int] = {}
    wrong: list[str] = []

    @classmethod
    def of(cls, answered: Mapping[str, Any], **more: Any) -> Found:
        """From plain figures: lists of rows become tables, nested names are joined by dots."""
        plain = {key: value for key, value in answered.items() if key != "picture"}
        tables = {key: value for key, value in plain.items() if isinstance(value, list)}
        single = dict(_flat({key: value for key, value in plain.items() if key not in tables}))
        return cls(figures=single, tables=tables, picture=answered.get("picture"), **more)


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Figure]]:
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if isinstance(value, Figure):
            yield name, value
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        else:
            yield name, Figure(value=value, unit=UNITS.get(name.rpartition("_")[2], ""))


History = dict[str, list[Measurement]]
"""{section: its first measurement and its latest}; those between are in the repository's history."""


def read(file: Path | None = None) -> History:
    """What is kept; nothing where there is no file."""
    kept = json.loads((file or FILE).read_text(encoding="utf-8")) if (file or FILE).exists() else {}
    return {name: [Measurement.model_validate(one) for one in each] for name, each in kept.items()}


def write(history: History, file: Path | None = None) -> None:
    """One line a figure and a row, sections by name: so that two measurements seldom meet in one line."""
    ends = {name: [*each[:1], *each[1:][-1:]] for name, each in sorted(history.items())}
    kept = {name: [one.model_dump(exclude_defaults=True) for one in each] for name, each in ends.items()}
    (file or FILE).write_text(_lines(kept) + "\n", encoding="utf-8")


def _lines(value: Any, depth: int = 0) -> str:
    """JSON with every object that holds only plain values on one line."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, dict | list) for each in inner):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {_lines(each, depth + 1)}" for key, each in value.items()]
    else:
        parts = [_lines(each, depth + 1) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    pad = " " * (depth + 1)
    return f"{first}\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * depth}{last}"
