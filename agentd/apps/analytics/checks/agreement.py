"""Whether the figures, bounds and columns of a query match the question's words. Pure; used by coverage.

Each doubt is a word of the question, or a part of the query for which the question gives no reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.question.comparisons import BOUNDS, bounds_of
from agentd.apps.analytics.schema import Schema, Table
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.tree import of_kind, sources_of
from agentd.apps.analytics.vocabulary import (
    any_of,
    column_phrases,
    finder,
    numerals,
    phrase_finder,
    speaks,
    topics_of,
    vocabulary,
    words_of,
)

_TURNED = {"GT": "LT", "LT": "GT", "GTE": "LTE", "LTE": "GTE"}
_SIDES = {key: kind[:2] for key, kind in BOUNDS.items()} | {"later": "GT", "earlier": "LT"}


def disagreements(asked: str, query: Query, schema: Schema) -> Iterator[str]:
    """The doubts about a query that is one SELECT. `asked`: the question without time words."""
    used = schema.only(query.tables)
    yield from (*_other_bounds(asked, query), *_other_sides(asked, query, used), *_turned_deadlines(asked, query))
    yield from (*_not_emptied(asked, query, used), *_rows_for_things(asked, query, used))
    yield from (*_nothing_as_something(query), *_bound_twice(query), *_worth_for_quantity(asked, query))
    yield from (*_unweighted(query, used), *_texts_reckoned(query, used), *_namesakes(query, used))
    yield from (*_filled_for_nothing(asked, query), *_drops_those_without(asked, query))


def _filled_for_nothing(asked: str, query: Query) -> Iterator[str]:
    """A NOT NULL test (`ShipVia IS NOT NULL`) on a column that nothing else reads and the question doesn't mention,
    unless the question asks for a subset of rows."""
    if restricted(asked):
        return
    read = [column.name for column in query.all(exp.Column)]
    for test in (each.this for each in query.all(exp.Not)):
        if isinstance(test, exp.Is) and isinstance(test.expression, exp.Null) and isinstance(test.this, exp.Column):
            name = test.this.name
            said = all(word[:4] in asked.casefold() for word in words_of(name).split())
            if read.count(name) == 1 and not said:
                yield f"{name} IS NOT NULL"


def _drops_those_without(asked: str, query: Query) -> Iterator[str]:
    """The question's word for including things without rows, if every join is an inner join."""
    wanted, joins = includes(asked), query.selects[0].joins
    yield from [wanted] if wanted and joins and not any(join.side for join in joins) else ()


def restricted(asked: str) -> re.Match[str] | None:
    """The word that asks for only some rows, or None."""
    return finder("restricts").search(finder("whether").sub(" ", asked))


def of_both(asked: str) -> str:
    """The word that is asked for with and without ("aktif dan tidak aktif"), or "not" at the end after "and"; or ""."""
    some = finder("restricts").search(asked)
    behind = re.findall(r"[^\W\d_]{4,}", asked[some.end() :]) if some else []
    known = re.findall(r"[^\W\d_]{4,}", asked[: some.start()].casefold()) if some else []
    alone = some[0] if some and not behind and finder("joined").search(asked[: some.start()]) else ""
    return behind[0] if behind and behind[0].casefold() in known else alone


def includes(asked: str) -> str:
    """The word that includes things without rows ("including"), or ""."""
    found = finder("included").search(asked)
    return found[0] if found and restricted(asked) else ""


def _other_bounds(asked: str, query: Query) -> Iterator[str]:
    """Bounds of the question that the query compares differently: `<=` for "less than"; `>= 0` and an unsaid `> 1`."""
    sides = [(float(side.this), kind) for side, kind in _compared(query) if side.is_number]
    for words, kind, numbers in bounds_of(asked):
        operators = {operator for number, operator in sides if number in numbers}
        if operators and kind not in operators:
            yield words
    said_one = re.search(r"\d", asked) or any(numerals().get(word) == 1 for word in asked.casefold().split())
    for each in query.all(exp.GT, exp.GTE):
        of_column = isinstance(each.this, exp.Column) and not said_one
        if each.expression.name == ("0" if isinstance(each, exp.GTE) else "1" if of_column else None):
            yield each.sql()


def _other_sides(asked: str, query: Query, used: Schema) -> Iterator[str]:
    """Phrases such as "below the reorder level" or "after the required date" if the query has no such comparison."""
    columns = {words_of(column.name) for column in used.columns}
    compared = {(words_of(side.name), kind[:2]) for side, kind in _compared(query)}
    for key, kind in _SIDES.items():
        for found in finder(key).finditer(asked):
            behind = " ".join(re.findall(r"[^\W_]+", asked[found.end() :].casefold()))
            meant = [each for each in columns if " " in each and re.match(rf"(?:\w+ )?{each}\b", behind)]
            yield from (f"{found[0]} {each}" for each in meant if (each, kind) not in compared)


