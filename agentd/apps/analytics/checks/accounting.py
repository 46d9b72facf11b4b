"""Finds the parts of a plan that neither the question nor the schema justifies. The reverse direction: unanswered.py.

Each part found is a doubt and triggers no repair. Parts are conditions, bounds of a period, aggregates, columns of
figures, group keys, columns of a list and tables, or a whole query that can't be parsed. A column is justified if the
question has a word or topic of its name or description that isn't common to its whole table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from sqlglot import exp

from agentd.apps.analytics.checks.conditions import BOUNDS, kept, late, unexplained, unread
from agentd.apps.analytics.checks.counts import (
    counts_all,
    counts_the_join,
    idly_distinct,
    of_a_mean,
    of_another,
    of_lines,
)
from agentd.apps.analytics.checks.not_consulted import instead_of, not_consulted, of_a_sibling
from agentd.apps.analytics.checks.schema_reading import Asked, Found, Reading
from agentd.apps.analytics.checks.unanswered import unanswered
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import FIGURES, Schema
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import finder, speaks, words_of

_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_WHERE = 0
_ENDS = {"GT": {"from"}, "LT": {"to"}}
"""The ends of a period that an operator bounds, by the first two letters of its name; all others bound both ends."""


def unaccounted(question: str, plan: Plan, schema: Schema, today: date, past: Iterable[str] = ()) -> list[str]:
    """The unjustified parts as SQL, column names or topics; `past`: the session's earlier questions."""
    talk = " ".join([*past, question])
    asked = Asked(timeless(talk))
    readings = [Reading(query, select, schema, asked) for query in plan.selects for select in query.selects]
    counted = any(plan.all(exp.Count))
    found = [query.key for query in plan.selects if query.tree is None]
    for reading in readings:
        found += [*unexplained(reading), *_days(reading, asked.text != talk, today.isoformat())]
        found += [*_aggregates(reading, counted), *of_lines(reading), *not_consulted(reading)]
        found += [*kept(reading), *unread(reading), *instead_of(reading), *of_a_sibling(reading)]
        found += [*_figures(reading), *needless_keys(reading), *counts_the_join(reading)]
        found += [*(_shown(reading) if reading.select is reading.query.outer else ()), *_misnamed(reading)]
    if any(reading.sources or reading.unknown for reading in readings):
        found += unanswered(question, readings, schema)
    return list(dict.fromkeys(found))


def _lasts(reading: Reading, column: exp.Column) -> bool:
    """Whether the column is one end of a time between two dates of its table, and the question asks how long."""
    span = column.find_ancestor(exp.Func, exp.Sub)
    ends = {each.name: reading.column(each) for each in of_kind(span, exp.Column)} if span is not None else {}
    of_one = {found[0].name for found in ends.values() if found and reading.kind(column) == "temporal"}
    how_long = "duration" in reading.asked.topics or finder("units").search(reading.asked.text)
    return len(ends) > 1 and len(of_one) == 1 and bool(how_long)


def _days(reading: Reading, timed: bool, today: str) -> Iterator[str]:
    """Unmentioned date columns other than their table's own date; dates, except today, if the question names no time;
    columns that are bounded at one end only, in the WHERE or in a CASE branch together with it."""
    amounts = reading.hits_of(column for column in reading.select.shown if reading.kind(column) in FIGURES)
    for column in reading.select.columns:
        if reading.kind(column) != "temporal" or reading.is_own_date(column) or _lasts(reading, column):
            continue
        past = (around := column.find_ancestor(*BOUNDS)) is not None and late(reading, around)
        if not past and not reading.hits_of([column]) - amounts:
            yield column.name
    ends: dict[str, dict[int, set[str]]] = {}
    open_ = finder("since", "before", "up_to", "later", "earlier").search(reading.asked.text)
    for each in reading.select.own(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.EQ, exp.In, exp.Like):
        days = [value.name for value in of_kind(each, exp.Literal) if _DAY.match(value.name)]
        if not isinstance(each.this, exp.Column) or not days:
            continue
        by_today = all(day.startswith(today) for day in days)
        if not timed and not by_today:
            yield each.sql()
        branch = each.find_ancestor(exp.If, exp.Select)
        place = id(branch) if isinstance(branch, exp.If) else _WHERE
        here = {"from", "to"} if by_today else _ENDS.get(type(each).__name__[:2], {"from", "to"})
        ends.setdefault(each.this.sql(), {}).setdefault(place, set()).update(here)
    for name, places in ends.items():
        where = places.pop(_WHERE, set())
        if not open_ and any(len(where | inside) < 2 for inside in places.values() or [where]):
            yield name


