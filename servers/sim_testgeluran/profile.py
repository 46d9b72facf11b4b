"""Profiles a database's columns from a limited number of rows: ranges, small sets of codes, guessed joins that match.

Only codes are stored, and only of columns with few: never names, addresses or numbers of people.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from sqlalchemy import Select, case, column, func, select, table

from servers.common.catalogue import Catalogue, Column, Table
from servers.common.database import Database, StatementError, TimeLimitError
from servers.common.database_errors import LockedError, TooLargeError
from servers.common.guessed_keys import Join, guessed
from servers.common.phrases import phrases
from servers.sim_testgeluran.naming import PERSONAL, label_of

SAID = phrases("servers.sim_testgeluran")
CODES = 12
"""A text column with at most this many different values contains codes."""
CODE_CHARS = 30
DIGITS = 6
"""Whole numbers of at least so many digits, as many in each row and all different, identify people or things."""
PLAIN_DATE = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
DATES_AS_TEXT = {
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?": {"kind": "temporal", "about": SAID["iso_date"]},
    r"\d\d?[/.-]\d\d?[/.-]\d{4}": {"about": SAID["spoken_date"]},
    PLAIN_DATE: {"about": SAID["plain_date"]},
}
"""Date formats in text columns, with their description. Only the first one sorts and compares like dates."""
CURRENCIES = frozenset(
    "IDR USD EUR SGD MYR JPY CNY AUD GBP HKD THB KRW INR SAR CHF CAD NZD PHP VND TWD AED BND".split()
)
_FLAG = {"kind": "descriptive", "values": {"0": "", "1": ""}}
"""A whole number that is only 0 or 1 says yes or no; it isn't added up."""
UNREAD = SAID["unread"]
"""The beginning of the description of a table that can't be read."""
UNREADABLE = (StatementError, TimeLimitError, LockedError, TooLargeError)
"""What keeps one table or column from being looked at, and no other."""
TABLES = 300
BUDGET_SECONDS = 180.0
"""Time to look at tables; the remaining ones are listed without a profile."""
MATCHING = 0.95
"""The required share of a guessed join's values that exist in the other table."""
GOES_ON = 0.8
"""The required share of rows whose date is not earlier than the previous row's."""
FEW = 6
"""With fewer rows the order is not conclusive."""
ROWS = 10_000
_SECONDS = 20.0


async def profiled(database: Database, catalogue: Catalogue) -> dict[str, Any]:
    """Return `{"tables": {name: {"rows", "columns"}}, "joins": […]}` for books.toml. Raises DatabaseError."""
    tables: dict[str, Any] = {}
    until = time.monotonic() + BUDGET_SECONDS
    referred = {key.referred_table for each in catalogue.tables for key in each.foreign_keys}
    for number, each in enumerate(catalogue.tables):
        if number >= TABLES or time.monotonic() > until:
            tables[each.name] = {"label": "", "synonyms": []}
            continue
        try:
            tables[each.name] = await _table(database, each, referred, until)
        except UNREADABLE as error:
            tables[each.name] = {"about": f"{UNREAD}{error}"[:120]}
    joins = [join for join in guessed(catalogue) if time.monotonic() < until and await _matches(database, join)]
    spelled = [{"from": f"{table}.{name}", "to": f"{to}.{key}", "guessed": True} for table, name, to, key in joins]
    return {"tables": tables, "joins": spelled}


async def _table(database: Database, described: Table, referred: set[str], until: float) -> dict[str, Any]:
    name = described.name
    source = table(name, *(column(each.name) for each in described.columns))
    rows = await database.fetch(select(func.count()).select_from(source), timeout_seconds=_SECONDS)
    columns: dict[str, Any] = {}
    for each in described.columns:
        with suppress(*UNREADABLE):  # a type without a least value, such as a point
            if time.monotonic() < until and (about := await _column(database, described, each)):
                columns[each.name] = about
    dates = [
        each.name
        for each in described.columns
        if re.match(r"(?i)date|timestamp", each.type) or columns.get(each.name, {}).get("kind") == "temporal"
    ]
    document = bool(described.foreign_keys) and name not in referred
    counts = await counting_date(database, described, dates, document=document)
    return {
        "label": "",
        "synonyms": [],
        **({"proposed": said} if (said := label_of(name)) else {}),
        **({"date": counts} if counts else {}),
        "rows": int(rows.rows[0][0]),
        "columns": columns,
    }


