"""An answer's table as a CSV or XLSX file, at GET /tables/RUN_ID.csv and .xlsx or on disk. No cell is ever a formula,
whatever the data contain."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from agentd.agent.text import spaced
from agentd.errors import Forbidden, NotFound
from agentd.http.guard import CALLER
from agentd.rpc.method import STAFF
from agentd.runs.agent_api import AgentRuns

KINDS = (".csv", ".xlsx")
_FORMULA = re.compile(r"(^|;)(?= *[=+@\t\r\n＝＋－＠-])")
"""Where a formula starts: full-width characters do in some countries' spreadsheets, and those of countries with a
decimal comma (Indonesia) begin a cell after each semicolon of a CSV file."""
Rows = Sequence[Mapping[str, Any]]
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?")
_FIRST_DAY = datetime(1900, 3, 1)
"""Spreadsheets disagree about the days before."""
_TYPES = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


class TablesEndpoint:
    """Access follows the run: a caller who may not see it gets NotFound."""

    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def routes(self) -> Iterator[web.RouteDef]:
        """For `application(mounted=…)`."""
        yield web.get(r"/tables/{run_id}.{kind:csv|xlsx}", self.get)

    async def get(self, request: web.Request) -> web.Response:
        """Returns the file. Raises Forbidden, NotFound."""
        caller, kind = request[CALLER], request.match_info["kind"]
        if not caller.may(*STAFF):
            raise Forbidden("This needs the scope staff")
        answer = await self._runs.answer(request.match_info["run_id"], caller)
        rows = answer.get("data_table_for_display") or rows_of_graph(answer)
        if not rows:
            raise NotFound("This run has no table")
        return web.Response(
            body=await asyncio.to_thread(made, rows, f".{kind}"),
            content_type=_TYPES[kind],
            headers={
                "Cache-Control": "private, no-store",
                "Content-Disposition": f'attachment; filename="jawaban.{kind}"',
            },
        )


def rows_of_graph(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a graph's answer by heading, a node as its properties; a repeated heading is numbered."""
    rows = answer.get("rows", ())
    lines: list[dict[str, Any]] = [{} for _ in rows]
    met: Counter[str] = Counter()
    for at, heading in enumerate(answer.get("headings") or answer.get("columns", ())):
        names = dict.fromkeys(name for row in rows if isinstance(row[at], dict) for name in row[at])
        for name in names or [None]:
            said = heading if name is None else spaced(name).lower()
            met[said] += 1
            told = f"{said} {met[said]}" if met[said] > 1 else said
            for line, row in zip(lines, rows, strict=True):
                line[told] = row[at] if name is None else (row[at] or {}).get(name)
    return lines


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
    """Puts an apostrophe before text that a spreadsheet would run as a formula, also within a list."""
    return value if value is None or isinstance(value, int | float) else _FORMULA.sub(r"\1'", str(value))


def _xlsx(columns: list[str], lines: list[list[Any]]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook()
    sheet = book.active
    for row, line in enumerate([columns, *lines], 1):
        for column, value in enumerate(line, 1):
            known = value is None or isinstance(value, bool | int | float | str)
            cell = sheet.cell(row, column, _moment(value) if isinstance(value, str) else value if known else None)
            if value is not None and cell.value is None:
                cell.value = ILLEGAL_CHARACTERS_RE.sub("\ufffd", str(value)).encode("utf-8", "replace").decode()
                cell.data_type = "s"
    sheet.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _moment(text: str) -> date | None:
    """The date, or the date and time, that an ISO text is; None for one that a spreadsheet can't count with."""
    found = _MOMENT.fullmatch(text)
    try:
        moment = datetime.fromisoformat(text) if found else None
    except ValueError:
        return None
    if found is None or moment is None or moment < _FIRST_DAY:
        return None
    return moment if found["time"] else moment.date()
