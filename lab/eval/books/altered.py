"""Wrong plans for a database, each made of a right one by one change (mutations.py) that makes it find other rows."""

from __future__ import annotations

import sqlite3
import time
from functools import cache, partial
from itertools import islice
from random import Random
from typing import Any

from lab.eval.books import text_of
from lab.eval.books.asking import Mistake
from lab.eval.books.mutations import changes

Rows = list[list[Any]]
LONGEST_S = 2.0
"""Seconds; a changed query that runs longer is skipped."""


def mistakes(name: str, count: int) -> list[Mistake]:
    """`count` mistakes in plans to the database `name`: changes, in a random order, that make them find other rows."""
    database = sqlite3.connect(":memory:")
    database.executescript(text_of(name, "sql"))
    named = [table for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    tables = [{"table_name": table, "columns": _columns(database, table)} for table in named]

    @cache
    def wrong(query: str) -> list[str]:
        made, right = list(dict.fromkeys(other for _, other in changes(query, tables))), _rows(database, query)
        Random(query).shuffle(made)
        others = (each for each in made if _rows(database, each) not in (None, right))
        return list(islice(others, count))

    def spoiled(place: int, plan: dict[str, Any]) -> dict[str, Any] | None:
        entry = plan["sql_queries_plan"][0]
        queries = wrong(entry["query"])[place : place + 1]
        return {**plan, "sql_queries_plan": [{**entry, "query": queries[0]}]} if queries else None

    return [Mistake(f"altered {place}", partial(spoiled, place)) for place in range(count)]


def _columns(database: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    """The table's columns, with their SQL types as classes."""
    rows = database.execute(f'PRAGMA table_info("{table}")')
    return [{"name": name, "classification": kind.partition("(")[0]} for _, name, kind, *_ in rows]


def _rows(database: sqlite3.Connection, query: str) -> Rows | None:
    """The query's rows, sorted; None when it fails, takes too long, or finds nothing."""
    until = time.monotonic() + LONGEST_S
    database.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    try:
        rows = database.execute(query).fetchmany(5000)
    except sqlite3.Error:
        return None
    told = [[round(value, 6) if isinstance(value, float) else value for value in row] for row in rows]
    return sorted(told, key=repr) if any(value is not None for row in rows for value in row) else None
