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

from agentd.apps.analytics.checks import voided_rows
from agentd.apps.analytics.checks.agreement import restricted
from agentd.apps.analytics.checks.flags import affirmed, chosen_although_denied, denied
from agentd.apps.analytics.checks.group_keys import counts_the_join, needless_keys
from agentd.apps.analytics.checks.not_consulted import not_consulted
from agentd.apps.analytics.checks.schema_reading import Asked, Found, Reading
from agentd.apps.analytics.checks.unanswered import unanswered
from agentd.apps.analytics.checks.unknown_words import said_in
from agentd.apps.analytics.plan.plan import Plan
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import FIGURES, Schema
from agentd.apps.analytics.sql.tree import of_kind, rows_divided_by, tree, trees
from agentd.apps.analytics.vocabulary import finder, speaks, topics_of, vocabulary, words_of

_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_WHERE = 0
_BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_ENDS = {"GT": {"from"}, "LT": {"to"}}
"""The ends of a period that an operator bounds, by the first two letters of its name; all others bound both ends."""


def unaccounted(question: str, plan: Plan, schema: Schema, today: date, past: Iterable[str] = ()) -> list[str]:
    """The unjustified parts as SQL, column names or topics."""
    talk = " ".join([*past, question])
    asked = Asked(timeless(talk))
    readings = [
        (Reading(select, schema, asked), select is parsed)
        for _, parsed in trees(plan.selects)
        for select in of_kind(parsed, exp.Select)
    ]
    counted = any(True for reading, _ in readings for _ in reading.own(exp.Count))
    found = [query["result_key"] for query in plan.selects if tree(query["query"]) is None]
    for reading, outer in readings:
        found += [*_conditions(reading), *_days(reading, asked.text != talk, today.isoformat())]
        found += [*_aggregates(reading, counted), *_of_lines(reading), *not_consulted(reading)]
        found += [*voided_rows.kept(reading), *voided_rows.unread(reading)]
        found += [*_figures(reading), *needless_keys(reading), *counts_the_join(reading)]
        found += [*(_shown(reading) if outer else ()), *_misnamed(reading)]
    if any(reading.sources or reading.unknown for reading, _ in readings):
        found += unanswered(question, [reading for reading, _ in readings], schema)
    return list(dict.fromkeys(found))


def _conditions(reading: Reading) -> Iterator[str]:
    """Conditions whose value and column the question doesn't mention; negated ones if the question negates nothing."""
    restricts = restricted(reading.asked.text) is not None
    for leaf in reading.leaves():
        columns = list(of_kind(leaf, exp.Column))
        values = [each.name for each in of_kind(leaf, exp.Literal)]
        negated = isinstance(leaf.parent, exp.Not)
        if not columns or (values and any(reading.kind(column) == "temporal" for column in columns)):
            continue
        if _late(reading, leaf) or voided_rows.leaves_out(reading, leaf):
            continue
        if values and (negated or isinstance(leaf, exp.NEQ)):
            accounted = restricts
        elif isinstance(leaf, exp.Is) and ((negated and not restricts) or _beside_another(leaf)):
            accounted = True  # agreement.py checks the negated ones
        else:
            said = any(map(reading.asked.says, values)) or _of_the_schema(reading, leaf, restricts)
            accounted = said and not any(reading.better([column], columns) for column in columns)
        turned = denied(reading, leaf, columns) or affirmed(reading, leaf, columns)
        if not accounted or turned or chosen_although_denied(reading, leaf):
            yield leaf.parent.sql() if negated and leaf.parent is not None else leaf.sql()


def _beside_another(leaf: exp.Expr) -> bool:
    """Whether a NULL test is an alternative to an exclusion on its column: `city <> 'Bogor' OR city IS NULL`."""
    either = leaf.parent
    return isinstance(either, exp.Or) and any(
        each.this == leaf.this for each in (either.this, either.expression) if isinstance(each, exp.NEQ)
    )


