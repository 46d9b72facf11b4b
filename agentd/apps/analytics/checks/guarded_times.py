"""Finds times of a plan that the question doesn't name, and times of the question that the plan omits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from sqlglot import exp

from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import DAY, of_kind
from agentd.apps.analytics.vocabulary import finder

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = re.compile(r"\b(?:19|20)\d\d-\d\d\b(?!-\d)")
"""A month, as in `LIKE '2023-01-%'` and `= '2023-01'`."""
_DATED = re.compile(r"'((?:19|20)\d\d)(?:-\d\d){0,2}[ T'%]")
"""A year at the start of a quoted date."""
OPEN = "1900-01-01"
"""The start date of a period without one (dates.py)."""


def other_months(select: Select, dates: Mapping[str, str]) -> Iterator[str]:
    """Months or quarters in conditions that are outside all periods: `MONTH(d) = 3` for the third quarter."""
    months: set[int] = set()
    for name, day in dates.items():
        if "START_DATE" in name and (last := dates.get(name.replace("START", "END"))):
            first, end = date.fromisoformat(day), date.fromisoformat(last)
            count = 12 * (end.year - first.year) + end.month - first.month + 1
            months |= {(first.month - 1 + place) % 12 + 1 for place in range(min(count, 12))}
    for equal in select.all(exp.EQ) if months else ():
        wide = _months_wide(equal.this)
        if wide and equal.expression.name.isdecimal():
            last_month = wide * int(equal.expression.name)
            if months.isdisjoint(range(last_month - wide + 1, last_month + 1)):
                yield f"{equal.sql(dialect='mysql')} lies outside the question's period; its dates alone bound it"


def _months_wide(part: exp.Expr) -> int:
    """How many months one value of an expression covers: MONTH(d), QUARTER(d), EXTRACT(MONTH FROM d), strftime('%m', d)
    or characters 6 and 7 of d. 0 for anything else."""
    part = part.find(exp.Month, exp.Quarter, exp.Extract, exp.TimeToStr, exp.Substring) or part
    if isinstance(part, exp.Substring):
        return int([part.text("start"), part.text("length")] == ["6", "2"])
    named = part.name.casefold() if isinstance(part, exp.Extract) else part.key
    named = part.text("format") if isinstance(part, exp.TimeToStr) else named
    return {"month": 1, "%m": 1, "quarter": 3}.get(named, 0)


def loosely_bound(question: str, plan: Plan) -> Iterator[str]:
    """Date conditions that don't bound as they seem to: `d >= '2023-01-01' OR d < '2023-02-01'` (always true), negated
    ones if the question negates nothing, and parts of a month such as `LIKE '2023-01-0%'`."""
    for either in plan.all(exp.Or):
        ends: dict[str, set[str]] = {}
        for side in either.flatten():
            if isinstance(side, exp.GT | exp.GTE | exp.LT | exp.LTE) and DAY.match(side.expression.name):
                ends.setdefault(side.this.sql(), set()).add(side.key[:2])
        if any(len(found) > 1 for found in ends.values()):
            yield either.sql()
    for each in plan.all(exp.Not) if not finder("restricts").search(question) else ():
        if not each.find(exp.Query) and any(DAY.match(day.name) for day in of_kind(each, exp.Literal)):
            yield each.sql()
    for like in plan.all(exp.Like):
        if re.match(r"(?:19|20)\d\d-(?:\d?|\d\d-\d)%", like.expression.name):
            yield like.sql()


def timeless_whole(plan: Plan) -> Iterator[str]:
    """Wholes of a quotient without the dates that its part has: a month's orders over all orders ever."""
    for quotient in (each for query in plan.results for each in query.all(exp.Div)):
        outer = quotient.find_ancestor(exp.Select)
        for whole in of_kind(quotient.expression, exp.Subquery):
            parts = [{each.name for each in of_kind(one, exp.Table)} for one in (whole.this, outer)]
            rest = sum(DAY.match(each.name) is not None for each in of_kind(outer, exp.Literal)) if outer else 0
            dated = any(DAY.match(each.name) for each in of_kind(whole, exp.Literal))
            if rest and not dated and parts[0] <= parts[1]:
                yield whole.sql()


def other_times(plan: Plan, dates: Mapping[str, str], said: str) -> Iterator[str]:
    """Years and days in conditions that are neither in the question nor in its dates; the day after a period may be its
    end. For a question without a time, only today is allowed."""
    named = {name: day for name, day in dates.items() if name != "TODAY"}
    after = [str(date.fromisoformat(day) + timedelta(days=1)) for day in dates.values()]
    asked = set(_YEAR.findall(" ".join([said, *dates.values(), *after] if named else [said])))
    for key, text in _values(plan) if named else _chosen(plan):
        text = text if named else text.replace(dates.get("TODAY", "-"), "")
        years = _YEAR.findall(text) if named else _DATED.findall(text)
        days = (
            DAY.findall(text) + [month for month in _MONTH.findall(text) if not _reaches(month, dates)] if named else []
        )
        if other := sorted(set(years) - asked):
            yield f"{key}: it asks for {', '.join(other)}, the question does not"
        elif outside := sorted({day for day in days if day not in said and not _within(day, dates, after)}):
            yield f"{key}: it asks for {', '.join(outside)}; the question's period has other bounds"


