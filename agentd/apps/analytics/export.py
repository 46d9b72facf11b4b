"""An answer's table as a CSV or XLSX file. No cell is ever a formula, whatever the data contain."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KINDS = (".csv", ".xlsx")
_FORMULA = re.compile(r"(^|;)(?= *[=+@\t\r\n＝＋－＠-])")
"""Where a formula starts: full-width characters do in some countries' spreadsheets, and those of countries with a
decimal comma (Indonesia) begin a cell after each semicolon of a CSV file."""
Rows = Sequence[Mapping[str, Any]]


def write(rows: Rows, file: Path) -> None:
    """Writes the rows below a header. Raises ValueError for another file type or no rows, and OSError."""
    kind = file.suffix.casefold()
    if kind not in KINDS:
        raise ValueError(f"{file.name}: the file's name must end in {' or '.join(KINDS)}")
    if not rows:
        raise ValueError(f"{file.name} is not written: the answer has no table")
    file.write_bytes(made(rows, kind))


def made(rows: Rows, kind: str) -> bytes:
    """The file's content; `kind` is one of KINDS."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [[row.get(name) for name in columns] for row in rows]
    return (_csv if kind == ".csv" else _xlsx)(columns, lines)


def _csv(columns: list[str], lines: list[list[Any]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[_plain(value) for value in line] for line in (columns, *lines)])
    return out.getvalue().encode("utf-8-sig", "replace")


def _plain(value: Any) -> Any:
    """Puts an apostrophe before text that a spreadsheet would run as a formula."""
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value


def _xlsx(columns: list[str], lines: list[list[Any]]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook()
    sheet = book.active
    for row, line in enumerate([columns, *lines], 1):
        for column, value in enumerate(line, 1):
            known = value is None or isinstance(value, bool | int | float | str)
            cell = sheet.cell(row, column, value if known and not isinstance(value, str) else None)
            if value is not None and cell.value is None:
                cell.value = ILLEGAL_CHARACTERS_RE.sub("\ufffd", str(value)).encode("utf-8", "replace").decode()
                cell.data_type = "s"
    sheet.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
