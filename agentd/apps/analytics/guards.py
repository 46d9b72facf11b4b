"""Mistakes of a plan that a database carries out without a word: another period, other rows, tables not joined, names
picked at random beside a sum. Each is a sentence for the planner. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from agentd.apps.analytics.limits import other_rows
from agentd.apps.analytics.planned import Plan
from agentd.apps.analytics.sql import conditions_of, of_a_row, tree
from agentd.apps.analytics.vocabulary import finder

if TYPE_CHECKING:
    from sqlglot import exp

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_DATED = re.compile(r"(?i)'((?:19|20)\d\d)(?:-\d\d){0,2}[ T'%]|\byear\b[^'=<>]*[=<>]+\s*((?:19|20)\d\d)")
"""A year as the value of a condition: at the head of a date, or that of a function."""

MADE_UP = 3
"""So many keys of a list that the question doesn't name are made up; fewer may be codes that the schema explains."""
OPEN = "1900-01-01"
"""The start of a period that has none (plan_dates.py)."""


def silent_mistakes(plan: Plan, dates: Mapping[str, str], said: str, temporal: Mapping[str, Any]) -> list[str]:
    """What is wrong though it would run.

    `dates` are the values of START_DATE and the like, `said` the question with what stands for its period, `temporal`
    the date columns of the consulted tables.
    """
    from sqlglot import exp

    faults = list(_other_times(plan, dates, said))
    if not faults and "START_DATE" in dates and (open_ := _unlimited(plan, dates, temporal)):
        faults.append(f"{open_}: no query is limited to the period that the question names; use '{{START_DATE}}'")
    faults += other_rows(plan, said)
    for query in plan.selects:
        found = tree(query["query"])
        for select in _selects(found) if found is not None else ():
            found_here = (
                *_unjoined(select),
                *_ungrouped(select),
                *_other_months(select, dates),
                *_twice(select),
                *_never(select),
            )
            faults += [f"{query['result_key']}: {fault}" for fault in found_here]
        if isinstance(found, exp.Select) and (constant := _constants(found)):
            faults.append(f"{query['result_key']}: {constant} is read from no column")
    return faults


def invented_keys(plan: Plan, tables: Iterable[Mapping[str, Any]], said: str) -> Iterator[str]:
    """Lists of keys that nobody named, a sentence each: `AlbumId NOT IN (1, 2, 3)` for albums without tracks."""
    from sqlglot import exp

    named, columns = set(re.findall(r"\w+", said)), [column for table in tables for column in table["columns"]]
    keys = {
        str(column["name"]).casefold()
        for column in columns
        if column.get("is_primary_key") or column.get("classification") == "identifier"
    }
    for query in plan.selects:
        found = tree(query["query"])
        for each in found.find_all(exp.In) if found is not None else ():
            values = [value.name for value in each.expressions if isinstance(value, exp.Literal)]
            invented = [value for value in values if value not in named]
            if each.this.name.casefold() in keys and len(invented) >= MADE_UP:
                yield (
                    f"{query['result_key']}: the question names no {each.this.name} {', '.join(invented)}; "
                    "rows without any in another table are LEFT JOIN … WHERE its key IS NULL"
                )


def _constants(select: exp.Select) -> str:
    """What a query over tables shows that is the same in each row: the model's own words, not the data's."""
    from sqlglot import exp

    reads = (exp.Column, exp.AggFunc, exp.Subquery, exp.Star, exp.Window)
    own = [each.alias_or_name or each.sql() for each in select.expressions if each.find(*reads) is None]
    return ", ".join(own) if select.args.get("from_") or select.args.get("from") else ""


def _twice(select: exp.Select) -> Iterator[str]:
    """Two names for one expression: what should be two figures is the same one, and their difference nothing."""
    from sqlglot import exp

    names: dict[str, str] = {}
    for each in select.expressions:
        written = each.unalias().sql()
        if first := names.get(written):
            yield f"{first} and {each.alias_or_name} are both {written}"
        names[written] = each.alias_or_name
    for less in select.find_all(exp.Sub):
        if less.this == less.expression:
            yield f"{less.sql()} is always 0"


