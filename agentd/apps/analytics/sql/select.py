"""One SELECT as read from its tree: its joins, keys, order, conditions, and the tables behind its columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from agentd.apps.analytics.schema import Side
from agentd.apps.analytics.sql.projections import RANKS
from agentd.apps.analytics.sql.tree import of_kind


@dataclass(frozen=True)
class Select:
    """One SELECT of a query, without those nested in it."""

    node: exp.Select
    scope: Scope | None
    """Its sources by name; None if sqlglot can't tell them apart (two of one name)."""

    @cached_property
    def nodes(self) -> tuple[exp.Expr, ...]:
        return tuple(of_kind(self.node, exp.Expr, nested=False))

    def own(self, *kinds: type[Any]) -> Iterator[Any]:
        """Its own nodes of these kinds."""
        return (node for node in self.nodes if isinstance(node, kinds))

    def all(self, *kinds: type[Any]) -> Iterator[Any]:
        """Its nodes of these kinds, those of nested SELECTs too."""
        return of_kind(self.node, *kinds)

    def valued(self, part: exp.Expr) -> Iterator[exp.Column]:
        """Its own columns in a part that make the part's value, without those in conditions (CASE WHEN)."""
        for column in of_kind(part, exp.Column):
            case = column.find_ancestor(exp.If, exp.Select)
            chooses = isinstance(case, exp.If) and any(each is column for each in of_kind(case.this, exp.Column))
            if not chooses and column.find_ancestor(exp.Select) is self.node:
                yield column

    @cached_property
    def columns(self) -> list[exp.Column]:
        """Its own columns."""
        return list(self.own(exp.Column))

    def columns_of(self, source: str) -> list[exp.Column]:
        """Its own columns that may be those of a source (in lower case)."""
        return [each for each in self.columns if each.table.casefold() in ("", source)]

    @property
    def joins(self) -> list[exp.Join]:
        return self.node.args.get("joins") or []

    @property
    def keys(self) -> list[exp.Expr]:
        """The keys of its GROUP BY as written."""
        group = self.node.args.get("group")
        return group.expressions if group else []

    @property
    def order(self) -> Any:
        """Its ORDER BY, or None."""
        return self.node.args.get("order")

    def sorted_by(self, order: exp.Order) -> Any:
        """The first key of an ORDER BY; the selected expression, if the key is its alias."""
        key = order.expressions[0].this
        named = {each.alias_or_name.casefold(): each.unalias() for each in self.node.expressions}
        return named.get(key.name.casefold(), key) if isinstance(key, exp.Column) and not key.table else key

    @cached_property
    def ranking_keys(self) -> list[Any]:
        """The first keys by which its ranks and its cutting order pick rows."""
        orders = [each.parent.args.get("order") for each in self.own(*RANKS)]
        return [self.sorted_by(order) for order in (*orders, self.cutting_order) if order]

    @property
    def cutting_order(self) -> Any:
        """The ORDER BY that decides which rows a LIMIT leaves; None without one of the two."""
        return self.order if self.node.args.get("limit") else None

    @cached_property
    def conditions(self) -> list[exp.Expr]:
        """The AND-ed conditions of its WHERE; a single condition as a list of one."""
        where = self.node.args.get("where")
        if where is None:
            return []
        return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]

    @cached_property
    def shown(self) -> list[exp.Column]:
        """The columns in what it selects."""
        return [column for part in self.node.expressions for column in of_kind(part, exp.Column)]

    @cached_property
    def plain(self) -> list[exp.Expr]:
        """The selected expressions without an aggregate."""
        return [each for each in self.node.expressions if not each.find(exp.AggFunc)]

    @cached_property
    def grouping(self) -> list[exp.Column]:
        """The columns that distinguish rows: those of the group keys, and those selected without an aggregate."""
        return [column for each in (*self.keys, *self.plain) for column in of_kind(each, exp.Column)]

    def fixed(self, column: exp.Column) -> bool:
        """Whether a condition sets the column to one value."""
        equal = (each for each in self.conditions if isinstance(each, exp.EQ))
        return any(each.this == column and isinstance(each.expression, exp.Literal) for each in equal)

    @cached_property
    def ties(self) -> list[tuple[exp.Column, exp.Column]]:
        """The columns that it equates."""
        pairs = ((each.this, each.expression) for each in self.own(exp.EQ))
        return [pair for pair in pairs if all(isinstance(side, exp.Column) for side in pair)]

    @cached_property
    def comparisons(self) -> list[exp.Expr]:
        """The comparisons that select rows, without join conditions and subqueries."""
        found = []
        for each in self.own(exp.Predicate):
            sides = (each.this, each.args.get("expression"))
            tie = isinstance(each, exp.EQ) and all(isinstance(side, exp.Column) for side in sides)
            other = isinstance(each, exp.SubqueryPredicate | exp.Case) or each.find(exp.Select)
            if not (tie or other or each.find_ancestor(exp.Join)):
                found.append(each)
        return found

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables whose rows it reads: in its FROM and JOINs, and in subqueries there without grouping."""
        return frozenset(table for tables in _tables(self.scope).values() for table in tables)

    @cached_property
    def added(self) -> tuple[Side, ...]:
        """Columns inside SUM and AVG, traced to the tables."""
        columns = (column for each in self.own(exp.Sum, exp.Avg) for column in self.valued(each))
        return tuple(side for column in columns for side in _traced(column, self.scope))

    @cached_property
    def _known(self) -> dict[str, tuple[str, ...]]:
        """The tables behind each source that it may name."""
        return _around(self.scope)

    @cached_property
    def equal(self) -> tuple[tuple[Side, Side], ...]:
        """Columns of two sources in an equality."""
        pairs = (pair for pair in self.ties if all(side.table for side in pair) and pair[0].table != pair[1].table)
        return tuple((_side(left, self._known), _side(right, self._known)) for left, right in pairs if self.scope)

    @cached_property
    def within(self) -> tuple[tuple[Side, Side], ...]:
        """A column, and the one column of the SELECT of its IN or NOT IN."""
        found = []
        for inner in self.scope.subquery_scopes if self.scope else ():
            shown, member = inner.expression.expressions, inner.expression.find_ancestor(exp.In, exp.Select)
            columns = [member.this, shown[0].unalias()] if isinstance(member, exp.In) and len(shown) == 1 else []
            if columns and all(isinstance(column, exp.Column) for column in columns):
                found.append((_side(columns[0], self._known), _side(columns[1], _tables(inner))))
        return tuple(found)

    @cached_property
    def grouped(self) -> tuple[Side, ...]:
        """The columns in GROUP BY, whose key may be an alias or a position."""
        shown = {each.alias_or_name: each for each in self.node.expressions}
        places = {str(place): each for place, each in enumerate(self.node.expressions, 1)}
        keys = (places.get(key.name) or shown.get(key.sql()) or key for key in self.keys if self.scope)
        return tuple(_side(column, self._known) for key in keys for column in of_kind(key, exp.Column))

    @cached_property
    def picked(self) -> tuple[Side, ...]:
        """Selected columns of groups that are neither aggregated nor in GROUP BY."""
        bare = (column for each in self.node.expressions if of_a_row(each) for column in of_kind(each, exp.Column))
        sides = (_side(column, self._known) for column in bare if self.keys and self.scope)
        return tuple(side for side in sides if side not in self.grouped)


def of_a_row(projection: exp.Expr) -> bool:
    """Whether it has columns but no aggregate, window or subquery."""
    inner = (exp.AggFunc, exp.Window, exp.Subquery)
    columns = [each for each in of_kind(projection, exp.Column) if not isinstance(each.this, exp.Star)]
    return bool(columns) and projection.find(*inner) is None


def _around(scope: Scope | None) -> dict[str, tuple[str, ...]]:
    """Its sources and those of the enclosing SELECTs, which a subquery may name, too."""
    return {**_around(scope.parent), **_tables(scope)} if scope else {}


def _tables(scope: Scope | None) -> dict[str, tuple[str, ...]]:
    """{source name: the tables whose rows it gives}; empty tuples for subqueries that group or unite."""
    named: dict[str, tuple[str, ...]] = {}
    for name, (_, source) in scope.selected_sources.items() if scope else ():
        inner = _tables(source).values() if isinstance(source, Scope) and not _groups(source.expression) else ()
        named[name] = (source.name,) if isinstance(source, exp.Table) else tuple(each for of in inner for each in of)
    return named


def _traced(column: exp.Column, scope: Scope | None) -> Iterator[Side]:
    """The underlying columns: those behind its name in a subquery or CTE without grouping."""
    if scope is None:
        return
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


def _side(column: exp.Column, named: Mapping[str, tuple[str, ...]]) -> Side:
    """The column with the one table of its qualifier (or the only source), else with the qualifier."""
    only = next(iter(named.values())) if len(named) == 1 and not column.table else (column.table,)
    tables = named.get(column.table, only)
    return (tables[0] if len(tables) == 1 else "", column.name)
