"""`python -m lab.eval.books.altered`: plans made of right ones by one change, and which nothing speaks against.

Each right plan to Chinook, Northwind and the tuning halves of voices.toml and strangers.toml, or to a half of sql-eval
(`--sql-eval held`), is changed in one place (mutations.py) or exchanged for other questions' plans. One that gives the
right one's rows is not wrong. The checks of the workflow are asked, and no model.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from sqlglot.errors import SqlglotError

from agentd.apps.analytics.checks.doubts import doubts, of_the_answer, refusals
from agentd.apps.analytics.checks.limits import lists_for_one
from agentd.apps.analytics.checks.other_readings import Other, other_readings
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, SqlQueryPlan
from agentd.observability import logging as logs
from lab.eval.books import DATABASES, SAMPLE, SQL_EVAL, build, text_of
from lab.eval.books.asking import Mistake, asked_all, read
from lab.eval.books.mutations import changes
from servers.common.erp import build as build_sample

Half = tuple[str, str] | None
Rows = list[list[Any]]
LONGEST_S = 2.0
"""Seconds; a changed query that runs longer is skipped."""
HALVES: tuple[Half, ...] = (None, ("voices", "tuning"), ("strangers", "tuning"))
OTHERS = 6
"""Number of other questions' plans tried for each question."""


@dataclass(frozen=True)
class Altered:
    """A wrong plan; `doubts` lists what the checks object to."""

    database: str
    ask: str
    change: str
    query: str
    doubts: list[str]


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


async def altered(name: str, folder: Path, halves: Sequence[Half] = HALVES) -> tuple[list[Altered], int, int]:
    """(wrong plans for one database, number of right plans changed, number of right plans without a doubt)."""
    file = folder / "probe.db"
    build_sample(file) if name == SAMPLE else build(name, file)
    today = datetime.fromisoformat(read(name)[1].rstrip("+")).date()
    made = [
        each
        for place, half in enumerate(halves)
        for each in await asked_all(name, _folder(folder, place), [None], half=half)
        if each.score is not None and not each.wrong and len(each.state.get("sql_queries_plan") or []) == 1
    ]
    plans = {each.ask: str((each.state["sql_queries_plan"] or [])[0]["query"]) for each in made}
    found, certain = [], 0
    with closing(sqlite3.connect(file)) as database:
        for each in made:
            state, right = each.state, _rows(database, plans[each.ask])
            certain += not _against(state, plans[each.ask], today, right, database)
            beside = Random(each.ask).sample([plan for plan in plans.values() if plan != plans[each.ask]], OTHERS)
            others = [("another question's", plan) for plan in beside]
            for change, query in {q: (c, q) for c, q in [*_changes(plans[each.ask], state), *others]}.values():
                rows = _rows(database, query)
                if rows is not None and rows != right:
                    found.append(Altered(name, each.ask, change, query, _against(state, query, today, rows, database)))
    return found, len(made), certain


def _folder(folder: Path, place: int) -> Path:
    (made := folder / str(place)).mkdir()
    return made


def _changes(query: str, state: Mapping[str, Any]) -> list[tuple[str, str]]:
    try:
        return list(changes(query, state["relevant_tables"]))
    except SqlglotError:
        return []


def _against(state: AgentState, query: str, today: date, rows: Rows | None, database: sqlite3.Connection) -> list[str]:
    """The refusals of the plan and the doubts about it."""
    planned = SqlQueryPlan(purpose="", query=query, result_key=(state["sql_queries_plan"] or [])[0]["result_key"])
    plan = Plan([planned], None, [], state["response_template"] or "", {}, [])
    plan = replace(plan, unmet=doubts(state, plan, today))
    question, values = state["user_query"], rows[0] if rows and len(rows) == 1 else []
    others = other_readings(question, plan, Schema.of(state))
    differing = [each.instead for each in others if _differs(each, database)]
    listed = lists_for_one(plan, timeless(question)).values()
    return [*refusals(state, plan, today), *of_the_answer(state, plan, today, values), *listed, *differing]


def _differs(other: Other, database: sqlite3.Connection) -> bool:
    try:
        return other.differs(*(_named_rows(database, query) for query in (other.query, other.instead)))
    except sqlite3.Error:
        return False


def _named_rows(database: sqlite3.Connection, query: str) -> list[dict[str, Any]]:
    made = database.execute(query)
    return [dict(zip((each[0] for each in made.description), row, strict=True)) for row in made.fetchmany(5000)]


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


async def main() -> None:
    """Print how many wrong plans of each kind of change are doubted, and the totals."""
    parser = argparse.ArgumentParser(prog="lab.eval.books.altered", description=__doc__)
    parser.add_argument("--database", choices=(*DATABASES, SAMPLE, *SQL_EVAL), action="append", help="one alone")
    parser.add_argument("--sql-eval", choices=("tuning", "held"), help="a half of sql-eval instead")
    parser.add_argument("--list", action="store_true", help="print each plan of a tuning half without a doubt")
    given = parser.parse_args()
    logs.configure("critical")
    found: list[Altered] = []
    right = certain = 0
    halves = (("sql-eval", given.sql_eval),) if given.sql_eval else HALVES
    for name in given.database or (SQL_EVAL if given.sql_eval else (*DATABASES, SAMPLE)):
        with TemporaryDirectory() as folder:
            wrong, plans, sure = await altered(name, Path(folder), halves)
        found, right, certain = [*found, *wrong], right + plans, certain + sure
        for each in wrong if given.list and given.sql_eval != "held" else ():
            if not each.doubts:
                print(f"{each.database} [{each.change}] {each.ask}\n    {each.query}", flush=True)
    every, seen = Counter(each.change for each in found), Counter(each.change for each in found if each.doubts)
    for change, count in every.most_common():
        print(f"{change}: {seen[change]} of {count} doubted")
    print(f"wrong plans without a doubt: {len(found) - seen.total()} of {len(found)}; right ones: {certain} of {right}")


if __name__ == "__main__":
    asyncio.run(main())
