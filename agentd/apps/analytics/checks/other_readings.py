"""Alternative readings of a question as queries; comparing their rows shows whether they matter. Pure; it runs none.

Alternatives: each currency apart, another date of the table, things for rows, namesakes and ungrouped columns apart, a
mean per thing for one per row, an inclusive for an exclusive bound, the row after the last one shown. The schema
determines which exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.answer.rules import Finding, number
from agentd.apps.analytics.checks import currencies
from agentd.apps.analytics.checks.schema_reading import Asked, Reading
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.comparisons import bounds_of
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import Schema, Table
from agentd.apps.analytics.sql.edits import before_from, exchanged, grouped_also, named, without_limit
from agentd.apps.analytics.sql.tree import DAY, of_kind, quoted
from agentd.apps.analytics.vocabulary import finder, listed, words_of

TIED = "tied_"
"""The column that compares the rows at the end of a list."""


@dataclass(frozen=True, slots=True)
class Other:
    """`instead` is `query` in another reading; `reading` and `other` say what differs and are empty for a tie."""

    query: str
    instead: str
    reading: str = ""
    other: str = ""

    def differs(self, rows: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the results differ, or the last row of a list is tied with the next."""
        if self.reading:
            return _values(rows) != _values(others)
        last = [row.get(TIED) for row in others[len(rows) - 1 :]]
        return len(last) > 1 and last[0] is not None and last[0] == last[1]


def other_readings(question: str, plan: Plan, schema: Schema) -> list[Other]:
    """The alternative readings of each result."""
    asked = Asked(timeless(question))
    readings = [Reading(query, query.outer, schema, asked) for query in plan.results if query.outer]
    found = (other for reading in readings for way in _WAYS for other in way(reading))
    return [replace(each, instead=named(each.instead, schema)) for each in found]


def findings(differing: Iterable[Mapping[str, Any]], say: Mapping[str, str]) -> list[Finding]:
    """The warnings about readings that differ (`other_readings` of the state); `say` has the texts."""
    return [Finding(f"reading:{each['other'] or TIED}", "warning", _said(each, say)) for each in differing]


def _said(each: Mapping[str, Any], say: Mapping[str, str]) -> str:
    if not each["reading"]:
        return say["tied"]
    rows = each["rows"]
    value = next(iter(rows[0].values())) if len(rows) == 1 and len(rows[0]) == 1 else None
    return say["other_reading" if value is None else "other_value"].format(**{**each, "value": value})