def _aggregates(reading: Reading, counted: bool) -> Iterator[str]:
    """MAX or MIN without a superlative in the question, or on sorted groups; amounts that are counted and things that
    are summed; counts of other things than asked for."""
    asked = reading.asked
    for each in reading.select.own(exp.Max, exp.Min):
        if not asked.ends or (reading.select.keys and reading.select.order):
            yield each.sql()
    for each in reading.select.own(exp.Count):
        columns = list(of_kind(each, exp.Column))
        case = each.find(exp.Case)
        things = [column for column in columns if each.find(exp.Distinct)]
        if of_a_mean(each) and finder("averages").search(asked.text):
            continue
        if any(reading.kind(column) in FIGURES for column in reading.select.valued(each)) or counts_all(case):
            yield each.sql()
        elif things:
            called = any(reading.called(one) and not reading.of_others(one) for one in things)
            called = called and not all(map(reading.select.fixed, things)) and not idly_distinct(reading, things)
            yield from () if called and not of_another(reading, things) else (each.sql(),)
        elif reading.sources and not (
            reading.unknown or any(map(reading.is_about, reading.sources.values())) or any(map(reading.said, columns))
        ):
            yield each.sql()
    sums = [each for each in reading.select.own(exp.Sum) if isinstance(each.this, exp.Column)]
    if asked.counted and sums and not counted:
        yield from (
            each.sql() for each in sums if not (reading.said(each.this) or speaks(each.this.name, "quantities"))
        )


def _figures(reading: Reading) -> Iterator[str]:
    """Columns of figures that are shown, summed, divided or sorted by, although the question means another or none."""
    order, cutting_order = reading.select.order, reading.select.cutting_order
    ranked = list(of_kind(cutting_order, exp.Column)) if cutting_order else []
    for part in [*reading.select.node.expressions, *([order] if order else [])]:
        columns = [column for column in reading.select.valued(part) if reading.kind(column) in FIGURES]
        columns = [column for column in columns if not column.find_ancestor(exp.Count)]
        if not (used := [found for column in columns if (found := reading.column(column))]):
            continue
        beside = {each.sql() for each in columns} <= {each.sql() for each in _compared(reading)}
        divided = part.find(exp.Div) and finder("quotients").search(reading.asked.text)
        beside_rank = reading.hits_of(ranked) and columns[0] not in ranked
        listed = not (part.find(exp.AggFunc) or part is order or divided or beside_rank)
        listed = listed and any(map(reading.called, reading.labels))
        hits = (all if divided else any)(reading.hits(*each) for each in used)
        general = not divided and (reading.asked.money or bool(reading.asked.ends))
        meant = listed or beside or hits or (general and _is_default(used))
        other = any(reading.better([column], [*reading.select.shown, *columns]) for column in columns)
        if not meant or other or (reading.asked.money and _unpriced(part)):
            yield ", ".join(dict.fromkeys(column.name for column in columns))


def _compared(reading: Reading) -> Iterator[exp.Column]:
    """Columns that a condition compares with a mentioned column: the stock, for `below the reorder level`."""
    for leaf in reading.select.comparisons:
        columns = list(of_kind(leaf, exp.Column))
        yield from columns if len(columns) > 1 and any(map(reading.meant, columns)) else ()


def _unpriced(part: exp.Expr) -> bool:
    """Whether a product contains a quantity but no price or total."""
    names = [column.name for product in of_kind(part, exp.Mul) for column in of_kind(product, exp.Column)]
    kinds = ("unit_values", "totals")
    return any(speaks(name, "quantities") for name in names) and not any(speaks(n, k) for n in names for k in kinds)


def _is_default(used: list[Found]) -> bool:
    """Whether the columns are the default amount: a total, the only amount, a difference, or price × quantity."""
    if len(used) > 1:
        kinds = ("unit_values", "quantities")
        priced = all(any(speaks(column.name, kind) for _, column in used) for kind in kinds)
        return priced or all(column.kind == "financial_amount" for _, column in used)
    table, column = used[0]
    amounts = table.of_kind("financial_amount")
    totals = [each for each in amounts if not speaks(each, "unit_values")]
    return speaks(column.name, "totals") or [column.name] in (amounts, totals)


