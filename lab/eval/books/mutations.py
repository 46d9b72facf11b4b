"""Wrong queries made of a right one by one change each. Runs none: whether one finds other rows is for the caller.

The kinds are the mistakes that planners make: a condition, key or column left out, added or exchanged, another join,
aggregate, order, bound, value, table or pattern, sides exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlglot import exp, parse_one

Change = tuple[str, exp.Expr | None]
"""What is changed, and what stands in its place; None removes it."""
Tables = Sequence[Mapping[str, Any]]
"""`table_name` and `columns` with `name` and `classification`, where known also `sample_values`."""
Kinds = Mapping[type[exp.Expr], type[exp.Expr]]
_TURNED: Kinds = {exp.GT: exp.LT, exp.GTE: exp.LT, exp.LT: exp.GT, exp.LTE: exp.GT, exp.EQ: exp.NEQ, exp.NEQ: exp.EQ}
_BOUNDS: Kinds = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}
_AGGREGATES: Kinds = {exp.Sum: exp.Avg, exp.Avg: exp.Sum, exp.Max: exp.Min, exp.Min: exp.Max}
_YEAR = re.compile(r"\b(?:19|20)\d\d(?=-\d\d\b)")


def changes(query: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """(kind of change, changed query), one change at a time; a query may come twice."""
    for place, node in enumerate(parse_one(query, read="sqlite").walk()):
        for change, other in _others(node, tables):
            tree = parse_one(query, read="sqlite")
            found = next(each for at, each in enumerate(tree.walk()) if at == place)
            made = tree
            if other is None:
                found.pop()
            elif found is tree:
                made = other
            else:
                found.replace(other)
            yield change, made.sql(dialect="sqlite")


def _others(node: exp.Expr, tables: Tables) -> Iterator[Change]:
    if isinstance(node, exp.Where | exp.Order | exp.Limit | exp.Having | exp.Group):
        yield f"no {node.key}", None
    yield from _of_a_list(node)
    yield from _of_a_condition(node, tables)
    yield from _of_a_figure(node)
    if isinstance(node, exp.Ordered):
        yield "the other end", _with(node, desc=not node.args.get("desc"))
    if isinstance(node, exp.Limit) and node.expression.is_int:
        yield "another limit", _with(node, expression=exp.Literal.number(int(node.expression.name) + 1))
    if isinstance(node, exp.Join) and node.args.get("on"):
        yield "another join", _with(node, side=None if node.side else "LEFT")
    if isinstance(node, exp.Table):
        others = (str(each["table_name"]) for each in tables if each["table_name"] != node.name)
        yield from (
            ("another table", exp.alias_(exp.to_table(each), node.alias_or_name, table=True)) for each in others
        )
    if isinstance(node, exp.Column):
        yield from (("another column", exp.column(name, node.table or None)) for name in _like(node, tables))


def _of_a_list(node: exp.Expr) -> Iterator[Change]:
    """One of several columns, group keys or values of IN less; a list with its duplicates; one value alone selected."""
    called = {"select": "a column left out", "group": "a group key left out", "in": "a value left out"}
    for place in range(len(node.expressions)) if node.key in called and len(node.expressions) > 1 else ():
        kept = [each.copy() for at, each in enumerate(node.expressions) if at != place]
        yield called[node.key], _with(node, expressions=kept)
    if isinstance(node, exp.Select) and node.args.get("distinct"):
        yield "no distinct", _with(node, distinct=None)


def _of_a_condition(node: exp.Expr, tables: Tables) -> Iterator[Change]:
    if isinstance(node, exp.And):
        yield "a condition left out", node.left.copy()
        yield "a condition left out", node.right.copy()
    if isinstance(node, exp.And | exp.Or):
        other = exp.Or if isinstance(node, exp.And) else exp.And
        yield "and for or", exp.paren(other(this=node.left.copy(), expression=node.right.copy()))
    if isinstance(node, exp.Not):
        yield "a negation left out", node.this.copy()
    value = node.args.get("expression")
    if not isinstance(value, exp.Literal):
        return
    if type(node) in _TURNED:
        yield "a condition turned", _TURNED[type(node)](this=node.this.copy(), expression=value.copy())
    if type(node) in _BOUNDS:
        yield "another bound", _BOUNDS[type(node)](this=node.this.copy(), expression=value.copy())
    if isinstance(node, exp.Like) and value.name.startswith("%"):
        yield "another pattern", _with(node, expression=exp.Literal.string(value.name.removeprefix("%")))
    if type(node) in _TURNED:
        yield from (("another value", _with(node, expression=each)) for each in _values(node.this, value, tables))


def _values(side: exp.Expr, value: exp.Literal, tables: Tables) -> Iterator[exp.Expr]:
    """A number plus one, a date a year earlier, another of the column's sample values."""
    if not value.is_string:
        yield exp.Literal.number(f"{float(value.name) + 1:g}")
    elif _YEAR.search(value.name):
        yield exp.Literal.string(_YEAR.sub(lambda year: str(int(year[0]) - 1), value.name))
    columns = (column for table in tables for column in table["columns"] if column["name"] == side.name)
    known = [text for each in columns for text in each.get("sample_values") or () if isinstance(text, str)]
    yield from [exp.Literal.string(text) for text in known if value.is_string and text != value.name][:1]


def _of_a_figure(node: exp.Expr) -> Iterator[Change]:
    if type(node) in _AGGREGATES:
        yield "another aggregate", _AGGREGATES[type(node)](this=node.this.copy())
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        yield "no distinct", exp.Count(this=node.this.expressions[0].copy())
    elif isinstance(node, exp.Count) and isinstance(node.this, exp.Column):
        yield "a distinct added", exp.Count(this=exp.Distinct(expressions=[node.this.copy()]))
    if isinstance(node, exp.Div | exp.Sub):
        yield (
            "sides exchanged",
            type(node)(this=exp.paren(node.expression.copy()), expression=exp.paren(node.this.copy())),
        )
        yield "one side alone", node.this.copy()
    if isinstance(node, exp.Cast):
        yield "whole numbers divided", node.this.copy()


def _with(node: exp.Expr, **args: Any) -> exp.Expr:
    made = node.copy()
    for name, value in args.items():
        made.set(name, value)
    return made


def _like(column: exp.Column, tables: Tables) -> Iterator[str]:
    """The other columns of its table that are of its kind."""
    called = {each.alias_or_name: each.name for each in column.root().find_all(exp.Table)}
    for table in tables:
        kinds = {str(each["name"]): each.get("classification") for each in table["columns"]}
        if column.name in kinds and called.get(column.table, column.table) in ("", table["table_name"]):
            kind = kinds.pop(column.name)
            yield from (name for name, other in kinds.items() if other == kind)