def _values(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The values without order and names; numbers with six significant digits."""
    return sorted(
        [f"{exact:.6g}" if (exact := number(v)) is not None else str(v) for v in row.values()] for row in rows
    )


def _apart(reading: Reading) -> Iterator[Other]:
    """The amounts of each currency apart."""
    yield from (Other(reading.text, *apart) for apart in currencies.apart(reading, reading.text))


def _ties(reading: Reading) -> Iterator[Other]:
    """The query with one more row than its LIMIT."""
    select, limit = reading.select, reading.query.limit
    if limit is None or not select.order or select.node.args.get("offset") or select.node.args.get("distinct"):
        return
    key = select.sorted_by(select.order)
    if not isinstance(key, exp.Literal):
        key_column = f", {key.sql(dialect=reading.schema.dialect)} AS {TIED}"
        yield Other(reading.text, f"{before_from(without_limit(reading.text), key_column)} LIMIT {limit + 1}")


def _dates(reading: Reading) -> Iterator[Other]:
    """By another date of the table that the question mentions, if it doesn't mention the plan's; by any date for an
    office's `own` table without a main date."""
    read = reading.hits_of(reading.select.columns)
    for column in {each.sql(): each for each in reading.select.columns}.values():
        found, around = reading.column(column), column.find_ancestor(exp.Predicate)
        if found is None or around is None or not DAY.search(around.sql()) or reading.said(column):
            continue
        table = found[0]
        any_ = reading.schema.dialect is not None and not table.date and not _of_its_table(column.name, table.name)
        for each in table.columns:
            name = each.name
            meant = any_ or (reading.hits(table, each) - read and name not in reading.text)
            if meant and each.kind == "temporal" and name != column.name:
                yield Other(reading.text, exchanged(reading.text, column.name, quoted(name)), column.name, name)


def _of_its_table(name: str, table: str) -> bool:
    """Whether a date is named after its table: `OrderDate` of Orders."""
    words = finder("dates").sub(" ", words_of(name)).split()
    return all(word[:4] in table.casefold() for word in words if word != "date")


def _things(reading: Reading) -> Iterator[Other]:
    """Distinct things instead of rows, if a join repeats them: customers, for customers with their orders; distinct
    things instead of distinct names."""
    thing = Asked(reading.asked.counted)
    counts = [each for each in reading.select.own(exp.Count) if thing.text and not each.find(exp.Case)]
    written = {each.alias_or_name.casefold(): each.alias_or_name for each in reading.select.all(exp.Table)}
    sources = {written[alias]: table for alias, table in reading.sources.items()}
    about = {alias: table for alias, table in sources.items() if thing.mentions(table)}
    keys = [f"{quoted(alias)}.{quoted(key)}" for alias, table in about.items() for key in _keys_of(table)]
    if all(len(table.primary_key) > 1 for table in about.values()):
        columns = ((alias, each) for alias, table in sources.items() for each in table.columns)
        keys = [
            f"{quoted(alias)}.{quoted(each.name)}"
            for alias, each in columns
            if each.kind == "identifier" and thing.hits(each.name)
        ]
    several = len(reading.sources) + len(reading.unknown) > 1 or not about
    for count in counts:
        distinct = count.find(exp.Distinct) is not None
        beside = ((each, _key_beside(reading, each)) for each in of_kind(count, exp.Column) if distinct)
        unique = [_qualified(each, key) for each, key in beside if key not in ("", each.name)]
        for key in unique if distinct else keys[:1] if several else ():
            instead = f"COUNT(DISTINCT {key})"
            yield Other(reading.text, exchanged(reading.text, "COUNT", instead, called=True), count.sql(), instead)


def _key_beside(reading: Reading, label: exp.Column) -> str:
    """The key of the things that a column names; "" if it names none or they have several key columns."""
    found = reading.column(label)
    return next(iter(_keys_of(found[0])), "") if found and label.name in _labels_of(found[0]) else ""


def _qualified(beside: exp.Column, name: str) -> str:
    """Another column of the same source, for SQL."""
    return f"{beside.table}.{quoted(name)}" if beside.table else quoted(name)


def _namesakes(reading: Reading) -> Iterator[Other]:
    """Things of one name apart instead of together, if the groups have names only."""
    keys = [key for key in reading.select.keys if isinstance(key, exp.Column)]
    for key in keys:
        unique = _key_beside(reading, key)
        apart = {each.name.casefold() for each in keys if each.table.casefold() == key.table.casefold()}
        if unique and unique.casefold() not in apart:
            if (instead := grouped_also(reading.text, _qualified(key, unique))) != reading.text:
                yield Other(reading.text, instead, key.name, unique)
            return


def _picked(reading: Reading) -> Iterator[Other]:
    """Each value of an ungrouped column apart, because a lenient database shows any one of a group's."""
    bare = {name for _, name in reading.select.picked}
    for column in (part.unalias() for part in reading.select.plain):
        if isinstance(column, exp.Column) and column.name in bare:
            yield Other(reading.text, grouped_also(reading.text, column.sql()), "GROUP BY", f"GROUP BY {column.sql()}")


def _keys_of(table: Table) -> list[str]:
    """The primary key, if it is one column."""
    return table.primary_key if len(table.primary_key) == 1 else []


def _labels_of(table: Table) -> list[str]:
    """The columns with the thing's name; its title if it has none (an employee's is no name)."""
    names = [name for name in table.names if finder("names").search(name)]
    return names or [name for name in table.names if finder("titles").search(name)]


def _means(reading: Reading) -> Iterator[Other]:
    """The mean per thing instead of per row: sales per customer, for a mean of invoices."""
    for _, thing in reading.asked.split_by:
        for mean in reading.select.own(exp.Avg):
            found = reading.column(mean.this) if isinstance(mean.this, exp.Column) else None
            if found is None or reading.select.keys or thing.mentions(found[0]):
                continue
            for each in found[0].columns:
                of_it = each.kind == "identifier" and not each.is_primary_key
                if of_it and thing.hits(each.name):
                    by = _qualified(mean.this, each.name)
                    instead = f"SUM({mean.this.sql()}) * 1.0 / COUNT(DISTINCT {by})"
                    yield Other(reading.text, exchanged(reading.text, "AVG", instead, called=True), mean.sql(), instead)


def _bounds(reading: Reading) -> Iterator[Other]:
    """An inclusive bound instead of an exclusive one, or vice versa, if the question doesn't say which."""
    turned = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}
    bounded = {number for _, _, numbers in bounds_of(reading.asked.text) for number in numbers}
    for each in reading.select.own(*turned):
        literal = each.expression
        said = isinstance(literal, exp.Literal) and literal.is_number and reading.asked.says(literal.name)
        if said and float(literal.name) not in bounded:
            other = turned[type(each)](this=each.this.copy(), expression=literal.copy()).sql()
            yield Other(reading.text, reading.text.replace(each.sql(), other), each.sql(), other)


