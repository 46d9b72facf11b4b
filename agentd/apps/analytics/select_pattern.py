"""The SELECTs that a constrained model can write over the consulted tables, as one regular expression. Asks nobody.

One shape for each table that may stand behind FROM: its columns, bare or qualified, the columns of what can be joined
to it in one or two steps, and only the joins that the schema knows, to tables that stand there. Conditions of WHERE
compare columns; elsewhere a sign or a keyword stands between two values. What these shapes lack (subqueries, UNION,
windows) a small model gets wrong anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from agentd.apps.analytics.joins import Pair, pairs
from agentd.apps.analytics.sql import quoted

_KEYWORD = r"(?:(?:DISTINCT|CASE|WHEN|THEN|ELSE|AND|OR|NOT|IS|LIKE|BETWEEN) \(*)"
_FUNCTIONS = "SUM|AVG|COUNT|MIN|MAX|ROUND|ABS|COALESCE|DATEDIFF|YEAR|QUARTER|MONTH|DAY"
_OPENED = rf"(?:(?:{_FUNCTIONS})\(+{_KEYWORD}{{0,3}}){{0,3}}"
_VALUES = r"[0-9]{1,12}|[0-9]{1,9}\.[0-9]{1,4}|'[^'\"\\{]{0,40}'"
_BETWEEN = (
    rf"(?: END)?\)*(?: (?:[-+*/%=<>]|<=|>=|<>|!=) \(*{_KEYWORD}{{0,3}}|, \(*{_KEYWORD}{{0,3}}| {_KEYWORD}{{1,3}})"
)
_ALIAS = "[A-Z][A-Z0-9_]{0,30}"
MONTHS = {
    "mysql": "DATE_FORMAT({}, '%Y-%m')",
    "postgres": "TO_CHAR({}, 'YYYY-MM')",
    "sqlite": "STRFTIME('%Y-%m', {})",
}
"""How each dialect writes the month of a date, by which rows are grouped."""


def select_pattern(
    tables: Mapping[str, list[str]],
    relations: Iterable[Mapping[str, Any]],
    dates: Iterable[str] = (),
    dialect: str | None = None,
) -> str:
    """`tables` are names with their columns, `relations` entries of `table_relationships`, `dates` the names of those
    that may be written in braces, `dialect` an own database's."""
    known = [pair for pair in pairs(relations) if pair[0][0] in tables and pair[1][0] in tables]
    known = [((quoted(a), quoted(b)), (quoted(c), quoted(d))) for (a, b), (c, d) in known]
    tables = {quoted(table): [quoted(column) for column in columns] for table, columns in tables.items()}
    values = "|".join([_VALUES, *(rf"'\{{{name}\}}'" for name in dates)])
    month = re.escape(MONTHS.get(dialect or "", ""))
    return "^(?:" + "|".join(_shape(table, tables, known, values, month) for table in tables) + ")$"


def _shape(main: str, tables: Mapping[str, list[str]], known: list[Pair], values: str, month: str) -> str:
    branches = {table: _beside(table, known) - {main} for table in sorted(_beside(main, known))}
    near = sorted({*branches, *(table for further in branches.values() for table in further)})
    names = [re.escape(column) for column in tables[main]]
    names += [rf"{re.escape(table)}\.(?:{either(tables[table])})" for table in (main, *near)]
    column = "|".join(names)
    month = month and "|" + month.replace(re.escape("{}"), f"(?:{column})")
    word = rf"(?:COUNT\(\*\)|{_OPENED}(?:NULL|{values}|{column}{month}))"
    free = rf"\(*{_KEYWORD}{{0,3}}{word}(?:{_BETWEEN}{word}){{0,24}}(?: END)?\)*"
    key = rf"(?:{column}|{_ALIAS}|(?:YEAR|QUARTER|MONTH|DAY)\((?:{column})\){month})"
    joins = "|".join(
        _join(main, table, known) + "".join(rf"(?:{_join(table, other, known)})?" for other in sorted(further))
        for table, further in branches.items()
    )
    return (
        rf"SELECT (?:DISTINCT )?{free} AS {_ALIAS}(?:, {free} AS {_ALIAS}){{0,4}} FROM {re.escape(main)}"
        + (rf"(?:{joins}){{0,{len(branches)}}}" if joins else "")
        + rf"(?: WHERE {_conditions(column, values)})?(?: GROUP BY {key}(?:, {key}){{0,3}})?(?: HAVING {free})?"
        + rf"(?: ORDER BY {key}(?: DESC| ASC)?)?(?: LIMIT [1-9][0-9]{{0,2}})?"
    )


def _conditions(column: str, values: str) -> str:
    """What chooses rows: columns compared with a value or each other, listed, likened, bounded or missing. Lists and
    conditions are few, since a small model that writes a condition again does so until it may not."""
    side = rf"\(*(?:(?:YEAR|QUARTER|MONTH|DAY|COALESCE)\()?(?:{column})(?:, 0)?\)*(?: [-+*/] \(*(?:{column})\)*)?"
    one = (
        rf"{side} (?:(?:=|<>|!=|<=|>=|<|>) (?:{values}|{side})|(?:NOT )?LIKE '[^'\"\\{{]{{0,40}}'|IS (?:NOT )?NULL"
        rf"|(?:NOT )?BETWEEN (?:{values}) AND (?:{values})|(?:NOT )?IN \((?:{values})(?:, (?:{values})){{0,4}}\))\)*"
    )
    return rf"{one}(?: (?:AND|OR) {one}){{0,5}}"


def _beside(table: str, known: list[Pair]) -> set[str]:
    """The tables that one relation joins to it."""
    sides = [(left[0], right[0]) for left, right in known]
    return {other for one, other in (*sides, *(side[::-1] for side in sides)) if one == table} - {table}


def _join(there: str, joined: str, known: list[Pair]) -> str:
    """` JOIN joined ON …`, by any of the relations between the two, either side first."""
    ways = [pair for pair in known if {pair[0][0], pair[1][0]} == {there, joined}]
    said = "|".join(
        re.escape(" = ".join(map(".".join, way))) for one, other in ways for way in ((one, other), (other, one))
    )
    return rf" (?:INNER |LEFT )?JOIN {re.escape(joined)} ON (?:{said})"


def either(names: Iterable[str]) -> str:
    """A pattern of names as they stand."""
    return "|".join(re.escape(name) for name in names)
