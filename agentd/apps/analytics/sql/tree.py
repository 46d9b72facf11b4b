"""A planned query as a syntax tree: what it joins, adds and names. It runs and changes nothing.

The database's dialect isn't known here: a query is parsed as SQLite (which allows any quotes around names), else as
MySQL or PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from agentd.apps.analytics.schema import Side

DIALECTS = ("sqlite", "mysql", "postgres")
PLAIN = re.compile(r"[A-Za-z_]\w*")
RESERVED = frozenset(
    "ORDER GROUP TABLE SELECT FROM WHERE KEY INDEX LIMIT CASE WHEN JOIN DESC ASC VALUES CHECK RANK ROWS TO TOP".split()
)


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT of a query, without those nested in it."""

    tables: frozenset[str]
    """The tables whose rows it reads: in its FROM and JOINs, and in subqueries there without grouping."""
    added: tuple[Side, ...]
    """Columns inside SUM and AVG."""
    equal: tuple[tuple[Side, Side], ...]
    """Columns of two sources in an equality."""
    within: tuple[tuple[Side, Side], ...]
    """A column, and the one column of the SELECT of its IN or NOT IN."""
    grouped: tuple[Side, ...]
    """The columns in GROUP BY."""
    picked: tuple[Side, ...]
    """Selected columns of groups that are neither aggregated nor in GROUP BY."""
    distinct: bool
    """Whether it counts or selects only distinct values."""


DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
"""An ISO date in a query."""


def tree(query: str) -> exp.Expr | None:
    """The query's statement; None unless there is exactly one."""
    found = statements(query)
    return found[0] if len(found) == 1 else None


def trees(queries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, exp.Expr]]:
    """(result key, tree) of each planned query that can be parsed."""
    return ((query["result_key"], found) for query in queries if (found := tree(query["query"])) is not None)


def nodes(queries: Iterable[Mapping[str, Any]], *kinds: type[Any]) -> Iterator[Any]:
    """All nodes of these kinds in planned queries."""
    return (each for query in queries for each in every(query["query"]) if isinstance(each, kinds))


@lru_cache(maxsize=64)
def every(query: str) -> tuple[exp.Expr, ...]:
    """The nodes of a query's tree, outer before inner; none if it can't be parsed. Cached."""
    found = tree(query)
    return () if found is None else tuple(of_kind(found, exp.Expr))


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


def own(select: exp.Select, *kinds: type[Any]) -> Iterator[Any]:
    """The nodes of these kinds that belong to this SELECT and not to a nested one."""
    return of_kind(select, *kinds, nested=False)


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


@lru_cache(maxsize=64)
def selects(query: str) -> tuple[Select, ...]:
    """Each SELECT of the query, outer before nested ones; none if no dialect can parse the text, or if two sources have
    one name. Cached."""
    found = tree(query)
    try:
        scopes = traverse_scope(found)[::-1] if found is not None else []
    except OptimizeError:
        return ()
    return tuple(_read(scope, scope.expression) for scope in scopes if isinstance(scope.expression, exp.Select))


def _read(scope: Scope, select: exp.Select) -> Select:
    known, added = _around(scope), own(select, exp.Sum, exp.Avg)
    return Select(
        frozenset(table for tables in _tables(scope).values() for table in tables),
        tuple(side for each in added for column in valued(each, select) for side in _traced(column, scope)),
        tuple(_equalities(select, known)),
        tuple(_memberships(scope, known)),
        *_grouping(select, known),
        next(own(select, exp.Distinct), None) is not None,
    )


def selects_of(queries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Select]]:
    """(result key, SELECT) for each SELECT in planned queries."""
    return ((query["result_key"], select) for query in queries for select in selects(query["query"]))


def sources_of(select: exp.Select) -> list[exp.Expr]:
    first = select.args.get("from_") or select.args.get("from")
    return [*([first.this] if first is not None else []), *(join.this for join in select.args.get("joins") or ())]


def valued(part: exp.Expr, select: exp.Select) -> Iterator[exp.Column]:
    """The SELECT's own columns in a part that make a value, without those in conditions (CASE WHEN)."""
    for column in of_kind(part, exp.Column):
        case = column.find_ancestor(exp.If, exp.Select)
        chooses = isinstance(case, exp.If) and any(each is column for each in of_kind(case.this, exp.Column))
        if not chooses and column.find_ancestor(exp.Select) is select:
            yield column


