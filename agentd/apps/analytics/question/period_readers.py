"""Interprets one matched time expression by its named groups. periods.py finds the expressions.

Each reader returns the period, and whether the expression names its year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from agentd.agent.languages import words
from agentd.apps.analytics.question.spans import (
    Period,
    current,
    month_period,
    months_later,
    one_day,
    quarter,
    span_label,
    trailing,
)
from agentd.apps.analytics.vocabulary import listed, vocabulary
from agentd.apps.analytics.wording import labelled

_Part = dict[str, str]
_SAID = vocabulary()
MONTH_WORDS = {**{name: number for number, names in enumerate(words().months, 1) for name in names}, **_SAID.months}
NUMBERS = {
    **{word: number for word, number in words().digits.items() if number},
    **{word: number for word, number in words().numbers.items() if number <= 12},
    **{word: number for word, number in words().ordinals.items() if number <= 4},
    **{word: number for number, word in enumerate("i ii iii iv".split(), 1)},
    **_SAID.ordinals,
}


def read(match: re.Match[str], today: date, year: int | None) -> tuple[Period, bool] | None:
    """(the period of one expression, whether it names its year); None if there is no such day."""
    part = {key: value.casefold() for key, value in match.groupdict().items() if value is not None}
    reads = next(reads for group, reads in _READERS.items() if group in part)
    try:
        return reads(part, today, year)
    except ValueError:  # no such day: 31 Februari
        return None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word]


def _month(name: str, in_year: str | None, today: date, year: int | None) -> date:
    """The first day of a month: in the year said, the year of the conversation, or the latest that has begun."""
    number = MONTH_WORDS[name]
    if in_year is not None:
        return date(int(in_year), number, 1)
    if year is not None:
        return date(year, number, 1)
    return date(today.year if number <= today.month else today.year - 1, number, 1)


def _day(part: _Part, today: date, year: int | None) -> tuple[Period, bool]:
    month = _month(part["dm"], part.get("dy"), today, year)
    return one_day(date(month.year, month.month, int(part["d"]))), "dy" in part


def _numbered_day(part: _Part, *_: object) -> tuple[Period, bool]:
    day, number, in_year = map(int, re.split(r"[/.-]", part["dmy"]))
    return one_day(date(in_year, number, day)), True


def _edge(part: _Part, today: date, year: int | None) -> tuple[Period, bool]:
    month = _month(part["em"], part.get("ey"), today, year)
    first = part["edge"] in listed("begins")
    return one_day(month if first else months_later(month, 1) - timedelta(days=1)), "ey" in part


def _until_today(part: _Part, today: date, _: int | None) -> tuple[Period, bool]:
    name, __, in_year = part.get("ytdm", "").rpartition(" ")
    start = date(int(in_year), MONTH_WORDS[name], 1) if name else date(today.year, 1, 1)
    return Period(start, today, span_label(start, today)), True


def _numbered_month(part: _Part, *_: object) -> tuple[Period, bool]:
    number, in_year = map(int, part["my"].split("/"))
    return month_period(date(in_year, number, 1)), True


def _quarter(part: _Part, today: date, year: int | None) -> tuple[Period, bool]:
    number, said = _number(part.get("q") or part["oq"]), part.get("qy") or part.get("oqy")
    return quarter(number, said, today, year), bool(said)


def _semester(part: _Part, today: date, year: int | None) -> tuple[Period, bool]:
    in_year = int(part["sy"]) if "sy" in part else year or today.year
    number = _number(part["s"])
    start = date(in_year, 6 * number - 5, 1)
    end, label = months_later(start, 6) - timedelta(days=1), f"{labelled('half', number)} {in_year}"
    return Period(start, end, label), "sy" in part


def _trailing(part: _Part, today: date, _: int | None) -> tuple[Period, bool]:
    return trailing(_number(part.get("n") or part["ln"]), _SAID.units[part.get("nu") or part["lu"]], today), True


def _this(part: _Part, today: date, _: int | None) -> tuple[Period, bool]:
    return current(_SAID.units[part.get("tu") or part["etu"]], today), True


def _last(part: _Part, today: date, _: int | None) -> tuple[Period, bool]:
    unit = _SAID.units[part.get("pu") or part["epu"]]
    if unit == "day":
        return one_day(today - timedelta(days=1)), True
    before = current(unit, today).start
    assert before is not None
    return current(unit, before - timedelta(days=1)), True


def _next(part: _Part, today: date, _: int | None) -> tuple[Period, bool]:
    unit = _SAID.units[part.get("xu") or part["exu"]]
    end = today if unit == "day" else current(unit, today).end
    assert end is not None
    after = end + timedelta(days=1)
    return one_day(after) if unit == "day" else current(unit, after), True


def _year(number: int) -> Period:
    return Period(date(number, 1, 1), date(number, 12, 31), str(number))


_READERS: Mapping[str, Callable[[_Part, date, int | None], tuple[Period, bool]]] = {
    "iso": lambda part, *_: (one_day(date(*map(int, part["iso"].split("-")))), True),
    "dmy": _numbered_day,
    "edge": _edge,
    "ytd": _until_today,
    "d": _day,
    "md": lambda part, *_: (one_day(date(int(part["mdy"]), MONTH_WORDS[part["md"]], int(part["mdd"]))), True),
    "ym": lambda part, *_: (month_period(date.fromisoformat(f"{part['ym']}-01")), True),
    "my": _numbered_month,
    "m": lambda part, today, year: (month_period(_month(part["m"], part.get("y"), today, year)), "y" in part),
    "q": _quarter,
    "oq": _quarter,
    "s": _semester,
    "n": _trailing,
    "ln": _trailing,
    "tu": _this,
    "etu": _this,
    "pu": _last,
    "epu": _last,
    "xu": _next,
    "exu": _next,
    "today": lambda _, today, *__: (one_day(today), True),
    "yesterday": lambda _, today, *__: (one_day(today - timedelta(days=1)), True),
    "tomorrow": lambda _, today, *__: (one_day(today + timedelta(days=1)), True),
    "year": lambda part, *_: (_year(int(part["year"])), True),
}
"""The reader for an expression, by the first of these groups that it contains."""
