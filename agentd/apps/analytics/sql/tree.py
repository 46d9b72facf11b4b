"""Parses SQL to a syntax tree, and finds nodes in one. It runs and changes nothing; query.py is what a query holds.

The database's dialect isn't known here: a query is parsed as SQLite (which allows any quotes around names), else as
MySQL or PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agentd.apps.analytics.schema import Side

DIALECTS = ("sqlite", "mysql", "postgres")
PLAIN = re.compile(r"[A-Za-z_]\w*")
RESERVED = frozenset(
    "ORDER GROUP TABLE SELECT FROM WHERE KEY INDEX LIMIT CASE WHEN JOIN DESC ASC VALUES CHECK RANK ROWS TO TOP".split()
)


DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
"""An ISO date in a query."""


def tree(query: str) -> exp.Expr | None:
    """The query's statement; None unless there is exactly one."""
    found = statements(query)
    return found[0] if len(found) == 1 else None


def of_kind(node: exp.Expr, *kinds: type[Any], nested: bool = True) -> Iterator[Any]:
    """The nodes of these kinds in a tree, outer before inner, with or without those in `nested` SELECTs: sqlglot's
    `find_all` takes three times as long."""
    reached = [node]
    for each in reached:
        if isinstance(each, kinds):
            yield each
        if not nested and isinstance(each, exp.Select) and each is not node:
            continue
        for part in each.args.values():
            if isinstance(part, exp.Expr):
                reached.append(part)
            elif isinstance(part, list):
                reached += [inner for inner in part if isinstance(inner, exp.Expr)]


@lru_cache(maxsize=64)
def statements(query: str) -> tuple[exp.Expr, ...]:
    """Its statements; empty if no dialect can parse the text or it is nested too deeply. Cached."""
    for dialect in DIALECTS:
        try:
            return tuple(each.transform(_denied) for each in sqlglot.parse(query, read=dialect) if each is not None)
        except (SqlglotError, RecursionError):
            continue
    return ()


def _denied(node: exp.Expr) -> exp.Expr:
    """Represents `NOT LIKE` with a Not node, like all other negated conditions."""
    return exp.Not(this=node) if node.args.pop("negate", None) else node


def reads_only(query: str) -> bool:
    """Whether it consists only of SELECTs without writing parts. False if no dialect can parse the text."""
    writing = (exp.DML, exp.DDL, exp.Command, exp.Into, exp.Pragma, exp.Set)
    found = statements(query)
    return bool(found) and all(
        isinstance(each, exp.Query)
        and not any(isinstance(node, writing) and not isinstance(node, exp.Query) for node in each.walk())
        for each in found
    )


def quoted(name: str) -> str:
    """A name for SQL: in backticks (which SQLite accepts, too) unless it is a plain word."""
    return name if PLAIN.fullmatch(name) and name.upper() not in RESERVED else f"`{name}`"


def columns_of(expression: str) -> list[Side]:
    """The columns of one expression as (table, column)."""
    found = tree(f"SELECT {expression}")
    return [] if found is None else [(column.table, column.name) for column in of_kind(found, exp.Column)]


def sources_of(select: exp.Select) -> list[exp.Expr]:
    first = select.args.get("from_") or select.args.get("from")
    return [*([first.this] if first is not None else []), *(join.this for join in select.args.get("joins") or ())]


def rows_divided_by(part: exp.Expr) -> exp.Count | None:
    """The COUNT(*) by which the quotient around a part is divided: `SUM(x) / COUNT(*)`; None for any other quotient."""
    division = part.find_ancestor(exp.Div, exp.Select)
    count = division.expression.find(exp.Count) if isinstance(division, exp.Div) else None
    return count if count is not None and isinstance(count.this, exp.Star) else None
