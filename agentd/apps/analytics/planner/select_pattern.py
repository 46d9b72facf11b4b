"""The SELECTs that a constrained model may write over the consulted tables, as one regular expression. Asks nobody.

There is one alternative per table after FROM: its columns, bare or qualified, those of tables reachable in one or two
joins, and only the joins in the schema. Conditions in WHERE compare columns; elsewhere an operator or keyword stands
between two values. Small models get what is missing (subqueries, UNION, windows) wrong anyway, and the guards refuse
days and keys that the question doesn't contain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from agentd.apps.analytics.schema import Pair, Schema
from agentd.apps.analytics.sql.tree import quoted

_KEYWORD = r"(?:(?:DISTINCT|CASE|WHEN|THEN|ELSE|AND|OR|NOT|IS|LIKE|BETWEEN) \(*)"
_OPENING = r"(?:(?:DISTINCT|CASE WHEN|CASE|NOT) \(*)"
_FUNCTIONS = "SUM|AVG|COUNT|MIN|MAX|ROUND|ABS|COALESCE|DATEDIFF|YEAR|QUARTER|MONTH|DAY"
_OPENED = rf"(?:(?:{_FUNCTIONS})\(+{_OPENING}{{0,2}}){{0,3}}"
_NUMBERS = r"[0-9]{1,12}|[0-9]{1,9}\.[0-9]{1,4}"
_FIRST, _REST = r"[^-/0-9%'\"\\{]", r"[^'\"\\{]{0,39}"
_BETWEEN = (
    rf"(?: END)?\)*(?: (?:[-+*/%=<>]|<=|>=|<>|!=) \(*{_KEYWORD}{{0,3}}|, \(*{_OPENING}{{0,2}}| {_KEYWORD}{{1,3}})"
)
_ALIAS = "[A-Z][A-Z0-9_]{0,30}"
MONTHS = {"mysql": "DATE_FORMAT({}, '%Y-%m')", "postgres": "TO_CHAR({}, 'YYYY-MM')", "sqlite": "STRFTIME('%Y-%m', {})"}
"""How each dialect writes the month of a date, for grouping."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a question contains that rows may be selected by."""

    dates: tuple[str, ...] = ()
    """The names of the dates that may be written in braces."""
    days: bool = True
    """Whether literal days may be written."""
    numbers: frozenset[str] | None = None
    """The numbers that conditions may use; None: any."""
    temporal: frozenset[str] = frozenset()
    """Date columns: they are compared only with dates, so with nothing if none may be written."""
    keys: frozenset[str] = frozenset()
    """Code and document number columns if the question names none: they may only be tested for NULL."""
    texts: frozenset[str] | None = None
    """The texts that may be quoted, if the question has no word for others; None: any."""
    span: bool = False
    """The period is longer than a day: dates lie within it and don't equal an end."""

    @property
    def number(self) -> str:
        """A pattern for a number in a condition."""
        return _NUMBERS if self.numbers is None else either(sorted(self.numbers))

    @property
    def text(self) -> str:
        """A pattern for a quoted text; "" if none is allowed."""
        if self.texts is not None:
            return either(sorted(self.texts))
        if self.days:
            return rf"(?:[^'\"\\{{]{_REST})?"
        return _FIRST + _REST if self.numbers is not None else rf"(?:{_FIRST}{_REST}|[0-9]{{1,12}}[^-/'\"\\{{]{{0,27}})"

    @property
    def quoted(self) -> list[str]:
        """A pattern for a text with its quotes, if one is allowed."""
        return [rf"'(?:{self.text})'"] if self.text else []


def select_pattern(schema: Schema, said: Said = Said()) -> str:
    """The pattern of a whole SELECT, for a question that has what is `said`."""
    tables = {quoted(table.name): [quoted(column) for column in table.names] for table in schema.tables}
    known = [((quoted(a), quoted(b)), (quoted(c), quoted(d))) for (a, b), (c, d) in schema.joins]
    known = [pair for pair in known if pair[0][0] in tables and pair[1][0] in tables]
    month = re.escape(MONTHS.get(schema.dialect or "", ""))
    return "^(?:" + "|".join(_shape(table, tables, known, said, month) for table in tables) + ")$"


