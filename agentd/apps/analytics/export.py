"""An answer's table as a file, CSV or XLSX. No cell is a formula, whatever the data hold. It asks nobody."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KINDS = (".csv", ".xlsx")
_FORMULA = ("=", "+", "@", "\t", "\r", "-")
Rows = Sequence[Mapping[str, Any]]


def write(rows: Rows, file: Path) -> None:
    """The rows with their columns' names above. Raises ValueError for another kind of file, OSError."""
    if file.suffix.casefold() not in KINDS:
        raise ValueError(f"{file.name}: the file's name must end in {' or '.join(KINDS)}")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [[row.get(name) for name in columns] for row in rows]
    (_csv if file.suffix.casefold() == ".csv" else _xlsx)(columns, lines, file)


def _csv(columns: list[str], lines: list[list[Any]], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8-sig") as out:
        table = csv.writer(out)
        table.writerow([_plain(name) for name in columns])
        table.writerows([[_plain(value) for value in line] for line in lines])


def _plain(value: Any) -> Any:
    """A text that a spreadsheet would run gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _xlsx(columns: list[str], lines: list[list[Any]], file: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    for row, line in enumerate([columns, *lines], 1):
        for column, value in enumerate(line, 1):
            known = value is None or isinstance(value, bool | int | float | str)
            cell = sheet.cell(row, column, value if known else str(value))
            if isinstance(cell.value, str):
                cell.data_type = "s"
    sheet.freeze_panes = "A2"
    book.save(file)
