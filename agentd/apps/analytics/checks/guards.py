"""Mistakes of a plan that a database doesn't report: another period, other rows, missing joins, or arbitrary names
beside a sum. Each is a sentence for the planner. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from agentd.apps.analytics.checks.guarded_times import other_months, other_times, unlimited
from agentd.apps.analytics.checks.limits import other_rows
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.select import Select, of_a_row
from agentd.apps.analytics.sql.tree import DAY, of_kind, sources_of

MADE_UP = 3
"""From this many keys in a list on that the question doesn't name, they count as invented; fewer may be known codes."""


def silent_mistakes(plan: Plan, dates: Mapping[str, str], said: str, schema: Schema) -> list[str]:
    """The mistakes of a plan that would run nevertheless.

    `dates`: the values of START_DATE and the like; `said`: the question with its period's texts.
    """
    faults = list(other_times(plan, dates, said))
    if not faults and "START_DATE" in dates and (open_ := unlimited(plan, dates, schema)):
        faults.append(f"{open_}: no query is limited to the period that the question names; use '{{START_DATE}}'")
    faults += other_rows(plan, said)
    for query in plan.selects:
        for select in query.selects:
            found = (*_unjoined(select), *_ungrouped(select), *other_months(select, dates), *_twice(select))
            faults += [f"{query.key}: {fault}" for fault in (*found, *_never(select))]
        faults += [f"{query.key}: {constants} is read from no column" for constants in _constants(query)]
    return faults


def invented_keys(plan: Plan, schema: Schema, said: str) -> Iterator[str]:
    """Errors for lists of keys that nobody named: `AlbumId NOT IN (1, 2, 3)`, for albums without tracks."""
    named = set(re.findall(r"\w+", said))
    keys = {each.name.casefold() for each in schema.columns if each.is_primary_key or each.kind == "identifier"}
    for query in plan.selects:
        for each in query.all(exp.In):
            values = [value.name for value in each.expressions if isinstance(value, exp.Literal)]
            invented = [value for value in values if value not in named]
            if each.this.name.casefold() in keys and len(invented) >= MADE_UP:
                yield (
                    f"{query.key}: the question names no {each.this.name} {', '.join(invented)}; "
                    "rows without any in another table are LEFT JOIN … WHERE its key IS NULL"
                )


def _constants(query: Query) -> Iterator[str]:
    """Constant columns of a query over tables: the model's own words instead of data."""
    reads = (exp.Column, exp.AggFunc, exp.Subquery, exp.Star, exp.Window)
    select = query.outer.node if query.outer else exp.Select()
    own = [each.alias_or_name or each.sql() for each in select.expressions if each.find(*reads) is None]
    if own and sources_of(select):
        yield ", ".join(own)


def _twice(select: Select) -> Iterator[str]:
    """Expressions with two names (two figures would be equal), conditions that are there twice (one may have been meant
    otherwise), and differences that are always 0."""
    names: dict[str, str] = {}
    for each in select.node.expressions:
        written = each.unalias().sql()
        if first := names.get(written):
            yield f"{first} and {each.alias_or_name} are both {written}"
        names[written] = each.alias_or_name
    conditions = [each.sql() for each in select.conditions]
    yield from (f"{each} is there twice" for each in dict.fromkeys(conditions) if conditions.count(each) > 1)
    for less in select.all(exp.Sub):
        if less.this == less.expression:
            yield f"{less.sql()} is always 0"


def _never(select: Select) -> Iterator[str]:
    """Contradictory date bounds of a column: `d = '2023-02-01' AND d = '2023-02-28'`."""
    bounds: dict[str, list[tuple[str, str]]] = {}
    for each in select.conditions:
        compared = isinstance(each, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE) and isinstance(each.this, exp.Column)
        if compared and isinstance(each.expression, exp.Literal) and DAY.match(each.expression.name):
            bounds.setdefault(each.this.sql(), []).append((each.key, each.expression.name))
    for column, found in bounds.items():
        lowest = [day for key, day in found if key in ("gt", "gte", "eq")]
        highest = [day for key, day in found if key in ("lt", "lte", "eq")]
        if lowest and highest and max(lowest) > min(highest):
            yield f"no {column} is both from {max(lowest)} and up to {min(highest)}"


def _unjoined(select: Select) -> Iterator[str]:
    """Tables without a join condition, which form a cross product."""
    bound = (join for join in select.joins if join.args.get("using") or _ties(join.args.get("on")))
    tight = [join for join in bound if join.kind != "CROSS"]
    loose = [join for join in select.joins if join not in tight]
    equal = (each for condition in select.conditions for each in of_kind(condition, exp.EQ))
    tied = sum(isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Column) for each in equal)
    if sum(not (isinstance(join.this, exp.Subquery) or join.method == "NATURAL") for join in loose) > tied:
        names = ", ".join(join.this.alias_or_name for join in loose)
        yield f"{names} is joined by no condition"


def _ties(condition: exp.Expr | None) -> bool:
    """Whether a join condition compares columns of two tables; `1 = 1` doesn't."""
    if condition is None:
        return False
    compared = (exp.EQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like)
    tables = [{column.table for column in of_kind(each, exp.Column)} for each in of_kind(condition, *compared)]
    return any(len(each) > 1 or "" in each for each in tables if each)


def _ungrouped(select: Select) -> Iterator[str]:
    """Columns beside an aggregate that aren't in the GROUP BY, so that their value is arbitrary."""
    if select.keys or select.node.args.get("distinct"):
        return
    found = (node for each in select.node.expressions for node in of_kind(each, exp.AggFunc))
    bare = [each.alias_or_name for each in select.node.expressions if of_a_row(each)]
    if bare and any(node.find_ancestor(exp.Select, exp.Window) is select.node for node in found):
        yield f"{', '.join(bare)} beside an aggregate needs GROUP BY"