def _rates(reading: Reading) -> Iterator[Other]:
    """A rate scaled by its column's maximum: 0.25 and 25 are both a quarter, and it isn't subtracted as an amount."""
    for column in {each.sql(): each for each in reading.select.columns}.values():
        found, times = reading.column(column), column.parent
        part = times if isinstance(times, exp.Mul) and times.expression.name == "1.0" else column  # by `fractions`
        above: Any = part.parent
        taken = isinstance(above, exp.Sub) and above.expression is column
        name, scale, instead = quoted(column.name), "", ""
        if isinstance(above, exp.Div) and above.this is part and above.expression.name in ("100", "100.0"):
            scale, instead = "* CASE WHEN {} > 1 THEN 1 ELSE 100 END", name
        elif taken and above.this.name in ("1", "1.0"):
            scale, instead = "/ CASE WHEN {} > 1 THEN 100.0 ELSE 1 END", f"{name} / 100"
        elif taken and above.this.find(exp.Mul):
            scale, instead = "* CASE WHEN {} > 1 THEN 1 ELSE 0 END", f"1 - {name}"
        if found and scale:
            highest = f"(SELECT MAX({name}) FROM {quoted(found[0].name)})"
            scaled = exchanged(reading.text, column.name, f"{name} {scale.format(highest)}")
            yield Other(reading.text, scaled, column.sql(), instead)


def _empties(reading: Reading) -> Iterator[Other]:
    """Empty texts treated as NULL; exclusions with the rows whose column is NULL; rankings without the rows whose sort
    key is."""
    for each in reading.select.own(exp.Is):
        column = each.this
        if isinstance(column, exp.Column) and reading.kind(column) == "descriptive":
            other = exp.func("NULLIF", column.copy(), exp.Literal.string(""))
            turned = _turned(reading, column, other, exp.Is)
            yield Other(reading.text, turned, column.sql(), str(other.sql()))
    tested = {each.this.sql() for each in reading.select.own(exp.Is)}
    for each in reading.select.conditions:
        excludes = isinstance(each, exp.NEQ) or (isinstance(each, exp.Not) and isinstance(each.this, exp.In | exp.Like))
        column = each.this if isinstance(each, exp.NEQ) else each.this.this if excludes else None
        known = reading.column(column) if isinstance(column, exp.Column) and column.sql() not in tested else None
        if known and known[1].is_nullable and not each.find(exp.Select):
            assert column is not None
            also = exp.or_(each.copy(), exp.Is(this=column.copy(), expression=exp.Null()))
            yield Other(reading.text, _turned(reading, each, exp.paren(also)), each.sql(), also.sql())
    key = reading.select.cutting_order.expressions[0].this if reading.select.cutting_order else None
    if not isinstance(key, exp.Column) or reading.select.keys:
        return
    if (found := reading.column(key)) and found[1].is_nullable:
        filled = reading.select.node.copy().where(exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null())))
        yield Other(reading.text, filled.sql(dialect=reading.schema.dialect), key.sql(), f"NOT {key.sql()} IS NULL")


def _written_days(reading: Reading) -> Iterator[Other]:
    """Days written as text in the order of a calendar: as texts, 20/04/2024 comes after 01/05/2024."""
    sorted_ = [each.this for each in reading.select.own(exp.Ordered, exp.Max, exp.Min)]
    for column in {each.sql(): each for each in sorted_ if isinstance(each, exp.Column)}.values():
        found = reading.column(column)
        dated = {"date", *listed("dates")} & {*words_of(column.name).split()}
        if not dated or found is None or not re.search("CHAR|TEXT", found[1].type):
            continue
        parts = [exp.func("SUBSTR", column.copy(), *map(exp.Literal.number, part)) for part in ((7, 4), (4, 2), (1, 2))]
        written = column.copy().like("__/__/____")
        in_order = exp.case().when(written, exp.func("CONCAT", *parts)).else_(column.copy())
        turned = _turned(reading, column, in_order, exp.Ordered, exp.Max, exp.Min)
        yield Other(reading.text, turned, column.sql(), written.sql())


def _outer(reading: Reading) -> Iterator[Other]:
    """Without the rows that an outer join adds, if the question neither includes nor asks for those without."""
    if finder("included", "without", "restricts").search(reading.asked.text) or next(reading.select.own(exp.Is), None):
        return
    inner = reading.select.node.copy()
    if outer := [join for join in inner.args.get("joins") or () if join.side]:
        for join in outer:
            join.set("side", None)
        yield Other(reading.text, inner.sql(dialect=reading.schema.dialect), f"{outer[0].this.sql()} LEFT JOIN", "JOIN")


def _turned(reading: Reading, old: exp.Expr, new: exp.Expr, *within: type[exp.Expr]) -> str:
    """The query with a part replaced, wherever it stands directly in one of the kinds `within` (or, without one, at
    all)."""

    def change(node: exp.Expr) -> exp.Expr:
        return new.copy() if node == old and isinstance(node.parent, within or exp.Expr) else node

    return reading.select.node.transform(change).sql(dialect=reading.schema.dialect)


_WAYS = (
    _apart, _ties, _dates, _things, _means, _bounds, _namesakes, _rates, _empties, _picked, _written_days, _outer,
)  # fmt: skip