def _turned_deadlines(asked: str, query: Query) -> Iterator[str]:
    """The word for a deadline if the query takes what is past it for "not yet due", or the rest for "overdue"."""
    sides = deadline_sides(query)
    for phrase in column_phrases(asked):
        found = phrase_finder(phrase).search(asked)
        if found and speaks(vocabulary().columns[phrase], "deadlines"):
            not_yet = any(map(restricted, asked[: found.start()].split()[-2:]))  # a day > due date: it is past
            if sides == ({"GT"} if not_yet else {"LT"} if finder("late").search(found[0]) else None):
                yield found[0]


def deadline_sides(query: Query) -> set[str]:
    """ "GT" or "LT" for each side on which it bounds a deadline column."""
    columns = [(side.name, kind[:2]) for side, kind in _compared(query) if isinstance(side, exp.Column)]
    return {kind for name, kind in columns if speaks(name, "deadlines")}


def _compared(query: Query) -> Iterator[tuple[exp.Expr, str]]:
    """(side, operator name) for both sides of each inequality, with the operator reversed for the left side."""
    for each in query.all(exp.GT, exp.GTE, exp.LT, exp.LTE):
        kind = type(each).__name__
        yield from ((each.expression, kind), (each.this, _TURNED[kind]))


def _not_emptied(asked: str, query: Query, used: Schema) -> Iterator[str]:
    """The words "out of stock" in the question if the query selects what is left, or NULL without zero."""
    some = [each for each in query.all(exp.NEQ, exp.GT) if each.expression.name == "0"]
    numbers = {name.casefold() for name in used.figures}
    unknown = [each.this.name for each in query.all(exp.Is) if each.this.name.casefold() in numbers]
    zero = any(each.name == "0" for each in query.all(exp.Literal))
    if ((some and not query.has(exp.Is)) or (unknown and not zero)) and (found := finder("emptied").search(asked)):
        yield found[0]


def _rows_for_things(asked: str, query: Query, used: Schema) -> Iterator[str]:
    """Rows counted where the question asks for distinct things (DISTINCT is missing), or other things counted:
    customers for "how many orders"."""
    counted = things_counted(asked)
    wanted = topics_of(counted)
    for distinct in query.all(exp.Distinct):
        held = " ".join(words_of(column.name) for column in of_kind(distinct, exp.Column))
        if wanted and (kept := topics_of(held)) and not wanted & kept:
            yield f"DISTINCT {held}"
    apart = re.search(rf"{finder('how_many').pattern}\s+{finder('several').pattern}", asked, re.IGNORECASE)
    if apart and query.has(exp.Count) and not query.has(exp.Distinct, exp.Subquery, exp.CTE):
        yield apart[0]
    select = query.selects[0]
    grouped = (each.this.args.get("group") for each in sources_of(select.node) if isinstance(each, exp.Subquery))
    if query.has(exp.Distinct) or select.keys or any(grouped):
        return
    counts = list(select.own(exp.Count))
    keys = {name.casefold() for table in used.tables for name in table.primary_key}
    for count in counts:
        known = keys and all(table.primary_key for table in used.tables)  # the sample company's have none
        if known and isinstance(count.this, exp.Column) and count.this.name.casefold() not in keys:
            yield f"COUNT({count.this.name})"
    if counts and (several := finder("several").search(asked)):
        yield several[0]
    elif (
        counts
        and (thing := re.sub(rf"{any_of('plural_ends')}$", "", counted))
        and not any(thing in f"{table.name} {table.purpose}".casefold() for table in used.tables)
    ):
        chosen = {column.name.casefold() for each in select.conditions for column in of_kind(each, exp.Column)}
        if any(name.startswith(thing) for name in {column.name.casefold() for column in used.columns} - chosen):
            yield thing


def things_counted(asked: str) -> str:
    """The noun after "how many" or "berapa"; "" without one."""
    asking = rf"{finder('how_many').pattern}(?:\s+{finder('shares').pattern})?"
    found = re.search(rf"{asking}\s+([^\W\d_]{{4,}})", asked, re.IGNORECASE)
    thing = found[1].casefold() if found else ""
    if (not thing or finder("neutral").fullmatch(thing)) and (behind := finder("there_are").search(asked)):
        words = re.findall(r"[^\W\d_]{4,}", asked[: behind.start()].casefold())
        thing = next((word for word in words if not finder("neutral").fullmatch(word)), thing)
    return thing


def _nothing_as_something(query: Query) -> Iterator[str]:
    """A mean that counts NULL as zero, or an empty text used for missing values that are NULL."""
    for mean in query.all(exp.Avg):
        if isinstance(mean.this, exp.Coalesce) and any(each.name == "0" for each in mean.this.expressions):
            yield "AVG(COALESCE(…, 0))"
    missing = {each.this.name for each in query.all(exp.Is) if isinstance(each.this, exp.Column)}
    for equal in query.all(exp.EQ):
        empty = isinstance(equal.expression, exp.Literal) and equal.expression.is_string and not equal.expression.this
        if empty and equal.this.name not in missing:
            yield f"{equal.this.name} = ''"


