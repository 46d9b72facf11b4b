"""MySQL's date functions for questions about books, added to SQLite so that the same query runs on both.

As in MySQL, an invalid date gives NULL, and the time of day is ignored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date


def add_to(connection: sqlite3.Connection) -> None:
    for name, part in PARTS.items():
        connection.create_function(name, 1, _part(part), deterministic=True)
    connection.create_function("DATEDIFF", 2, _days_between, deterministic=True)


PARTS: dict[str, Callable[[date], int]] = {
    "YEAR": lambda day: day.year,
    "QUARTER": lambda day: (day.month + 2) // 3,
    "MONTH": lambda day: day.month,
    "DAY": lambda day: day.day,
}
NAMES = frozenset({*PARTS, "DATEDIFF"})


def _part(part: Callable[[date], int]) -> Callable[[object], int | None]:
    def of(value: object) -> int | None:
        day = _day(value)
        return None if day is None else part(day)

    return of


def _days_between(later: object, earlier: object) -> int | None:
    end, start = _day(later), _day(earlier)
    return None if end is None or start is None else (end - start).days


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