def _never(select: exp.Select) -> Iterator[str]:
    """A column between bounds that no value lies between: `d = '2023-02-01' AND d = '2023-02-28'`."""
    from sqlglot import exp

    bounds: dict[str, list[tuple[str, str]]] = {}
    for each in conditions_of(select):
        compared = isinstance(each, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE) and isinstance(each.this, exp.Column)
        if compared and isinstance(each.expression, exp.Literal) and _DAY.match(each.expression.name):
            bounds.setdefault(each.this.sql(), []).append((each.key, each.expression.name))
    for column, found in bounds.items():
        lowest = [day for key, day in found if key in ("gt", "gte", "eq")]
        highest = [day for key, day in found if key in ("lt", "lte", "eq")]
        if lowest and highest and max(lowest) > min(highest):
            yield f"no {column} is both from {max(lowest)} and up to {min(highest)}"


def _other_months(select: exp.Select, dates: Mapping[str, str]) -> Iterator[str]:
    """`MONTH(d) = 3` beside the third quarter: months or quarters that lie outside all periods."""
    from sqlglot import exp

    months: set[int] = set()
    for name, day in dates.items():
        if "START_DATE" in name and (last := dates.get(name.replace("START", "END"))):
            first, end = date.fromisoformat(day), date.fromisoformat(last)
            count = 12 * (end.year - first.year) + end.month - first.month + 1
            months |= {(first.month - 1 + place) % 12 + 1 for place in range(min(count, 12))}
    for equal in select.find_all(exp.EQ) if months else ():
        wide = {exp.Month: 1, exp.Quarter: 3}.get(type(equal.this), 0)
        if wide and isinstance(equal.expression, exp.Literal) and equal.expression.is_int:
            last_month = wide * int(equal.expression.this)
            if months.isdisjoint(range(last_month - wide + 1, last_month + 1)):
                yield f"{equal.sql(dialect='mysql')} lies outside the question's period; its dates alone bound it"


def _other_times(plan: Plan, dates: Mapping[str, str], said: str) -> Iterator[str]:
    """Years and days in conditions that neither the question nor its dates have; a period may end before the day after
    it. A question that names no time may be held against today alone."""
    named = {name: day for name, day in dates.items() if name != "TODAY"}
    after = [str(date.fromisoformat(day) + timedelta(days=1)) for day in dates.values()]
    asked = set(_YEAR.findall(" ".join([said, *dates.values(), *after] if named else [said])))
    for key, text in _conditions(plan):
        if not named:
            text = _chosen(text).replace(dates.get("TODAY", "-"), "")
        years = _YEAR.findall(text) if named else [year for pair in _DATED.findall(text) for year in pair if year]
        days = _DAY.findall(text) if named else []
        if other := sorted(set(years) - asked):
            yield f"{key}: it asks for {', '.join(other)}, the question does not"
        elif outside := sorted({day for day in days if day not in said and not _within(day, dates, after)}):
            yield f"{key}: it asks for {', '.join(outside)}; the question's period has other bounds"


def part_of_the_period(plan: Plan, dates: Mapping[str, str]) -> Iterator[str]:
    """The days of a plan that begins after the question's period does, or ends before: a quarter from its second month;
    the period itself of one that has no time in its conditions. A balance alone has one day, what is open has no end of
    its own; of periods in each other either may be meant."""
    starts = [day for name, day in dates.items() if name.startswith("START")]
    ends = [day for name, day in dates.items() if name.startswith("END")]
    texts = " ".join(text for _, text in _conditions(plan))
    reads = bool(plan.operations) or re.search(r"\bFROM\b", texts) is not None
    if reads and starts and ends and min(starts) != OPEN and not any(day[:4] in texts for day in dates.values()):
        yield f"{min(starts)} – {max(ends)}"
    found = set(_DAY.findall(texts))
    days = sorted(found - {dates.get("TODAY")})
    if not (days and starts and ends) or min(starts) == OPEN or max(ends) == dates.get("TODAY"):
        return
    after = [str(date.fromisoformat(day) + timedelta(days=1)) for day in ends]
    yield from _left_aside(days, dates)
    kept = " ".join(query["query"] for query in plan.selects)
    alone = {*starts} ^ {*ends} if not finder("balances").search(kept) else ()
    if single := [day for day in days if day in alone and re.search(rf"[^<>!]= '{day}'", texts)]:
        yield ", ".join(single)
    if days[0] in starts and days[-1] in (*ends, *after):
        return
    if min(starts) < days[0] < max(ends) or min(starts) < days[-1] < max(ends):
        yield f"{days[0]} – {days[-1]}"