def _unweighted(query: Query, used: Schema) -> Iterator[str]:
    """Means or sums that ignore quantities: a mean of quotients of columns, or of unit values in a table that has a
    quantity per row; also rates of discount that are added up (an amount is no floating-point number)."""
    lines: set[str] = set()
    rates: set[str] = set()
    for table in used.tables:
        numbers = [c.name for c in table.columns if c.kind != "descriptive"]
        if any(speaks(name, "quantities") for name in numbers):
            lines |= {name.casefold() for name in numbers}
            real = {c.name.casefold() for c in table.columns if re.match("REAL|FLOAT|DOUBLE", c.type)}
            rates |= {
                name for name in real & lines if re.search("|".join(vocabulary().after_deductions.values()), name)
            }
    for taken in query.all(exp.Avg, exp.Sum):
        columns = [column.name for column in of_kind(taken, exp.Column)]
        divided = any(division.expression.find(exp.Column) for division in of_kind(taken, exp.Div))
        if isinstance(taken, exp.Sum) and isinstance(taken.this, exp.Column) and taken.this.name.casefold() in rates:
            yield f"SUM({taken.this.name})"
        elif divided and isinstance(taken, exp.Avg):
            yield "AVG(… / …)"
        elif any(speaks(name, "quantities") or speaks(name, "totals") for name in columns):
            continue
        else:
            worth = (name for name in columns if name.casefold() in lines and speaks(name, "unit_values"))
            yield from (f"{taken.sql_name()}({name})" for name in worth)


def _worth_for_quantity(asked: str, query: Query) -> Iterator[str]:
    """Products of quantity and unit value if the question asks for quantities and not for amounts."""
    quantity = [phrase for phrase, topic in vocabulary().topics.items() if topic == "quantity"]
    if finder("amounts").search(asked) or not any(phrase_finder(phrase).search(asked) for phrase in quantity):
        return
    for product in query.all(exp.Mul):
        names = [column.name for column in of_kind(product, exp.Column)]
        if all(any(speaks(name, kind) for name in names) for kind in ("unit_values", "quantities")):
            yield product.sql()


def _namesakes(query: Query, used: Schema) -> Iterator[str]:
    """Groups by only one part of people's names: everybody called Frank becomes one row."""
    called = {each.alias_or_name: each.name for each in query.all(exp.Table)}
    grouped = [key for key in query.selects[0].keys if isinstance(key, exp.Column)]
    for table in used.tables:
        of = table.name.casefold()
        keys = {key.name.casefold() for key in grouped if called.get(key.table, of).casefold() == of}
        parts = {name.casefold() for name in parts_of_names(table)}
        unique = {name.casefold() for name in table.primary_key}
        if keys & parts and not parts <= keys and not keys & unique:
            yield f"GROUP BY {', '.join(sorted(keys & parts))}"


def parts_of_names(table: Table) -> list[str]:
    """The columns that form a name together (FirstName, LastName); empty if there is only one."""
    found = [name for name in table.names if finder("names").search(name) and speaks(name, "name_parts")]
    return found if len(found) > 1 else []


def _texts_reckoned(query: Query, used: Schema) -> Iterator[str]:
    """Text columns used in arithmetic (SUM(DocNo), `UnitPrice * QuantityPerUnit` of "10 boxes of 20"), or keys that are
    added up, multiplied or divided: SUM(OrderID); and what is divided by itself."""
    texts = {column.name.casefold() for column in used.columns if re.search("CHAR|TEXT", column.type)}
    for reckoned in query.all(exp.Mul, exp.Div, exp.Add, exp.Sub, exp.Sum, exp.Avg):
        for part in (reckoned.this, reckoned.expression):
            if isinstance(part, exp.Column) and part.name.casefold() in texts:
                yield part.name
    keys = {each.name.casefold() for each in used.columns if each.is_primary_key or each.kind == "identifier"} - texts
    for reckoned in query.all(exp.Mul, exp.Div, exp.Sum, exp.Avg):
        parts = (bare(part) for part in (reckoned.this, reckoned.args.get("expression")))
        yield from (part.name for part in parts if isinstance(part, exp.Column) and part.name.casefold() in keys)
    twice = (each for each in query.all(exp.Div, exp.Sub) if bare(each.this) == bare(each.expression))
    yield from (each.sql() for each in twice)


def bare(part: Any) -> Any:
    """An expression without what only prepares its value for arithmetic: casts, parentheses, NULLIF, times 1.0."""
    one = isinstance(part, exp.Mul) and part.expression.name == "1.0"
    return bare(part.this) if one or isinstance(part, exp.Cast | exp.Paren | exp.Nullif | exp.Coalesce) else part


def _bound_twice(query: Query) -> Iterator[str]:
    """Columns fixed by two conditions, one of which has no effect: `c IN ('A', 'B') AND c = 'A'`."""
    seen: set[str] = set()
    for each in query.selects[0].conditions:
        fixed = {found.this.sql() for found in of_kind(each, exp.EQ, exp.In) if _of_texts(found)}
        yield from fixed & seen
        seen |= fixed


def _of_texts(condition: exp.Expr) -> bool:
    values = condition.expressions or [condition.expression]
    texts = all(isinstance(value, exp.Literal) and value.is_string for value in values)
    return texts and isinstance(condition.this, exp.Column) and condition.find_ancestor(exp.Not) is None
