"""The functions that an expression may call, each as MariaDB and SQLite spell it. Nothing else can be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, String, case, cast, func, literal

from servers.common import clock

Element = ColumnElement[Any]
AGGREGATES = ("SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX")
DATE_FORMATS = {"%Y", "%m", "%d", "%Y-%m", "%Y-%m-%d", "%m-%Y", "%d-%m-%Y", "%d/%m/%Y", "%m/%Y"}
"""Both databases read these alike."""


@dataclass(frozen=True)
class Function:
    """How many arguments it takes, and its spelling; `gives`: "number", "date", or what its arguments are."""

    least: int
    most: int
    build: Callable[[str, list[Element]], Element]
    gives: str = ""


def aggregate(name: str, argument: Element | None, distinct: bool = False) -> Element:
    """COUNT without an argument counts rows; AVG and SUM are the database's own."""
    if argument is None:
        return func.count()
    if name == "COUNT_DISTINCT":
        return func.count(argument.distinct())
    made: Element = getattr(func, name.lower())(argument.distinct() if distinct else argument)
    return made


def divide(left: Element, right: Element) -> Element:
    """A true quotient; NULL when divided by zero, on every database."""
    return left / func.nullif(right, 0)


def remainder(left: Element, right: Element) -> Element:
    """NULL when divided by zero, on every database."""
    return left % func.nullif(right, 0)


def _same(name: str) -> Callable[[str, list[Element]], Element]:
    def build(_: str, arguments: list[Element]) -> Element:
        made: Element = getattr(func, name)(*arguments)
        return made

    return build


def _either(mysql: str, sqlite: str) -> Callable[[str, list[Element]], Element]:
    def build(dialect: str, arguments: list[Element]) -> Element:
        made: Element = getattr(func, sqlite if dialect == "sqlite" else mysql)(*arguments)
        return made

    return build


def _part_of_date(name: str, code: str) -> Callable[[str, list[Element]], Element]:
    def build(dialect: str, arguments: list[Element]) -> Element:
        if dialect == "sqlite":
            return cast(func.strftime(code, arguments[0]), Integer)
        made: Element = getattr(func, name)(arguments[0])
        return made

    return build


def _quarter(dialect: str, arguments: list[Element]) -> Element:
    if dialect == "sqlite":
        return (cast(func.strftime("%m", arguments[0]), Integer) + 2) // 3
    made: Element = func.quarter(arguments[0])
    return made


def _days_between(dialect: str, arguments: list[Element]) -> Element:
    later, earlier = arguments
    if dialect == "sqlite":
        return cast(func.julianday(func.date(later)) - func.julianday(func.date(earlier)), Integer)
    made: Element = func.datediff(later, earlier)
    return made


def _date_format(dialect: str, arguments: list[Element]) -> Element:
    pattern = getattr(arguments[1], "value", None)
    if pattern not in DATE_FORMATS:
        raise ValueError(f"DATE_FORMAT takes one of {', '.join(sorted(DATE_FORMATS))} as its second argument")
    if dialect == "sqlite":
        return func.strftime(literal(pattern), arguments[0])
    return func.date_format(arguments[0], literal(pattern))


def _concat(dialect: str, arguments: list[Element]) -> Element:
    """NULL when any part is, as in MariaDB."""
    if dialect != "sqlite":
        made: Element = func.concat(*arguments)
        return made
    joined: Element = cast(arguments[0], String)
    for argument in arguments[1:]:
        joined = joined.concat(cast(argument, String))
    return joined


def _if(_: str, arguments: list[Element]) -> Element:
    return case((arguments[0], arguments[1]), else_=arguments[2])


def _today(_: str, __: list[Element]) -> Element:
    return literal(clock.now().date().isoformat())


def _whole(name: str, upwards: bool) -> Callable[[str, list[Element]], Element]:
    """FLOOR and CEILING; not every SQLite is built with them."""

    def build(dialect: str, arguments: list[Element]) -> Element:
        if dialect != "sqlite":
            made: Element = getattr(func, name)(*arguments)
            return made
        cut = cast(arguments[0], Integer)
        return cut + (case((arguments[0] > cut, 1), else_=0) if upwards else case((arguments[0] < cut, -1), else_=0))

    return build


FUNCTIONS: dict[str, Function] = {
    "ABS": Function(1, 1, _same("abs"), gives="number"),
    "ROUND": Function(1, 2, _same("round"), gives="number"),
    "FLOOR": Function(1, 1, _whole("floor", upwards=False), gives="number"),
    "CEIL": Function(1, 1, _whole("ceiling", upwards=True), gives="number"),
    "CEILING": Function(1, 1, _whole("ceiling", upwards=True), gives="number"),
    "GREATEST": Function(2, 10, _either("greatest", "max")),
    "LEAST": Function(2, 10, _either("least", "min")),
    "COALESCE": Function(2, 10, _same("coalesce")),
    "IFNULL": Function(2, 2, _same("ifnull")),
    "NULLIF": Function(2, 2, _same("nullif")),
    "IF": Function(3, 3, _if),
    "UPPER": Function(1, 1, _same("upper")),
    "LOWER": Function(1, 1, _same("lower")),
    "TRIM": Function(1, 1, _same("trim")),
    "LENGTH": Function(1, 1, _either("char_length", "length"), gives="number"),
    "SUBSTR": Function(2, 3, _same("substr")),
    "SUBSTRING": Function(2, 3, _same("substr")),
    "CONCAT": Function(1, 10, _concat),
    "DATE": Function(1, 1, _same("date"), gives="date"),
    "YEAR": Function(1, 1, _part_of_date("year", "%Y"), gives="number"),
    "MONTH": Function(1, 1, _part_of_date("month", "%m"), gives="number"),
    "DAY": Function(1, 1, _part_of_date("day", "%d"), gives="number"),
    "QUARTER": Function(1, 1, _quarter, gives="number"),
    "DATE_FORMAT": Function(2, 2, _date_format),
    "DATEDIFF": Function(2, 2, _days_between, gives="number"),
    "CURRENT_DATE": Function(0, 0, _today, gives="date"),
    "CURDATE": Function(0, 0, _today, gives="date"),
}