def _late(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition says that one date is after a deadline column, and the question asks for what is late."""
    if not isinstance(leaf, _BOUNDS) or not finder("late").search(reading.asked.text):
        return False
    sides = (leaf.this, leaf.expression)
    after, due = sides if isinstance(leaf, exp.GT | exp.GTE) else sides[::-1]
    days = all(isinstance(side, exp.Column) and reading.kind(side) == "temporal" for side in sides)
    return days and after != due and speaks(due.name, "deadlines")


def _lasts(reading: Reading, column: exp.Column) -> bool:
    """Whether the column is one end of a time between two dates of its table, and the question asks how long."""
    span = column.find_ancestor(exp.Func, exp.Sub)
    ends = {each.name: reading.column(each) for each in of_kind(span, exp.Column)} if span is not None else {}
    of_one = {found[0].name for found in ends.values() if found and reading.kind(column) == "temporal"}
    return (
        len(ends) > 1
        and len(of_one) == 1
        and bool("duration" in reading.asked.topics or finder("units").search(reading.asked.text))
    )


def _of_the_schema(reading: Reading, leaf: exp.Expr, restricts: bool) -> bool:
    """Whether the condition is justified by the schema: its columns are mentioned, it compares amounts that are shown
    or (if the question asks for a subset) any amounts, it has codes that the schema explains, or it keeps every row."""
    columns, values = list(of_kind(leaf, exp.Column)), [each.name for each in of_kind(leaf, exp.Literal)]
    negated = isinstance(leaf.parent, exp.Not)
    if isinstance(leaf, exp.Is) and not negated and not restricts:
        return False
    if isinstance(leaf, exp.LT) and values == ["0"]:
        return False
    if all(map(reading.meant, columns)):
        return True
    if isinstance(leaf, exp.Is):
        outer = {join.this.alias_or_name.casefold() for join in reading.select.args.get("joins") or () if join.side}
        filled = negated and not _alone(reading, columns)
        return filled or any(
            column.table.casefold() in outer and not _may_be_empty(reading, column) for column in columns
        )
    if len(columns) > 1 and all(reading.kind(column) in FIGURES for column in columns):
        measures = topics_of(" ".join(words_of(column.name) for column in columns)) & vocabulary().measures
        return {column.sql() for column in columns} <= {column.sql() for column in reading.shown} or bool(
            restricts and measures
        )
    return restricts and bool(values) and all(value in reading.about(columns) for value in values)


def _may_be_empty(reading: Reading, column: exp.Column) -> bool:
    return (found := reading.column(column)) is not None and found[1].is_nullable


def _alone(reading: Reading, columns: list[exp.Column]) -> bool:
    """Whether the columns are nullable and nothing else in the query reads them."""
    read = [column.name for column in reading.own(exp.Column)]
    found = [reading.column(column) for column in columns]
    return all(read.count(column.name) == 1 for column in columns) and all(f and f[1].is_nullable for f in found)


def _days(reading: Reading, timed: bool, today: str) -> Iterator[str]:
    """Unmentioned date columns other than their table's own date; dates, except today, if the question names no time;
    columns that are bounded at one end only, in the WHERE or in a CASE branch together with it."""
    amounts = reading.hits_of(column for column in reading.shown if reading.kind(column) in FIGURES)
    for column in reading.own(exp.Column):
        late = (around := column.find_ancestor(*_BOUNDS)) is not None and _late(reading, around)
        other = reading.kind(column) == "temporal" and not (
            reading.is_own_date(column) or late or _lasts(reading, column)
        )
        if other and not reading.hits_of([column]) - amounts:
            yield column.name
    ends: dict[str, dict[int, set[str]]] = {}
    for each in reading.own(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.EQ, exp.In, exp.Like):
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
        if any(len(where | inside) < 2 for inside in places.values() or [where]):
            yield name


def _aggregates(reading: Reading, counted: bool) -> Iterator[str]:
    """MAX or MIN without a superlative in the question, or on sorted groups; amounts that are counted and things that
    are summed; counts of other things than asked for."""
    asked = reading.asked
    for each in reading.own(exp.Max, exp.Min):
        if not asked.ends or (reading.select.args.get("group") and reading.select.args.get("order")):
            yield each.sql()
    for each in reading.own(exp.Count):
        columns = list(of_kind(each, exp.Column))
        case = each.find(exp.Case)
        things = [column for column in columns if each.find(exp.Distinct)]
        if _of_a_mean(each) and finder("averages").search(asked.text):
            continue
        if any(reading.kind(column) in FIGURES for column in reading.own_columns(each)) or _counts_all(case):
            yield each.sql()
        elif things:
            yield from (
                () if any(reading.called(one) and not reading.of_others(one) for one in things) else (each.sql(),)
            )
        elif not reading.unknown and reading.sources and not any(map(reading.is_about, reading.sources.values())):
            yield each.sql()
    sums = [each for each in reading.own(exp.Sum) if isinstance(each.this, exp.Column)]
    if asked.counted and sums and not counted:
        yield from (
            each.sql() for each in sums if not (reading.said(each.this) or speaks(each.this.name, "quantities"))
        )


def _of_a_mean(count: exp.Expr) -> bool:
    """Whether a sum is divided by this count of all its rows: `SUM(x) / COUNT(*)`."""
    division = count.find_ancestor(exp.Div)
    return rows_divided_by(count) is count and division is not None and division.this.find(exp.Sum) is not None


def _of_lines(reading: Reading) -> Iterator[str]:
    """Counts or means of detail rows when the question names the document: InvoiceLine, for an invoice."""
    said = {name: words_of(table.name).split() for name, table in reading.schema.by_name.items()}
    for each in reading.own(exp.Count, exp.Avg) if not reading.select.args.get("group") else ():
        asked = reading.asked.counted if isinstance(each, exp.Count) else reading.asked.said
        columns = [found[0] for column in of_kind(each, exp.Column) if (found := reading.column(column))]
        made = isinstance(each.this, exp.Column) and not columns  # computed by a subquery
        for table in () if made or each.find(exp.Distinct) else columns or reading.sources.values():
            own = said[table.name.casefold()]
            heads = [words for words in said.values() if len(words) < len(own) and words[0][:4] == own[0][:4]]
            if heads and said_in(heads[0][0], asked) and not any(said_in(word, asked) for word in own[1:]):
                yield each.sql()


def _counts_all(case: exp.Expr | None) -> bool:
    """Whether a COUNT also counts the ELSE branch of its CASE: `COUNT(CASE WHEN … THEN 1 ELSE 0 END)`."""
    other = case.args.get("default") if case is not None else None
    return other is not None and not isinstance(other, exp.Null)


def _figures(reading: Reading) -> Iterator[str]:
    """Columns of figures that are shown, summed, divided or sorted by, although the question means another or none."""
    order = reading.select.args.get("order")
    ranked = list(of_kind(reading.cutting_order, exp.Column)) if reading.cutting_order else []
    for part in [*reading.select.expressions, *([order] if order else [])]:
        columns = [column for column in reading.own_columns(part) if reading.kind(column) in FIGURES]
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
        other = reading.better(columns, [*reading.shown, *columns])
        if not meant or other or (reading.asked.money and _unpriced(part)):
            yield ", ".join(dict.fromkeys(column.name for column in columns))


def _compared(reading: Reading) -> Iterator[exp.Column]:
    """Columns that a condition compares with a mentioned column: the stock, for `below the reorder level`."""
    for leaf in reading.leaves():
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
    """The columns of a list if none of them was asked for, or if conditions fix all of them."""
    if reading.labels and not any(reading.called(each) and not reading.fixed(each) for each in reading.labels):
        yield ", ".join(dict.fromkeys(column.name for column in reading.labels))


def _misnamed(reading: Reading) -> Iterator[str]:
    """Columns shown under the name of another column of their table."""
    for part in reading.plain:
        column = part.unalias()
        found = reading.column(column) if part.alias and isinstance(column, exp.Column) else None
        others = {*map(words_of, found[0].names)} if found else set()
        if words_of(part.alias) in others - {words_of(column.name)}:
            yield f"{column.name} AS {part.alias}"