async def _column(database: Database, described: Table, each: Column) -> dict[str, Any] | None:
    """Return a column's codes or range; None if there is nothing to say, or if it identifies people (a birthday)."""
    if each.primary_key or each.name in described.joining:
        return None
    seen = select(column(each.name).label("v")).select_from(table(described.name)).limit(ROWS).subquery()
    kind = each.type
    if kind == "NULL":  # an expression in a view, which has no type in SQLite
        last = await database.fetch(select(func.max(seen.c.v)), timeout_seconds=_SECONDS)
        kind = "text" if isinstance(last.rows[0][0], str) else "numeric"
    if re.match(r"(?i)(n?var)?n?char|(n|tiny|medium)?text|enum|bool|tinyint|bit", kind):
        counted = select(seen.c.v, func.count()).where(seen.c.v.is_not(None)).group_by(seen.c.v).limit(CODES + 1)
        different = await database.fetch(counted, timeout_seconds=_SECONDS)
        counts = {} if different.cut else {str(value): int(times) for value, times in different.rows}
        return _of_texts(each.name, counts)
    if re.match(r"(?i)date|time|dec|num|double|float|real|.*int", kind) and not PERSONAL.search(each.name):
        asked = (func.min(seen.c.v), func.max(seen.c.v), func.count(seen.c.v), func.count(seen.c.v.distinct()))
        bounds = await database.fetch(select(*asked), timeout_seconds=_SECONDS)
        low, high, count, different = bounds.rows[0]
        if (low, high) == (0, 1) and "int" in kind.lower():
            return dict(_FLAG)
        if "int" in kind.lower() and all(re.fullmatch(PLAIN_DATE, str(bound)) for bound in (low, high)):
            return {"about": SAID["plain_date"]}
        if "int" in kind.lower() and count == different > 1 and len(str(low)) == len(str(high)) >= DIGITS:
            return {"kind": "identifier"}
        return None if low is None else {"range": [str(low), str(high)]}
    return None


def _of_texts(name: str, counted: Mapping[str, int]) -> dict[str, Any] | None:
    """Describe a text column by {value: count}: dates, currencies or codes; None if it may identify people, such as
    names or values that occur once."""
    texts = sorted(counted)
    for form, about in DATES_AS_TEXT.items():
        if texts and all(re.fullmatch(form, text) for text in texts):
            return dict(about)
    if not 0 < len(texts) <= CODES or not all(0 < len(text) <= CODE_CHARS for text in texts):
        return None
    if all(text in CURRENCIES for text in texts):
        return {"about": SAID["currency"], "values": dict.fromkeys(texts, "")}
    if texts == ["0", "1"]:
        return dict(_FLAG)
    if PERSONAL.search(name) or sum(counted.values()) < 2 * len(texts):
        return None
    return {"values": dict.fromkeys(texts, "")}


async def _matches(database: Database, join: Join) -> bool:
    """Return whether nearly all of the column's values exist in the other table."""
    name, key, other, referred = join
    values = select(column(key).label("v")).distinct().select_from(table(name)).limit(ROWS).subquery()
    known: Select[Any] = select(column(referred)).select_from(table(other))
    matching = func.sum(case((values.c.v.in_(known), 1), else_=0))
    try:
        counted = await database.fetch(select(func.count(values.c.v), matching), timeout_seconds=_SECONDS)
    except UNREADABLE:
        return False
    every, found = counted.rows[0]
    return bool(every) and float(found or 0) / float(every) >= MATCHING


async def counting_date(database: Database, described: Table, dates: Sequence[str], *, document: bool) -> str | None:
    """Return the table's main date: the one of `dates` that increases from row to row, as documents are entered.

    None if none does (births of people), except that a `document` (has references, is referred to by none) has a sole
    one. Raises StatementError.
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