def _shown(reading: Reading) -> Iterator[str]:
    """The columns of a list if none of them was asked for, if conditions fix all of them, or if they are keys of named
    things and the question asks for no code; columns that it doesn't mention and that name nothing."""
    select = reading.select
    wanted = [each for each in reading.labels if reading.called(each) and not select.fixed(each)]
    if reading.labels and all(map(reading.for_a_name, wanted)):
        yield ", ".join(dict.fromkeys(column.name for column in reading.labels))
    else:
        beside = [each.table.casefold() for each in reading.labels]
        yield from (
            each.name for each in wanted if reading.for_a_name(each) and beside.count(each.table.casefold()) == 1
        )
    kinds, limit = {reading.kind(column) for column in select.shown}, select.node.args.get("limit")
    listed = select.order and not select.keys
    several = listed and (limit is None or limit.expression.name != "1")
    if several and kinds and kinds <= {*FIGURES} and any(map(reading.asked.mentions, reading.sources.values())):
        yield ", ".join(column.name for column in select.shown)  # figures of nobody
    unasked = (column.name for column in reading.labels if not reading.called(column))
    yield from (name for name in unasked if not finder("names", "titles").search(name))


def _misnamed(reading: Reading) -> Iterator[str]:
    """Columns shown under the name of another column of their table, or as the id that they aren't."""
    for part in reading.select.plain:
        column = part.unalias()
        found = reading.column(column) if part.alias and isinstance(column, exp.Column) else None
        others = {*map(words_of, found[0].names)} if found else set()
        no_id = found and words_of(part.alias).endswith(" id") and not column.name.casefold().endswith("id")
        if no_id or words_of(part.alias) in others - {words_of(column.name)}:
            yield f"{column.name} AS {part.alias}"


def needless_keys(reading: Reading) -> Iterator[str]:
    """Group keys that the question doesn't mention, that aren't shown (nor named by what is), or that are unique per
    row; figures of a group key's values, of which each group has one."""
    plain = reading.select.plain
    named = {each.alias.casefold(): each.unalias() for each in plain if each.alias}
    seen = [column for each in plain for column in of_kind(each, exp.Column)]
    inside = [c for each in reading.select.own(exp.AggFunc) for c in of_kind(each, exp.Column)]
    summed = [read[0] for c in inside if (read := reading.column(c))] or list(reading.sources.values())[:1]
    keys: list[exp.Column] = []
    for key in reading.select.keys if not _summed_on(reading.select) else ():
        alias = isinstance(key, exp.Column) and not key.table
        keys += of_kind(named.get(key.name.casefold(), key) if alias else key, exp.Column)
    figures = reading.select.own(exp.AggFunc)
    once = (each for each in figures if not isinstance(each, exp.Count) or each.find(exp.Distinct))
    yield from (each.sql() for each in once if any(_same(c, key) for c in reading.select.valued(each) for key in keys))
    for column in keys:
        found = reading.column(column)
        if found is None or reading.kind(column) == "temporal":
            if found and not reading.asked.by_time:
                yield f"GROUP BY {column.name}"
            continue
        each_row = found[1].is_primary_key and all(each is found[0] for each in summed) and not reading.unknown
        each_row = each_row and (bool(inside) or not _referred_to(reading, column))
        of_it = column in seen or found[1].kind == "identifier"
        tied = (side.table.casefold() for tie in reading.select.ties if column in tie for side in tie)
        same = {column.table.casefold(), *tied}
        names = (each for each in seen if each in keys or finder("names", "titles").search(each.name))
        beside = any(each.table.casefold() in same for each in names)
        if each_row or not reading.called(column) or not (column in seen or (of_it and beside)):
            yield f"GROUP BY {column.name}"


def _same(one: exp.Column, other: exp.Column) -> bool:
    """Whether both are one column of one source; a column without one can't be of two."""
    sources = {each.table.casefold() for each in (one, other) if each.table}
    return one.name.casefold() == other.name.casefold() and len(sources) < 2


def _summed_on(select: Select) -> bool:
    """Whether the outer query sums the groups' sums again, so that the group keys don't matter."""
    outer = select.node.find_ancestor(exp.Select) if isinstance(select.node.parent, exp.Subquery) else None
    levels = [outer, select.node] if outer is not None and not outer.args.get("group") else []
    return {type(each) for level in levels for each in of_kind(level, exp.AggFunc, nested=False)} == {exp.Sum}


def _referred_to(reading: Reading, key: exp.Column) -> bool:
    """Whether the query joins rows that refer to a key, so that it has several of them: the orders of an employee."""
    others = [side for tie in reading.select.ties if key in tie for side in tie if side != key]
    return any((found := reading.column(side)) and not found[1].is_primary_key for side in others)
