"""Figures that a query alters without a reason: times 1.11, plus 100, truncated to integers, DISTINCT sums. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from sqlglot import exp

from agentd.agent.languages import words
from agentd.apps.analytics.checks.coverage import numbers_in
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.comparisons import SCALES
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import finder, numerals, topics_of, vocabulary, words_of

_RECKONING = (exp.Mul, exp.Div, exp.Add, exp.Sub, exp.Mod, exp.Pow)
_PICKING = (exp.Min, exp.Max, exp.Least, exp.Greatest, exp.Nullif)
_OF_TIME = (exp.DateDiff, exp.TimestampDiff, exp.Anonymous, exp.TimeToUnix, exp.Extract, exp.TimeToStr, exp.Date)
_CUTTING = (exp.Round, exp.Floor, exp.Ceil, exp.Abs)
_OF_A_YEAR = frozenset({4.0, 7.0, 12.0, 30.0, 52.0, 365.0})


def altered(question: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """Parts of the results that alter a figure: by a number that is neither said, nor a unit's factor, nor a
    percentage's; by counting each value once; by cutting digits of an amount; by an OR that nobody said, or an
    INTERSECT for one that was said; or by taking one of several rows at random."""
    for either in plan.all(exp.Or):
        yield from (side.sql() for side in either.flatten() if side.find(exp.Column, exp.Query) is None)
        equal = [(each.this.sql(), each.expression.name) for each in either.flatten() if isinstance(each, exp.EQ)]
        if len({column for column, _ in equal}) > 1 and not finder("either").search(question):
            yield either.sql()
    if not _names_a_place(question):
        yield from (each.sql() for each in plan.all(exp.Offset) if each.expression.name != "0")
    if finder("either").search(question):
        yield from (f"INTERSECT {each.expression.sql()}" for each in plan.all(exp.Intersect))
    for query in plan.selects:
        for select in query.selects:
            yield from (*_order_of_one_row(select), *_any_row(select))
    yield from _added_on(question, plan)
    known, several = _meant(question), finder("several").search(question)
    texts = {each.name.casefold() for each in schema.columns if "CHAR" in each.type}
    for select in (select for query in plan.results for select in query.selects):
        for part in select.node.expressions:
            yield from (
                *_reckoned(part, known | _factors(words_of(part.alias).split(), _of_time())),
                *_cut(part, texts),
            )
            once = (each for each in of_kind(part, exp.Sum, exp.Avg) if isinstance(each.this, exp.Distinct))
            yield from () if several else (each.sql() for each in once)


def _order_of_one_row(select: Select) -> Iterator[str]:
    """The columns that sort figures of all rows: `MAX(cost) … ORDER BY day DESC` is not the latest day's cost."""
    several = select.keys or select.plain or select.node.find(exp.Window)
    if select.order and not several and not select.order.find(exp.AggFunc):
        made = {each.alias.casefold() for each in select.node.expressions}
        yield from {each.sql() for each in of_kind(select.order, exp.Column) if each.name.casefold() not in made}


def _any_row(select: Select) -> Iterator[str]:
    """A SELECT that stands for one value and chooses no row: `<> (SELECT address FROM students)`."""
    outer = select.node.parent
    compared = isinstance(outer, exp.Subquery) and isinstance(outer.parent, exp.Binary)
    chosen = select.conditions or select.joins or select.keys or select.node.args.get("limit")
    if compared and not chosen and select.plain:
        yield select.node.sql()


def _added_on(question: str, plan: Plan) -> Iterator[str]:
    """Running sums that nobody asked for, or the word for one if there is none."""
    windows = (each for query in plan.results for each in query.all(exp.Window))
    running = [each for each in windows if each.args.get("order") and each.find(exp.Sum)]
    asked = finder("running").search(question)
    if not asked:
        yield from (each.sql() for each in running)
    elif not running and not any(query.has(exp.Subquery, exp.Join) for query in plan.results):
        yield asked[0]


def _names_a_place(question: str) -> bool:
    """Whether the question has an ordinal or a number: `the second largest`, `number 3`."""
    ordinals = {*words().ordinals, *vocabulary().ordinals}
    return bool(ordinals & {*question.casefold().split()} or re.search(r"\d", question))


def _reckoned(part: exp.Expression, known: set[float]) -> Iterator[str]:
    """Calculations on a column with a number that nobody means."""
    for literal in of_kind(part, exp.Literal) if part.find(*_OF_TIME) is None else ():
        above: Any = literal.parent
        while isinstance(above, exp.Paren | exp.Neg | exp.Cast):
            above = above.parent
        of_percent = literal.name in ("100", "100.0") and part.find(exp.Div) is not None
        reckoned = isinstance(above, (*_RECKONING, *_PICKING)) and above.find(exp.Column, exp.Star) is not None
        added = isinstance(above, exp.Add | exp.Sub) and above.expression is literal and literal.name == "1"
        if literal.is_number and reckoned and not of_percent and (added or float(literal.name) not in known):
            yield above.sql()


def _cut(part: exp.Expression, texts: set[str]) -> Iterator[str]:
    """Amounts whose last digits are dropped. `texts`: columns that are cast because they hold text."""
    for each in of_kind(part, exp.Sum, exp.Avg):
        whole = each.find(exp.Cast)
        columns = {column.name.casefold() for column in of_kind(whole, exp.Column)} if whole else set()
        if whole is not None and whole.is_type(*exp.DataType.INTEGER_TYPES) and not columns & texts:
            yield whole.sql()
        yield from (cut.sql() for cut in of_kind(each, *_CUTTING) if _to_integers(cut))
    yield from (each.sql() for each in of_kind(part, exp.Round) if isinstance(each.args.get("decimals"), exp.Neg))


def _to_integers(cut: exp.Expr) -> bool:
    """Whether it keeps no decimals of a column; `ROUND(x, 2)` keeps them."""
    decimals = cut.args.get("decimals")
    return cut.find(exp.Column) is not None and (decimals is None or decimals.name == "0")


def _meant(question: str) -> set[float]:
    """The numbers that a calculation may use: those said, also in words, and the factors of the units said."""
    spoken, said = question.casefold().split(), vocabulary()
    numbers = {0.0, 1.0} | {number * scale for number in numbers_in(question) for scale in SCALES}
    numbers |= {float(numerals()[word]) for word in spoken if word in numerals()}
    numbers |= _factors(spoken, said.scaled)
    by_time = finder("averages").search(question) and finder("units", "by_month").search(question)
    return numbers | _OF_A_YEAR if by_time else numbers


@cache
def _of_time() -> dict[str, str]:
    """The units of time and their factors, which a column's own name may say: `Milliseconds / 60000 AS minutes`."""
    return {unit: each for unit, each in vocabulary().scaled.items() if "duration" in topics_of(unit)}


def _factors(spoken: Iterable[str], scaled: Mapping[str, str]) -> set[float]:
    """The factors of the units among these words."""
    spoken = list(spoken)
    said = (each for unit, each in scaled.items() if any(word.startswith(unit.split()[-1]) for word in spoken))
    return {float(factor) for factors in said for factor in factors.split()}