def _left_aside(days: list[str], dates: Mapping[str, str]) -> Iterator[str]:
    """The periods that a question names beside another, and that none of the plan's days reaches."""
    named = [(dates[f"START_DATE{nth}"], dates[f"END_DATE{nth}"]) for nth in ("", "_2") if f"END_DATE{nth}" in dates]
    apart = len(named) == 2 and (named[0][1] < named[1][0] or named[1][1] < named[0][0])
    for start, end in named if apart else ():
        if end < days[0] or days[-1] < start:
            yield f"{start} – {end}"


def _chosen(text: str) -> str:
    """What chooses the rows of a query; of an operation its text as it is."""
    from sqlglot import exp

    found = tree(text)
    parts = found.find_all(exp.Where, exp.Having, exp.Join) if isinstance(found, exp.Query) else ()
    return " ".join(part.sql(dialect="mysql") for part in parts) if isinstance(found, exp.Query) else text


def _within(day: str, dates: Mapping[str, str], after: list[str]) -> bool:
    """A bound of the question's periods, or one of the months in them."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return True  # the database will say
    bound = day in dates.values() or day in after or 1 in (found.day, (found + timedelta(days=1)).day)
    return bound and min(dates.values()) <= day <= max(after)


def _unlimited(plan: Plan, dates: Mapping[str, str], temporal: Mapping[str, Any]) -> str:
    """The results of a plan over dated tables none of whose conditions has a date; "" where one has."""
    texts = dict(_conditions(plan))
    years = {value[:4] for value in dates.values()}
    dated = any(_YEAR.search(text) or any(year in text for year in years) for text in texts.values())
    names = " ".join([*(query["query"] for query in plan.selects), str(plan.operations)])
    reads = any(columns and re.search(rf"\b{re.escape(table)}\b", names) for table, columns in temporal.items())
    return "" if dated or not reads else ", ".join(texts) or "the plan"


def _conditions(plan: Plan) -> Iterator[tuple[str, str]]:
    """(result key, the text of its query or of its filters)."""
    for query in plan.selects:
        yield query["result_key"], query["query"]
    for operation in plan.operations:
        yield operation["result_key"], str([operation.get("filters"), operation.get("select_columns")])


def _selects(found: exp.Expr) -> Iterator[exp.Select]:
    from sqlglot import exp

    yield from found.find_all(exp.Select)


def _unjoined(select: exp.Select) -> Iterator[str]:
    """Tables that stand side by side with nothing between them: each row of the one with each of the other."""
    from sqlglot import exp

    joins = select.args.get("joins") or ()
    loose = [
        join for join in joins if join.kind == "CROSS" or not (join.args.get("using") or _ties(join.args.get("on")))
    ]
    where = select.args.get("where")
    tied = _equal_columns(where) if where is not None else []
    one_row = [join for join in loose if isinstance(join.this, exp.Subquery)]
    natural = [join for join in loose if join.method == "NATURAL"]
    if len(loose) - len(one_row) - len(natural) > len(tied):
        names = ", ".join(join.this.alias_or_name for join in loose)
        yield f"{names} is joined by no condition"


def _ties(condition: exp.Expr | None) -> bool:
    """Whether a join compares columns of two tables; `1 = 1` ties nothing."""
    from sqlglot import exp

    if condition is None:
        return False
    compared = (exp.EQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like)
    tables = [{column.table for column in each.find_all(exp.Column)} for each in condition.find_all(*compared)]
    return any(len(each) > 1 or "" in each for each in tables if each)


def _equal_columns(where: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    return [
        equal
        for equal in where.find_all(exp.EQ)
        if isinstance(equal.this, exp.Column) and isinstance(equal.expression, exp.Column)
    ]


def _ungrouped(select: exp.Select) -> Iterator[str]:
    """Columns beside an aggregate that nothing groups by: their value is any row's."""
    from sqlglot import exp

    if select.args.get("group") or select.args.get("distinct"):
        return
    aggregates = [
        each
        for each in select.expressions
        if any(
            node.find_ancestor(exp.Select) is select and not node.find_ancestor(exp.Window)
            for node in each.find_all(exp.AggFunc)
        )
    ]
    bare = [each.alias_or_name for each in select.expressions if of_a_row(each)]
    if aggregates and bare:
        yield f"{', '.join(bare)} beside an aggregate needs GROUP BY"
