"""Reads a CSV or XLSX file row by row, as text by column. Knows no residents."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from servers.common.extras import require

MOST_BYTES = 500_000_000
"""The longest part of a workbook, unpacked; a million residents have less. A cell of any length must be in memory."""
MOST_ROWS = 1_048_576
"""As many as a workbook can have. A row may state its number, and those it leaves out are read as empty."""


class SheetError(ValueError):
    """The file can't be read; the text says why."""


def rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells); the first row is the header. Raises SheetError, OSError."""
    match file.suffix.lower():
        case ".csv":
            yield from _csv(file)
        case ".xlsx":
            require("residents", "openpyxl")
            yield from _xlsx(file)
        case _:
            raise SheetError(f"{file.name} is neither .csv nor .xlsx; save the sheet as one of them")


def _csv(file: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            header = text.readline()
            text.seek(0)
            delimiter = max(",;\t", key=header.count)
            reader = csv.reader(text, delimiter=delimiter)
            for row in reader:
                yield reader.line_num, [cell.strip() for cell in row]
    except UnicodeDecodeError:
        raise SheetError(f"{file.name} is not UTF-8; save it as CSV UTF-8") from None
    except csv.Error as error:
        raise SheetError(f"{file.name} is no CSV: {error}") from None


def _xlsx(file: Path) -> Iterator[tuple[int, list[str]]]:
    import openpyxl

    too_long = SheetError(f"{file.name} is too long for a workbook; save it as CSV UTF-8")
    try:
        with ZipFile(file) as archive:
            if any(part.file_size > MOST_BYTES for part in archive.infolist()):
                raise too_long
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            for sheet in book.worksheets[:1]:
                sheet.reset_dimensions()  # the size that the file states may be wrong, and would cut rows off
                for line, row in enumerate(sheet.iter_rows(values_only=True), 1):
                    if line > MOST_ROWS:
                        raise too_long
                    yield line, [_text(cell) for cell in row]
    except (OSError, SheetError):
        raise
    except Exception as error:  # the library may raise anything for a damaged archive or sheet
        raise SheetError(f"{file.name} is no XLSX workbook ({type(error).__name__})") from None


def _text(cell: Any) -> str:
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()[:10]
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell).strip()
