"""The dates that a plan may use, from the question's periods, and the columns they are compared with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from sqlglot import exp

from agentd.apps.analytics.checks.unknown_words import said_in
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.spans import Period, previous
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.tree import DAY, of_kind
from agentd.apps.analytics.vocabulary import finder, phrase_finder, topics_of, vocabulary, words_of

_WHOLE = re.compile(r"(TINY|SMALL|MEDIUM|BIG)?INT(EGER)?\b")
_OTHER_FORM = re.compile(r"\b\d\d?[/.-]\d\d?[/.-]\d{4}\b|\b(19|20)\d{6}\b")
"""A day in a column's description that is not written year-month-day with dashes."""


def dates_for(question: str, periods: list[Period], today: date) -> dict[str, str]:
    """The values of START_DATE and the like, for the periods that a question names.

    The previous period is included only for a comparison with one period: "bulan lalu" isn't a comparison, and two
    named periods are compared with each other.
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


def undated(plan: str, dates: Mapping[str, str]) -> str:
    """A plan's JSON with the question's dates replaced by their names, so that it can be reused for other times."""
    for name, day in dates.items():
        if name.partition("_2")[0].endswith("END_DATE"):  # includes the whole day: sql_edits.whole_days
            after = date.fromisoformat(day) + timedelta(days=1)
            plan = plan.replace(f"< '{after}'", f"<= '{{{name}}}'")
        plan = re.sub(rf"""(['"]){day}(?: 23:59:59\.999999)?\1""", rf"\1{{{name}}}\1", plan)
    return plan


def offered(question: str, dates: Mapping[str, str]) -> list[str]:
    """The dates shown to a planner: today's only if the question needs it, else lists would end today needlessly."""
    return [name for name in dates if name != "TODAY" or finder("by_today").search(question)]


def usable(question: str, dates: Mapping[str, str]) -> dict[str, str]:
    """The dates that a plan may use: today's only if it is offered or the only one."""
    return {name: dates[name] for name in offered(question, dates)} or dict(dates)


def other_dates(question: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """Date columns that a plan compares instead of the table's main `date`, although no word of the question means
    them: what was shipped in May, for what was ordered."""
    counting = {name: table for name, table in schema.by_name.items() if table.date}
    for select in (each for query in plan.results for each in query.selects) if counting else ():
        read = [table for each in select.all(exp.Table) if (table := counting.get(each.name.casefold()))]
        columns = (column for table in read for column in table.columns if column.kind == "temporal")
        dates = {column.name.casefold(): column.description for column in columns}
        counted = {table.date.casefold() for table in read}
        compared = {each.name for part in select.conditions for each in of_kind(part, exp.Column)}
        if not {name.casefold() for name in compared} & counted:
            others = sorted(name for name in compared if name.casefold() in dates)
            yield from (name for name in others if not _meant(name, dates[name.casefold()], question))


def partly_dated(plan: Plan, schema: Schema) -> Iterator[str]:
    """The main `date` of tables from which a result takes all rows, if another result of the plan has days: all rentals
    beside the revenue of August. Of tables that weren't consulted, their names."""
    counting = {name: table.date for name, table in schema.by_name.items()}
    whole = [one for one in plan.results if not any(DAY.match(each.name) for each in one.all(exp.Literal))]
    for one in whole if any(counting.values()) and len(whole) < len(plan.results) else ():  # an own database
        yield from (day for name in sorted(one.tables) if (day := counting.get(name, name)))


def _meant(name: str, about: str, question: str) -> bool:
    """Whether the question has a word, topic or phrase of the column's name or description."""
    words = f"{words_of(name)} {about.casefold()}"
    said = question.casefold()
    phrases = (phrase for phrase, parts in vocabulary().columns.items() if re.search(parts, name, re.IGNORECASE))
    return (
        any(said_in(word, said) for word in re.findall(r"[^\W\d_]{4,}", finder("dates").sub(" ", words)))
        or bool(topics_of(words) & topics_of(question))
        or any(phrase_finder(phrase).search(question) for phrase in phrases)
    )


def days_otherwise(plan: Plan, schema: Schema) -> Iterator[str]:
    """Each query's columns that hold days in another form, as text (31/01/2023) or as numbers (20230131), and are
    compared with a day as they are, so that no row is found; one sentence each."""
    for query in plan.results:
        compared = ([*each.iter_expressions()] for each in query.all(exp.Predicate))
        dated = (both for both in compared if any(side.is_string and DAY.match(side.name) for side in both))
        names = {side.name.casefold() for both in dated for side in both if isinstance(side, exp.Column)}
        for column in schema.only(query.tables).columns:
            whole = _WHOLE.match(column.type) or _OTHER_FORM.search(column.description)
            if column.name.casefold() in names and column.kind != "temporal" and whole:
                fault = f"{query.key}: {column.name} is no date ({column.description or column.type})"
                yield f"{fault}; convert it to one before it is compared with days"
