"""Finds a table's main date: the one that increases from row to row, as documents are entered. Ignores names.

Dates such as people's births don't increase, so a table of people may have no main date.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import column, select, table

from servers.common.catalogue import Table
from servers.common.database import Database

GOES_ON = 0.8
"""The required share of rows whose date is not earlier than the previous row's."""
FEW = 6
"""With fewer rows the order is not conclusive."""
ROWS = 10_000
_SECONDS = 20.0


async def counting_date(database: Database, described: Table, dates: Sequence[str], *, document: bool) -> str | None:
    """Return one of the columns `dates`, or None; for a `document` (has references, is referred to by none) a sole one.

    Raises StatementError.
    """
    key = described.primary_key
    dates = [name for name in dates if name not in key] or dates  # rows are ordered by their key
    read: Any = select(*(column(name) for name in dates)).select_from(table(described.name))
    read = read.order_by(*(column(name) for name in key)).limit(ROWS)
    found = await database.fetch(read, max_rows=ROWS, timeout_seconds=_SECONDS) if dates else None
    ranked: list[tuple[float, float, str]] = []
    same: set[str] = set()
    for place, name in enumerate(dates):
        values = [str(row[place]) for row in found.rows if row[place] is not None] if found else []
        going_on = [before <= after for before, after in pairwise(values)]
        if len({*values}) < len(values[:2]):
            same.add(name)  # all rows were written or changed at once
        elif len(values) >= FEW and sum(going_on) >= GOES_ON * len(going_on):
            ranked.append((len(values), sum(going_on), name))
    alone = dates[0] if document and len(dates) == 1 and dates[0] not in same else None
    return max(ranked, key=lambda each: each[:2])[2] if ranked else alone
