"""The functions that an expression may call, with their SQL for each database. Nothing else can be called."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Date, Integer, Numeric, String, case, cast, extract, func, literal
from sqlalchemy.types import NULLTYPE

from servers.common import clock

Element = ColumnElement[Any]
Build = Callable[[str, list[Element]], Element]
"""Takes the database's kind ("mysql", "postgres", "sqlite") and the arguments."""
AGGREGATES = ("SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX")
DATE_FORMATS = {"%Y", "%m", "%d", "%Y-%m", "%Y-%m-%d", "%m-%Y", "%d-%m-%Y", "%d/%m/%Y", "%m/%Y"}
"""MariaDB and SQLite interpret these equally; for PostgreSQL they are translated."""
_POSTGRES_DATES = {"%Y": "YYYY", "%m": "MM", "%d": "DD"}


@dataclass(frozen=True)
class Function:
    """A function's number of arguments and SQL; `gives`: "number", "date", or "" for the type of its arguments."""

    least: int
    most: int
    build: Build
    gives: str = ""


def aggregate(name: str, argument: Element | None, distinct: bool = False) -> Element:
    """Build an aggregate; COUNT without an argument counts rows."""
    if argument is None:
        return func.count()
    if name == "COUNT_DISTINCT":
        return func.count(argument.distinct())
    return _called(name.lower(), argument.distinct() if distinct else argument)


def divide(left: Element, right: Element, dialect: str) -> Element:
    """Return the true quotient, NULL for division by zero, on every database. PostgreSQL truncates that of integers."""
    exact = left * literal(Decimal("1.0"), NULLTYPE) if dialect == "postgres" else left
    return exact / func.nullif(right, 0)


def remainder(left: Element, right: Element) -> Element:
    """Return the remainder, NULL for division by zero, on every database."""
    return left % func.nullif(right, 0)


def _called(name: str, *arguments: Element) -> Element:
    made: Element = getattr(func, name)(*arguments)
    return made


def _same(name: str) -> Build:
    return lambda _, arguments: _called(name, *arguments)


def _either(mysql: str, sqlite: str) -> Build:
    return lambda dialect, arguments: _called(sqlite if dialect == "sqlite" else mysql, *arguments)


def _part_of_date(name: str, code: str, months: int = 1) -> Build:
    """A part that SQLite knows by a code, counted from 1; a quarter is every third month."""

    def build(dialect: str, arguments: list[Element]) -> Element:
        if dialect == "sqlite":
            number = cast(func.strftime(code, arguments[0]), Integer)
            return (number + months - 1) // months if months > 1 else number
        if dialect == "postgres":
            return cast(extract(name, cast(arguments[0], Date)), Integer)
        return _called(name, arguments[0])

    return build


def _days_between(dialect: str, arguments: list[Element]) -> Element:
    later, earlier = arguments
    if dialect == "sqlite":
        return cast(func.julianday(func.date(later)) - func.julianday(func.date(earlier)), Integer)
    if dialect == "postgres":
        return cast(later, Date) - cast(earlier, Date)
    return _called("datediff", later, earlier)


def _date_format(dialect: str, arguments: list[Element]) -> Element:
    pattern = getattr(arguments[1], "value", None)
    if pattern not in DATE_FORMATS:
        raise ValueError(f"DATE_FORMAT takes one of {', '.join(sorted(DATE_FORMATS))} as its second argument")
    if dialect == "sqlite":
        return func.strftime(literal(pattern), arguments[0])
    if dialect == "postgres":
        words = re.sub(r"%.", lambda code: _POSTGRES_DATES[code[0]], pattern)
        return func.to_char(cast(arguments[0], Date), literal(words))
    return func.date_format(arguments[0], literal(pattern))


def _concat(dialect: str, arguments: list[Element]) -> Element:
    """Concatenate; NULL if any part is, as in MariaDB."""
    if dialect == "mysql":
        return _called("concat", *arguments)
    joined: Element = cast(arguments[0], String)
    for argument in arguments[1:]:
        joined = joined.concat(cast(argument, String))
    return joined


def _today(dialect: str, _: list[Element]) -> Element:
    today = clock.now(clock.office_zone()).date()
    return literal(today) if dialect == "postgres" else literal(today.isoformat())


def _date(dialect: str, arguments: list[Element]) -> Element:
    return cast(arguments[0], Date) if dialect == "postgres" else func.date(arguments[0])


def _rounded(dialect: str, arguments: list[Element]) -> Element:
    """Round; PostgreSQL can't round a double to decimals, so it is cast."""
    number = cast(arguments[0], Numeric) if dialect == "postgres" else arguments[0]
    return func.round(number, *arguments[1:])


def _whole(name: str, upwards: bool) -> Build:
    """Build FLOOR or CEILING, which not every SQLite has."""

    def build(dialect: str, arguments: list[Element]) -> Element:
        if dialect != "sqlite":
            return _called(name, *arguments)
        cut = cast(arguments[0], Integer)
        return cut + (case((arguments[0] > cut, 1), else_=0) if upwards else case((arguments[0] < cut, -1), else_=0))

    return build


FUNCTIONS: dict[str, Function] = {
    "ABS": Function(1, 1, _same("abs"), gives="number"),
    "ROUND": Function(1, 2, _rounded, gives="number"),
    "FLOOR": Function(1, 1, _whole("floor", upwards=False), gives="number"),
    "CEIL": Function(1, 1, _whole("ceiling", upwards=True), gives="number"),
    "CEILING": Function(1, 1, _whole("ceiling", upwards=True), gives="number"),
    "GREATEST": Function(2, 10, _either("greatest", "max")),
    "LEAST": Function(2, 10, _either("least", "min")),
    "COALESCE": Function(2, 10, _same("coalesce")),
    "IFNULL": Function(2, 2, _same("coalesce")),
    "NULLIF": Function(2, 2, _same("nullif")),
    "IF": Function(3, 3, lambda _, given: case((given[0], given[1]), else_=given[2])),
    "UPPER": Function(1, 1, _same("upper")),
    "LOWER": Function(1, 1, _same("lower")),
    "TRIM": Function(1, 1, _same("trim")),
    "LENGTH": Function(1, 1, _either("char_length", "length"), gives="number"),
    "SUBSTR": Function(2, 3, _same("substr")),
    "SUBSTRING": Function(2, 3, _same("substr")),
    "CONCAT": Function(1, 10, _concat),
    "DATE": Function(1, 1, _date, gives="date"),
    "YEAR": Function(1, 1, _part_of_date("year", "%Y"), gives="number"),
    "MONTH": Function(1, 1, _part_of_date("month", "%m"), gives="number"),
    "DAY": Function(1, 1, _part_of_date("day", "%d"), gives="number"),
    "QUARTER": Function(1, 1, _part_of_date("quarter", "%m", months=3), gives="number"),
    "DATE_FORMAT": Function(2, 2, _date_format),
    "DATEDIFF": Function(2, 2, _days_between, gives="number"),
    "CURRENT_DATE": Function(0, 0, _today, gives="date"),
    "CURDATE": Function(0, 0, _today, gives="date"),
}
