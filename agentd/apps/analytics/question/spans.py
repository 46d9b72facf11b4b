"""Calendar periods: months, quarters, trailing days, the period before. Parses no words."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

from agentd.apps.analytics.state import TimePeriod
from agentd.apps.analytics.wording import labelled


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days, both ends included; None: open."""

    start: date | None
    end: date | None
    label: str

    def as_time_period(self) -> TimePeriod:
        """The period in the state's form."""
        return {
            "start_date": None if self.start is None else self.start.isoformat(),
            "end_date": None if self.end is None else self.end.isoformat(),
            "period_label": self.label,
        }


def previous(period: Period) -> Period | None:
    """The period of the same length before it: the month before a month, the year before a year."""
    if period.start is None or period.end is None:
        return None
    end = period.start - timedelta(days=1)
    for months in (1, 3, 6, 12):
        if period.start.day == 1 and period.end == months_later(period.start, months) - timedelta(days=1):
            start = months_later(period.start, -months)
            label = month_label(start) if months == 1 else str(start.year) if months == 12 else span_label(start, end)
            return Period(start, end, label)
    start = period.start - (period.end - period.start) - timedelta(days=1)
    return Period(start, end, span_label(start, end))


def month_label(day: date) -> str:
    """`Januari 2023`."""
    return f"{labelled(f'month_{day.month}')} {day.year}"


def month_period(first: date) -> Period:
    return Period(first, months_later(first, 1) - timedelta(days=1), month_label(first))


def quarter(number: int, in_year: str | None, today: date, year: int | None) -> Period:
    """A quarter of the year said with it, else of the question's `year`, else the latest that has begun by `today`."""
    wanted = int(in_year) if in_year else year
    if wanted is None:
        wanted = today.year if 3 * number - 2 <= today.month else today.year - 1
    start = date(wanted, 3 * number - 2, 1)
    return Period(start, months_later(start, 3) - timedelta(days=1), f"{labelled('quarter', number)} {wanted}")


def current(unit: str, day: date) -> Period:
    if unit == "day":
        return one_day(day)
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Period(start, start + timedelta(days=6), span_label(start, start + timedelta(days=6)))
    if unit == "month":
        return month_period(day.replace(day=1))
    if unit == "quarter":
        return quarter((day.month + 2) // 3, str(day.year), day, None)
    return Period(date(day.year, 1, 1), date(day.year, 12, 31), str(day.year))


def trailing(count: int, unit: str, today: date) -> Period:
    """The last `count` units up to and including today."""
    if unit in ("day", "week"):
        start = today - timedelta(days=count * (7 if unit == "week" else 1) - 1)
    else:
        start = months_later(today, -count * {"month": 1, "quarter": 3, "year": 12}[unit]) + timedelta(days=1)
    return Period(start, today, labelled(f"last_{unit}s", count))


def months_later(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    in_year, month = divmod(index, 12)
    return date(in_year, month + 1, min(day.day, calendar.monthrange(in_year, month + 1)[1]))


def one_day(day: date) -> Period:
    return Period(day, day, f"{day.day} {month_label(day)}")


def in_year_of(period: Period, year: int) -> Period:
    assert period.start is not None and period.end is not None
    shift = 12 * (year - period.start.year)
    start = months_later(period.start, shift)
    if period.start == period.end:
        return one_day(start)
    end = months_later(period.end + timedelta(days=1), shift) - timedelta(days=1)
    named = str(period.start.year) in period.label and period.start.year == period.end.year
    label = period.label.replace(str(period.start.year), str(year)) if named else span_label(start, end)
    return Period(start, end, label)


def span_label(start: date, end: date) -> str:
    whole = start.day == 1 and (end + timedelta(days=1)).day == 1
    if whole and start.year == end.year and start.month != end.month:
        return f"{labelled(f'month_{start.month}')} – {month_label(end)}"
    if whole:
        return f"{month_label(start)} – {month_label(end)}"
    return f"{start.day} {month_label(start)} – {end.day} {month_label(end)}"