def part_of_the_period(plan: Plan, dates: Mapping[str, str]) -> Iterator[str]:
    """The days of a plan that covers only a part of the question's period (a quarter from its second month), or the
    period if no condition has a time. A balance needs only one day, open items need no end, and of nested periods
    either may be meant."""
    starts = [day for name, day in dates.items() if name.startswith("START")]
    ends = [day for name, day in dates.items() if name.startswith("END")]
    texts = " ".join(text for _, text in _values(plan))
    reads = bool(plan.tables)
    if reads and starts and ends and min(starts) != OPEN and not any(day[:4] in texts for day in dates.values()):
        yield f"{min(starts)} – {max(ends)}"
    found = set(DAY.findall(texts))
    if not found and starts and ends and (min(starts)[5:], max(ends)[5:]) != ("01-01", "12-31") and min(starts) != OPEN:
        parts = plan.all(exp.EQ, exp.In, exp.Between, exp.GTE, exp.LTE, exp.GT, exp.LT)
        if reads and not _MONTH.search(texts) and not any(_months_wide(each.this) for each in parts):
            yield f"{min(starts)} – {max(ends)}"
    days = sorted(found - {dates.get("TODAY")})
    if not (days and starts and ends) or min(starts) == OPEN or max(ends) == dates.get("TODAY"):
        return
    after = [str(date.fromisoformat(day) + timedelta(days=1)) for day in ends]
    yield from _left_aside(days, dates)
    kept = " ".join(each.name for each in plan.all(exp.Table, exp.Column))
    equal = {each.expression.name for each in plan.all(exp.EQ)}
    alone = {*starts} ^ {*ends} if not finder("balances").search(kept) else set()
    if single := [day for day in days if day in alone & equal]:
        yield ", ".join(single)
    if days[0] in starts and days[-1] in (*ends, *after):
        return
    if min(starts) < days[0] < max(ends) or min(starts) < days[-1] < max(ends):
        yield f"{days[0]} – {days[-1]}"


def _left_aside(days: list[str], dates: Mapping[str, str]) -> Iterator[str]:
    """Periods of the question that none of the plan's days reaches, if it names two disjoint ones."""
    named = [(dates[f"START_DATE{nth}"], dates[f"END_DATE{nth}"]) for nth in ("", "_2") if f"END_DATE{nth}" in dates]
    apart = len(named) == 2 and (named[0][1] < named[1][0] or named[1][1] < named[0][0])
    for start, end in named if apart else ():
        if end < days[0] or days[-1] < start:
            yield f"{start} – {end}"


def _chosen(plan: Plan) -> Iterator[tuple[str, str]]:
    """(result key, the quoted dates and years in its conditions)."""
    for query in plan.selects:
        parts = list(query.all(exp.Where, exp.Having, exp.Join))
        numbers = [equal for part in parts for equal in of_kind(part, exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)]
        years = [each.expression.name for each in numbers if _is_year(each.this)]
        texts = [each.name for part in parts for each in of_kind(part, exp.Literal) if each.is_string]
        yield query.key, " ".join(f"'{each}'" for each in (*texts, *years))


def _is_year(side: exp.Expr) -> bool:
    """Whether an expression is YEAR(d), EXTRACT(YEAR FROM d) or a column called `year`."""
    extracts = any(each.name.casefold() == "year" for each in of_kind(side, exp.Extract, exp.Column))
    return extracts or side.find(exp.Year) is not None


def _reaches(month: str, dates: Mapping[str, str]) -> bool:
    """Whether a month overlaps the range of the question's dates."""
    days = [day for name, day in dates.items() if name != "TODAY"]
    return min(days)[:7] <= month <= max(days)[:7]


def _within(day: str, dates: Mapping[str, str], after: list[str]) -> bool:
    """Whether a day is a bound of one of the question's periods or of a month within them."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return len(day) > len("2023-01")  # the database rejects an invalid day
    bound = day in dates.values() or day in after or 1 in (found.day, (found + timedelta(days=1)).day)
    return bound and min(dates.values()) <= day <= max(after)


def not_yet(plan: Plan, today: str) -> Iterator[str]:
    """The first day of each query that reads only dates after today."""
    for _, text in _chosen(plan):
        if (days := DAY.findall(text)) and min(days) > today:
            yield min(days)


def unlimited(plan: Plan, dates: Mapping[str, str], schema: Schema) -> str:
    """The results of a plan that reads dated tables without any date condition; "" if there is one."""
    texts = dict(_values(plan))
    years = {value[:4] for value in dates.values()}
    dated = any(_YEAR.search(text) or any(year in text for year in years) for text in texts.values())
    reads = any(table.of_kind("temporal") for table in schema.only(plan.tables).tables)
    return "" if dated or not reads else ", ".join(texts) or "the plan"


def _values(plan: Plan) -> Iterator[tuple[str, str]]:
    """(result key, all literals of its query)."""
    parsed = (query for query in plan.selects if query.tree)
    return ((query.key, " ".join(each.name for each in query.all(exp.Literal))) for query in parsed)
