"""Database values in their stated JSON form: lossless or strings, apart from quotients. Reads no database.

| from the database            | in JSON                                                                       |
|------------------------------|-------------------------------------------------------------------------------|
| NULL, text, JSON, ENUM, BOOL | unchanged (JSON documents as the text that the database gave)                  |
| integer, DECIMAL             | a number when 15 significant digits hold it exactly, else a string of digits; |
|                              | one with more than six decimals (a quotient) is rounded to 15 digits          |
| DOUBLE, FLOAT, REAL          | a number; NaN and the infinities, which JSON lacks, as strings                |
| DATE, DATETIME, TIME         | ISO 8601: 2023-01-15, 2023-01-15T09:30:00, -27:15:00                          |
| BIT                          | MySQL: an integer; PostgreSQL: its digits as text                             |
| BLOB, BINARY                 | base64                                                                        |

Every JSON reader keeps fifteen digits, whatever float type it uses. SQLite has no DECIMAL: money is stored as REAL,
whose own text form has 15 digits, so `sqlite_value` rounds to 15 digits and the floating-point noise is removed.
"""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

_MONEY = 10**11
"""Below it, 15 digits hold four decimals of an amount."""
EXACT = 10**15
"""Every integer closer to zero than this has at most 15 digits."""


def json_rows(rows: Sequence[Sequence[Any]], *, real_digits: bool = False) -> list[Sequence[Any]]:
    """Convert the rows column by column: most columns need no conversion, which is quick to detect.

    `real_digits`: round floats to 15 significant digits, for SQLite.
    """
    # MySQL and MariaDB have no NaN, which min and max would miss.
    convert, numbers = (sqlite_value, {int}) if real_digits else (json_value, {int, float})
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
    changed = False
    for position, column in enumerate(columns):
        kinds = set(map(type, column))
        if kinds <= _AS_THEY_ARE or (kinds <= numbers and min(column) > -EXACT and max(column) < EXACT):
            continue
        columns[position] = list(map(convert, column))
        changed = True
    return list(zip(*columns, strict=True)) if changed else list(map(tuple, rows))


def json_value(value: Any) -> Any:
    """Convert one value from a driver to JSON data. An unknown type becomes its text."""
    convert = _CONVERTERS.get(type(value), str)
    return value if convert is None else convert(value)


def sqlite_value(value: Any) -> Any:
    """Like `json_value`, with REAL values rounded to 15 significant digits."""
    if type(value) is float and math.isfinite(value):
        return float(f"{value:.15g}")
    return json_value(value)


def decimal_text(text: str) -> int | float | str:
    """Parse a DECIMAL in the server's text form, via Decimal only if it may exceed 15 digits."""
    if len(text) > 15:
        return _decimal(Decimal(text))
    number = float(text)
    return int(number) if number.is_integer() else number


def date_time_text(text: str) -> str:
    """Convert a DATETIME in the server's text form to ISO, even an invalid date such as 0000-00-00."""
    return text.replace(" ", "T", 1)


def _integer(value: int) -> int | str:
    if -EXACT < value < EXACT:
        return value
    fits = len(str(abs(value)).rstrip("0")) <= 15 and abs(value) < 2**63
    return value if fits else str(value)


def _decimal(value: Decimal) -> int | float | str:
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return _integer(int(value))
    _, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).strip("0")
    quotient = int(exponent) < -6 and abs(value) < _MONEY  # PostgreSQL writes AVG and `/` with 16 digits or more
    return float(f"{value:.15g}") if len(text) <= 15 or quotient else format(value, "f")


def _float(value: float) -> float | str:
    return value if math.isfinite(value) else str(Decimal(value))  # as PostgreSQL writes a DECIMAL: NaN, Infinity


def _duration(value: datetime.timedelta) -> str:
    """Format a TIME, which ranges from -838:59:59 to 838:59:59: hours are not split into days."""
    sign = "-" if value < datetime.timedelta() else ""
    seconds, micros = divmod(abs(value) // datetime.timedelta(microseconds=1), 1_000_000)
    text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{micros:06}" if micros else text


def _iso(value: datetime.date | datetime.time) -> str:
    return value.isoformat()


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


_CONVERTERS: dict[type, Callable[[Any], Any] | None] = {
    type(None): None,
    str: None,
    bool: None,
    dict: None,
    list: None,
    int: _integer,
    float: _float,
    Decimal: _decimal,
    datetime.date: _iso,
    datetime.datetime: _iso,
    datetime.time: _iso,
    datetime.timedelta: _duration,
    bytes: _base64,
    bytearray: _base64,
    memoryview: _base64,
    UUID: str,
}
_AS_THEY_ARE = {kind for kind, convert in _CONVERTERS.items() if convert is None}
