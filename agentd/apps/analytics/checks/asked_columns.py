"""Whether a plan uses the columns, units and deductions that its question names. Pure; used by coverage.

One query of several is enough: "how many tracks, and what is their mean length" names the length of the second only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from sqlglot import exp

from agentd.apps.analytics.plan import Plan, text_of
from agentd.apps.analytics.schema import Schema, Table
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import column_phrases, finder, phrase_finder, topics_of, vocabulary, words_of

_UNITS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


def unused(asked: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """The words for columns and units that no query uses. `asked`: without time words."""
    tables = schema.only(plan.tables).tables
    written = [column.name.casefold() for column in plan.all(exp.Column)]
    yield from _other_columns(asked, tables, " ".join(written))
    yield from _heads(asked, tables, written, " ".join(table.subject for table in schema.tables))
    yield from _other_flags(asked, tables, written)
    yield from _other_units(asked, plan)


def _other_columns(asked: str, tables: Sequence[Table], written: str) -> Iterator[str]:
    """Words for a column that the tables have but no query uses; not those for the things of a table ("airlines")."""
    names = [name for table in tables for name in table.names]
    for phrase in column_phrases(asked):
        asked, means = phrase_finder(phrase).sub(" ", asked), re.compile(vocabulary().columns[phrase], re.IGNORECASE)
        if any(map(means.search, names)) and not means.search(written):
            yield phrase
    said = " ".join(re.findall(r"[^\W_]+", asked.casefold()))
    things = {words_of(table.name).removesuffix("s") for table in tables}
    for name in dict.fromkeys(name for name in names if words_of(name).removesuffix("s") not in things):
        words = words_of(name).removeprefix("is ").removeprefix("has ")
        plain_word = len(words) > 2 and not finder("tops", "no_column").fullmatch(words)
        if plain_word and re.search(rf"\b{re.escape(words)}s?\b", said) and name.casefold() not in written:
            yield words


def _heads(asked: str, tables: Sequence[Table], written: Sequence[str], things: str) -> Iterator[str]:
    """Words that end the name of only one column of the tables, which no query uses: "symbol" of `ticker_symbol`; not
    those for the `things` that the schema's tables hold."""
    names = [name for table in tables for name in table.names]
    ends = [words_of(name).split()[-1:] for name in names]
    for name, end in zip(names, ends, strict=True):
        plain = end and len(end[0]) > 3 and not finder("neutral", "tops", "no_column").fullmatch(end[0])
        alone = plain and ends.count(end) == 1 and end[0] not in things and name.casefold() not in written
        said = alone and re.search(rf"\b{re.escape(end[0])}s?\b", asked, re.IGNORECASE)
        if said and words_of(name) not in asked.casefold():
            yield end[0]


def _other_flags(asked: str, tables: Sequence[Table], written: Sequence[str]) -> Iterator[str]:
    """Words of the description of a yes/no column that no query uses: "active customers", for all of them."""
    said = re.findall(r"[^\W\d_]{4,}", asked.casefold())
    for table in tables:
        for column in table.columns:
            values = {str(each) for each in column.sample_values}
            if values and values <= {"0", "1", "True", "False"} and column.name.casefold() not in written:
                about = re.findall(r"[^\W\d_]{4,}", column.description.casefold())
                yield from (word for word in said if word in about)


def _other_units(asked: str, plan: Plan) -> Iterator[str]:
    """Units such as "in minutes" if no query converts to them, and other units of time than those asked for."""
    meant = {unit for word, unit in vocabulary().units.items() if phrase_finder(word).search(asked)}
    for call in plan.all(exp.DateDiff, exp.TimestampDiff) if meant else ():
        taken = {each.name.casefold().rstrip("s") for each in of_kind(call, exp.Var, exp.Column)}
        yield from taken & (_UNITS - meant) if call.find_ancestor(exp.Div, exp.Mul) is None else ()
    numbers = [float(each.this) for each in plan.all(exp.Literal) if each.is_number]
    by = (each.expression for each in plan.all(exp.Div) if isinstance(each.expression, exp.Literal))
    divisors = [float(each.this) for each in by if each.is_number]
    for phrase, factors in vocabulary().scaled.items():
        allowed = {float(factor) for factor in factors.split()}
        if phrase_finder(phrase).search(asked) and not allowed & {*numbers, prod(divisors)}:
            yield phrase


def misdeducted(asked: str, query: Query) -> Iterator[str]:
    """Words for "before" or "after" a deduction if the query subtracts it, or multiplies by it, contrary to them; also
    deductions that are added, and a profit with reversed sign (cost minus price)."""
    less = _names(each.expression for each in query.all(exp.Sub))
    times = _names(query.all(exp.Mul))
    for phrase, parts in vocabulary().before_deductions.items():
        if re.search(parts, less, re.IGNORECASE) and phrase_finder(phrase).search(asked):
            yield phrase
    for phrase, parts in vocabulary().after_deductions.items():
        alone = re.search(parts, times, re.IGNORECASE) and not re.search(parts, less, re.IGNORECASE)
        if alone and phrase_finder(phrase).search(asked):
            yield phrase
    for each in query.all(exp.Add):
        more = _names([each.expression]) if each.this.name == "1" else ""
        if any(re.search(parts, more, re.IGNORECASE) for parts in vocabulary().after_deductions.values()):
            yield each.sql()
    for turned in query.all(exp.Sub) if finder("gains").search(asked) else ():
        left, right = (topics_of(words_of(_names([side]))) for side in (turned.this, turned.expression))
        if "cost" in left - right and {"price", "sales"} & (right - left):
            yield turned.sql()


def not_deducted(asked: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """The word for a profit if the plan subtracts nothing and reads nothing of that name."""
    gain, written = finder("gains"), text_of(plan)
    columns = (column for column in schema.columns if column.name in written)
    described = " ".join([words_of(written), *(column.description for column in columns)])
    if (word := gain.search(asked)) and not gain.search(described) and not any(plan.all(exp.Sub, exp.Neg)):
        yield word[0]


def _names(parts: Iterable[exp.Expr]) -> str:
    return " ".join(column.name for part in parts for column in of_kind(part, exp.Column))
