"""One value in one Indonesian form: money, numbers, percentages, dates, words. Knows no template.

| type                   | value                                | text                                               |
|------------------------|--------------------------------------|----------------------------------------------------|
| currency_IDR           | 125000000.5                          | Rp 125.000.000,50 (two digits if there are cents)  |
| number_with_separator  | 1234.5                               | 1.234,5 (as many digits as the value has)          |
| integer                | 1999.6                               | 2000 (no separators)                               |
| percentage             | 0.1234                               | 12,34% (a ratio; at most two digits)               |
| date_DD_MMM_YYYY       | 2023-08-05 (ISO, a time is dropped)  | 05 Agu 2023                                        |
| date_long              | 2023-08-05                           | 5 Agustus 2023                                     |
| terbilang              | 1250000.5                            | satu juta dua ratus lima puluh ribu koma lima      |
| text                   | anything                             | as it is; lists with commas, true as ya            |

A precision fixes the digits after the comma. Halves are rounded away from zero, as accounts are. Numbers may come as
text, as SQL results give those of more than 15 digits.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from typing import Any

from babel.dates import format_date
from babel.numbers import format_decimal
from num2words import num2words

from servers.common.phrases import phrases

LOCALE = "id_ID"
SAID = phrases("servers.placeholder")
NOTHING = SAID["nothing"]
MAX_DIGITS = 400
LARGEST_IN_WORDS = Decimal(10) ** 18


class UnfitError(ValueError):
    """The value can't be shown in this format; the text says why."""


def format_value(value: Any, kind: str, precision: int | None = None) -> str:
    """Format `value` as `kind`; null gives NOTHING for every kind. Raises UnfitError, also for an unknown kind."""
    try:
        form = FORMATS[kind]
    except KeyError:
        raise UnfitError(f"there is no type {kind!r}; the types are {', '.join(FORMATS)}") from None
    with localcontext(prec=2 * MAX_DIGITS + 50):  # the default precision of 28 digits would round longer numbers
        return NOTHING if value is None else form(value, precision)


def text(value: Any) -> str:
    """Return any value unformatted: numbers without exponent, lists with commas, true as ya, objects as JSON."""
    match value:
        case None:
            return NOTHING
        case bool():
            return SAID["true" if value else "false"]
        case float() | Decimal():
            return format(Decimal(repr(value)) if isinstance(value, float) else value, "f")
        case list():
            return ", ".join(text(each) for each in value)
        case dict():
            return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _currency(value: Any, precision: int | None) -> str:
    amount = _number(value)
    if precision is None:
        amount = _round(amount, 2)
        precision = 2 if amount % 1 else 0
    amount = _round(amount, precision)
    sign = "-" if amount < 0 else ""
    return f"{sign}Rp {_separated(abs(amount), precision)}"


def _integer(value: Any, precision: int | None) -> str:
    if precision:
        raise UnfitError("an integer has no digits after the comma; use number_with_separator")
    return str(_round(_number(value), 0))


def _percentage(value: Any, precision: int | None) -> str:
    amount = _number(value) * 100
    if precision is None:
        amount = _round(amount, 2)
    return f"{_separated(amount, precision)}%"


def _words(value: Any, precision: int | None) -> str:
    amount = _number(value)
    amount = _plain(amount) if precision is None else _round(amount, precision)
    if abs(amount) >= LARGEST_IN_WORDS:
        raise UnfitError("it is too large to be written in words")
    whole, _, rest = format(abs(amount), "f").partition(".")
    words = [num2words(int(whole), lang="id")]
    if amount < 0:
        words.insert(0, SAID["minus"])
    if rest:
        words += [SAID["comma"], *(num2words(int(digit), lang="id") for digit in rest)]
    return " ".join(words)


FORMATS: dict[str, Callable[[Any, int | None], str]] = {
    "currency_IDR": _currency,
    "number_with_separator": lambda value, precision: _separated(_number(value), precision),
    "integer": _integer,
    "percentage": _percentage,
    "date_DD_MMM_YYYY": lambda value, _: str(format_date(_date(value), "dd MMM yyyy", locale=LOCALE)),
    "date_long": lambda value, _: str(format_date(_date(value), "d MMMM yyyy", locale=LOCALE)),
    "terbilang": _words,
    "text": lambda value, _: text(value),
}


def _number(value: Any) -> Decimal:
    """Return the exact number; a float by its shortest decimal form, so that 0.1 is one tenth."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise UnfitError("it is not a number")
    try:
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        raise UnfitError("it is not a number") from None
    if not number.is_finite():
        raise UnfitError("it is not a finite number")
    if number.adjusted() > MAX_DIGITS or len(number.as_tuple().digits) > MAX_DIGITS:
        raise UnfitError("it has too many digits")
    return number


def _round(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP) + 0  # + 0 avoids "-0"


def _plain(number: Decimal) -> Decimal:
    """Strip trailing zeros, and the sign of a zero."""
    text = format(number, "f")
    return Decimal(text.rstrip("0").rstrip(".") if "." in text else text) + 0


def _separated(number: Decimal, precision: int | None) -> str:
    number = _plain(number) if precision is None else _round(number, precision)
    digits = len(format(number, "f").partition(".")[2])
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return str(format_decimal(number, format=pattern, locale=LOCALE))


def _date(value: Any) -> datetime.date:
    try:
        return datetime.datetime.fromisoformat(value.strip()).date()
    except (AttributeError, ValueError):  # it is no text, or no date
        raise UnfitError("it is not a date in ISO form (2023-01-15)") from None