def _shape(main: str, tables: Mapping[str, list[str]], known: list[Pair], said: Said, month: str) -> str:
    branches = {table: _beside(table, known) - {main} for table in sorted(_beside(main, known))}
    near = sorted({*branches, *(table for further in branches.values() for table in further)})
    column = _columns(main, tables, near)
    values = "".join(f"{each}|" for each in (*said.quoted, *(rf"'\{{{name}\}}'" for name in said.dates)))
    word = rf"(?:COUNT\(\*\)|{_OPENED}(?:NULL|{_NUMBERS}|{values}{column}{_of_month(month, column)}))"
    free = rf"\(*{_OPENING}{{0,2}}{word}(?:{_BETWEEN}{word}){{0,24}}(?: END)?\)*"
    joins = "|".join(
        _join(main, table, known) + "".join(rf"(?:{_join(table, other, known)})?" for other in sorted(further))
        for table, further in branches.items()
    )

    def rest(near: Collection[str]) -> str:
        column = _columns(main, tables, near)
        key = rf"(?:{column}|{_ALIAS}|(?:YEAR|QUARTER|MONTH|DAY)\((?:{column})\){_of_month(month, column)})"
        return (
            rf"(?: WHERE {_conditions(main, tables, near, said)})?"
            + rf"(?: GROUP BY {key}(?:, {key}){{0,3}})?(?: HAVING {free})?"
            + rf"(?: ORDER BY {key}(?: DESC| ASC)?)?(?: LIMIT [1-9][0-9]{{0,2}})?"
        )

    return rf"SELECT (?:DISTINCT )?{free} AS {_ALIAS}(?:, {free} AS {_ALIAS}){{0,4}} FROM {re.escape(main)}" + (
        rf"(?:(?:{joins}){{1,{len(branches)}}}{rest(near)}|{rest(())})" if joins else rest(())
    )


def _of_month(month: str, column: str) -> str:
    return month and "|" + month.replace(re.escape("{}"), f"(?:{column})")


def _columns(main: str, tables: Mapping[str, list[str]], near: Iterable[str]) -> str:
    """The main table's columns, bare or qualified, and those of the tables near it."""
    bare = [re.escape(column) for column in tables[main]]
    return "|".join([*bare, *(_qualified(name, tuple(tables[name])) for name in (main, *near) if tables[name])])


@lru_cache(maxsize=256)
def _qualified(table: str, columns: tuple[str, ...]) -> str:
    return rf"{re.escape(table)}\.(?:{either(columns)})"


def _conditions(main: str, tables: Mapping[str, list[str]], near: Iterable[str], said: Said) -> str:
    """Conditions: columns compared with values or each other, IN, LIKE or, last, IS NULL; dates with dates; keys only
    if some are named. Their number is small, because a small model that repeats a condition does so up to the limit."""
    near = (main, *near)
    days = {name: [each for each in tables[name] if each in said.temporal] for name in near}
    plain = {name: [each for each in tables[name] if each not in {*said.temporal, *said.keys}] for name in near}
    called = "COALESCE" if "START_DATE" in said.dates else "YEAR|QUARTER|MONTH|DAY|COALESCE"
    tokens = "|".join(rf"'\{{{name}\}}'" for name in said.dates)
    listed = "|".join([*([] if said.numbers is not None else [_NUMBERS]), *said.quoted])
    plainly = "|".join((said.number, *said.quoted, *([] if said.temporal or not tokens else [tokens])))
    values = "|".join(part for part in (said.number, *said.quoted, tokens) if part)

    def compared(columns: Mapping[str, list[str]], values: str, equal: str = "=|<>|!=|") -> str:
        column = _columns(main, columns, near)
        side = rf"\(*(?:(?:{called})\()?(?:{column})(?:, 0)?\)*(?: [-+*/] \(*(?:{column})\)*)?"
        bounds = rf"(?:NOT )?BETWEEN (?:{values}) AND (?:{values})"
        return rf"{side} (?:(?:{equal}<=|>=|<|>) (?:{values}|{side})|{bounds})"

    one = [compared(plain, plainly)] if any(plain.values()) else []
    if one:
        column = _columns(main, plain, near)
        some = [rf"LIKE '%?(?:{said.text})'"] if said.text else []
        some += [rf"IN \((?:{listed})(?:, (?:{listed})){{0,4}}\)"] if listed else []
        one += [rf"\(*(?:{column}) (?:NOT )?(?:{'|'.join(some)})"] if some else []
    if any(days.values()) and (dated := values if said.days else tokens):
        one.append(compared(days, dated, "" if said.span else "=|<>|!=|"))
    missing = rf"\(*(?:{_columns(main, tables, near)}) IS (?:NOT )?NULL\)*"
    each = rf"(?:{'|'.join(one)})\)*"
    return rf"(?:{each}(?: (?:AND|OR) {each}){{0,5}}(?: (?:AND|OR) {missing})?|{missing})" if one else missing


def _beside(table: str, known: list[Pair]) -> set[str]:
    """The tables joined to it by one relation."""
    sides = [(left[0], right[0]) for left, right in known]
    return {other for one, other in (*sides, *(side[::-1] for side in sides)) if one == table} - {table}


def _join(there: str, joined: str, known: list[Pair]) -> str:
    """` JOIN joined ON …`, by any relation between the two tables, in either order."""
    ways = [pair for pair in known if {pair[0][0], pair[1][0]} == {there, joined}]
    said = "|".join(
        re.escape(" = ".join(map(".".join, way))) for one, other in ways for way in ((one, other), (other, one))
    )
    return rf" (?:INNER |LEFT )?JOIN {re.escape(joined)} ON (?:{said})"


def either(names: Iterable[str]) -> str:
    """A pattern for any of these literal names."""
    return "|".join(re.escape(name) for name in names)
