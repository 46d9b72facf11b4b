"""The dates that a plan may name, from the periods of its question. It reads no text for periods."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from agentd.apps.analytics.spans import Period, previous
from agentd.apps.analytics.vocabulary import finder


def dates_for(question: str, periods: list[Period], today: date) -> dict[str, str]:
    """The values of START_DATE and the like, for the periods that a question names.

    The period before is there for a question that compares one with it: "bulan lalu" is no comparison, and two named
    periods are compared with each other.
    """
    named: dict[str, date | None] = {"TODAY": today}
    if periods:
        first = periods[0]
        before = previous(first) if len(periods) == 1 and finder("compares").search(question) else None
        named |= {"START_DATE": first.start, "END_DATE": first.end}
        if before is not None:
            named |= {"PREV_START_DATE": before.start, "PREV_END_DATE": before.end}
        if first.start is None and first.end is not None:
            named["START_DATE"] = date(1900, 1, 1)
        if first.end is None and first.start is not None:
            named["END_DATE"] = today
    if len(periods) > 1:
        named |= {"START_DATE_2": periods[1].start, "END_DATE_2": periods[1].end}
    return {name: day.isoformat() for name, day in named.items() if day is not None}


def offered(question: str, dates: Mapping[str, str]) -> list[str]:
    """The dates that a planner sees: today's only where it counts, or a list is cut at today for no reason."""
    return [name for name in dates if name != "TODAY" or finder("by_today").search(question)]


def usable(question: str, dates: Mapping[str, str]) -> dict[str, str]:
    """The dates that a plan may write: today's not beside a period that has nothing to do with today."""
    return {name: dates[name] for name in offered(question, dates)} or dict(dates)
