"""Whether a plan uses the columns and units that its question names. Pure; used by coverage.

One query of several is enough: "how many tracks, and what is their mean length" names the length of the second only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from sqlglot import exp

from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import column_phrases, finder, phrase_finder, vocabulary, words_of

_OF_NO_COLUMN = frozenset({"total", "name", "date", "number", "status", "type", "code"})
"""Column names that a question may contain without meaning the column."""

_UNITS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


def unused(asked: str, selects: Sequence[exp.Expr], schema: Schema) -> Iterator[str]:
    """The words for columns and units that no query uses. `asked`: without time words."""
    yield from _other_columns(asked, selects, schema)
    yield from _other_flags(asked, selects, schema)
    yield from _other_units(asked, selects)


def _other_columns(asked: str, selects: Sequence[exp.Expr], schema: Schema) -> Iterator[str]:
    """Words for a column that the tables have but no query uses."""
    read = {table.name.casefold() for select in selects for table in of_kind(select, exp.Table)}
    names = [name for of, table in schema.by_name.items() if of in read for name in table.names]
    written = " ".join(column.name for select in selects for column in of_kind(select, exp.Column))
    for phrase in column_phrases(asked):
        asked, means = phrase_finder(phrase).sub(" ", asked), re.compile(vocabulary().columns[phrase], re.IGNORECASE)
        if any(map(means.search, names)) and not means.search(written):
            yield phrase
    said = " ".join(re.findall(r"[^\W_]+", asked.casefold()))
    for name in dict.fromkeys(names):
        words = words_of(name).removeprefix("is ")
        plain_word = len(words) > 2 and words not in _OF_NO_COLUMN and not finder("tops").fullmatch(words)
        if plain_word and re.search(rf"\b{re.escape(words)}\b", said) and name.casefold() not in written.casefold():
            yield words


def _other_flags(asked: str, selects: Sequence[exp.Expr], schema: Schema) -> Iterator[str]:
    """Words of the description of a yes/no column that no query uses: "active customers", for all of them."""
    read = {table.name.casefold() for select in selects for table in of_kind(select, exp.Table)}
    written = {column.name.casefold() for select in selects for column in of_kind(select, exp.Column)}
    said = re.findall(r"[^\W\d_]{4,}", asked.casefold())
    for name, table in schema.by_name.items():
        for column in table.columns if name in read else ():
            values = {str(each) for each in column.sample_values}
            if values and values <= {"0", "1", "True", "False"} and column.name.casefold() not in written:
                about = re.findall(r"[^\W\d_]{4,}", column.description.casefold())
                yield from (word for word in said if word in about)


def _other_units(asked: str, selects: Sequence[exp.Expr]) -> Iterator[str]:
    """Units such as "in minutes" if no query converts to them, and other units of time than those asked for."""
    meant = {unit for word, unit in vocabulary().units.items() if phrase_finder(word).search(asked)}
    between = (call for select in selects for call in of_kind(select, exp.DateDiff, exp.TimestampDiff))
    for call in between if meant else ():
        taken = {each.name.casefold().rstrip("s") for each in of_kind(call, exp.Var, exp.Column)}
        yield from taken & (_UNITS - meant) if call.find_ancestor(exp.Div, exp.Mul) is None else ()
    numbers = [float(each.this) for select in selects for each in of_kind(select, exp.Literal) if each.is_number]
    divisors = [
        float(each.expression.this)
        for select in selects
        for each in of_kind(select, exp.Div)
        if isinstance(each.expression, exp.Literal) and each.expression.is_number
    ]
    for phrase, factors in vocabulary().scaled.items():
        allowed = {float(factor) for factor in factors.split()}
        if phrase_finder(phrase).search(asked) and not allowed & {*numbers, prod(divisors)}:
            yield phrase