def rows_divided_by(part: exp.Expr) -> exp.Count | None:
    """The COUNT(*) by which the quotient around a part is divided: `SUM(x) / COUNT(*)`; None for any other quotient."""
    division = part.find_ancestor(exp.Div, exp.Select)
    count = division.expression.find(exp.Count) if isinstance(division, exp.Div) else None
    return count if count is not None and isinstance(count.this, exp.Star) else None


def _around(scope: Scope) -> dict[str, tuple[str, ...]]:
    """Its sources and those of the enclosing SELECTs, which a subquery may name, too."""
    return {**(_around(scope.parent) if scope.parent else {}), **_tables(scope)}


def _tables(scope: Scope) -> dict[str, tuple[str, ...]]:
    """{source name: the tables whose rows it gives}; empty tuples for subqueries that group or unite."""
    named: dict[str, tuple[str, ...]] = {}
    for name, (_, source) in scope.selected_sources.items():
        inner = _tables(source).values() if isinstance(source, Scope) and not _groups(source.expression) else ()
        named[name] = (source.name,) if isinstance(source, exp.Table) else tuple(each for of in inner for each in of)
    return named


def _traced(column: exp.Column, scope: Scope) -> Iterator[Side]:
    """The underlying columns: those behind its name in a subquery or CTE without grouping."""
    known, sources = _around(scope), scope.selected_sources
    _, made = sources.get(column.table or (next(iter(sources), "") if len(known) == 1 else ""), (None, None))
    inner = made if isinstance(made, Scope) and not _groups(made.expression) else None
    behind = (each for each in inner.expression.expressions if each.alias_or_name == column.name) if inner else ()
    parts = [part for each in behind for part in of_kind(each, exp.Column)]
    if inner is None or not parts:
        yield _side(column, known)
        return
    for part in parts:
        yield from _traced(part, inner)


def _groups(query: exp.Expr) -> bool:
    plain = isinstance(query, exp.Select) and not (query.args.get("group") or query.args.get("distinct"))
    return not plain or any(projection.find(exp.AggFunc) for projection in query.expressions)


def _equalities(select: exp.Select, named: dict[str, tuple[str, ...]]) -> Iterator[tuple[Side, Side]]:
    for equal in own(select, exp.EQ):
        left, right = equal.this, equal.expression
        columns = isinstance(left, exp.Column) and isinstance(right, exp.Column)
        if columns and left.table and right.table and left.table != right.table:
            yield _side(left, named), _side(right, named)


def _memberships(scope: Scope, named: dict[str, tuple[str, ...]]) -> Iterator[tuple[Side, Side]]:
    for inner in scope.subquery_scopes:
        shown, member = inner.expression.expressions, inner.expression.find_ancestor(exp.In, exp.Select)
        columns = [member.this, shown[0].unalias()] if isinstance(member, exp.In) and len(shown) == 1 else []
        if columns and all(isinstance(column, exp.Column) for column in columns):
            yield _side(columns[0], named), _side(columns[1], _tables(inner))


def _grouping(select: exp.Select, named: dict[str, tuple[str, ...]]) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
    """`grouped` and `picked`; a key may be an alias or a position in the list."""
    group = select.args.get("group")
    shown = {each.alias_or_name: each for each in select.expressions}
    places = {str(place): each for place, each in enumerate(select.expressions, 1)}
    keys = [places.get(key.name) or shown.get(key.sql()) or key for key in (group.expressions if group else ())]
    grouped = tuple(_side(column, named) for key in keys for column in of_kind(key, exp.Column))
    bare = [column for each in select.expressions if of_a_row(each) for column in of_kind(each, exp.Column)]
    picked = (side for column in bare if (side := _side(column, named)) not in grouped)
    return grouped, tuple(picked) if group else ()


def conditions_of(select: exp.Select) -> list[exp.Expr]:
    """The AND-ed conditions of its WHERE; a single condition as a list of one."""
    where = select.args.get("where")
    if where is None:
        return []
    return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]


def of_a_row(projection: exp.Expr) -> bool:
    """Whether it has columns but no aggregate, window or subquery."""
    inner = (exp.AggFunc, exp.Window, exp.Subquery)
    columns = [each for each in of_kind(projection, exp.Column) if not isinstance(each.this, exp.Star)]
    return bool(columns) and projection.find(*inner) is None


def _side(column: exp.Column, named: dict[str, tuple[str, ...]]) -> Side:
    """The column with the one table of its qualifier (or the only source), else with the qualifier."""
    only = next(iter(named.values())) if len(named) == 1 and not column.table else (column.table,)
    tables = named.get(column.table, only)
    return (tables[0] if len(tables) == 1 else "", column.name)
