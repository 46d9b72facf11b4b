"""The measurements stored in docs/figures.json: each section's first and its latest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "figures.json"
UNITS = {"ms": "ms", "us": "µs", "s": "s", "mb": "MB", "kb": "kB", "mib": "MiB", "ratio": "ratio", "second": "1/s"}
"""Unit by the last word of a figure's name."""

Cell = str | int | float | bool | None
Tables = dict[str, list[dict[str, Cell]]]


class Figure(BaseModel):
    """One value. `of` is the total when the value is a count out of it."""

    model_config = ConfigDict(frozen=True)

    value: Cell
    unit: str = ""
    of: int | None = None

    def __str__(self) -> str:
        return f"{self.value}" if self.of is None else f"{self.value} of {self.of:,}"


class Measurement(BaseModel):
    """One run of a section.

    `commit` is the measured code's last commit on the main branch; `changed` means the code differs from it. `load` is
    the load average before the start; `many` says how many rounds or questions the figures come from.
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
    """The result of a section's run; `wrong` lists failures, one line each."""

    figures: dict[str, Figure] = {}
    tables: Tables = {}
    picture: str | None = None
    many: dict[str, int] = {}
    wrong: list[str] = []

    @classmethod
    def of(cls, answered: Mapping[str, Any], **more: Any) -> Found:
        """Convert plain figures: lists of rows become tables, nested names are joined by dots."""
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
"""{section: its first measurement and its latest}; git's history has those in between."""


def read(file: Path | None = None) -> History:
    """The stored history; empty when the file is missing."""
    kept = json.loads((file or FILE).read_text(encoding="utf-8")) if (file or FILE).exists() else {}
    return {name: [Measurement.model_validate(one) for one in each] for name, each in kept.items()}


def write(history: History, file: Path | None = None) -> None:
    """Write one line per figure and row, sections sorted by name, so that two measurements rarely conflict in git."""
    ends = {name: [*each[:1], *each[1:][-1:]] for name, each in sorted(history.items())}
    kept = {name: [one.model_dump(exclude_defaults=True) for one in each] for name, each in ends.items()}
    (file or FILE).write_text(_lines(kept) + "\n", encoding="utf-8")


def _lines(value: Any, depth: int = 0) -> str:
    """Format as JSON; an object with plain values only stays on one line."""
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
