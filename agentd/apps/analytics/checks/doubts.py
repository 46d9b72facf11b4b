"""Collects everything that speaks against a plan that would run, for the planner and the answer. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from agentd.apps.analytics.answer.rules import number
from agentd.apps.analytics.checks import coverage, currencies
from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.checks.dates import dates_for, days_otherwise, other_dates, partly_dated, usable
from agentd.apps.analytics.checks.guarded_times import loosely_bound, not_yet, part_of_the_period, timeless_whole
from agentd.apps.analytics.checks.guards import invented_keys, silent_mistakes
from agentd.apps.analytics.checks.joins import codes_for_names, misjoined, only_some, unexplained_joins, united_twice
from agentd.apps.analytics.checks.misplaced import misplaced
from agentd.apps.analytics.checks.reckoning import altered
from agentd.apps.analytics.checks.unknown_words import unknown_words
from agentd.apps.analytics.plan import Plan, as_written, qualified, text_of
from agentd.apps.analytics.question.other_names import as_planned
from agentd.apps.analytics.question.periods import periods_in
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, past_questions


def refusals(state: AgentState, plan: Plan, today: date) -> list[str]:
    """Errors that a database would execute silently, one sentence each; a plan with one isn't run."""
    schema, said = Schema.of(state), " ".join(said_of(state))
    read = qualified(plan, schema)
    found = silent_mistakes(read, _dates(state, state["user_query"], today), said, schema)
    found += [*misjoined(read, schema), *currencies.mixed(read, schema)]
    return [*found, *invented_keys(read, schema, said), *days_otherwise(read, schema)]


def of_the_answer(state: AgentState, plan: Plan, today: date, values: Iterable[Any]) -> list[str]:
    """The plan's unmet doubts, unjustified parts, and what the figures (`values`) make doubtful; each once."""
    question, schema, figures = as_planned(state["user_query"], text_of(plan)), Schema.of(state), list(values)
    read = qualified(plan, schema)
    words = [*plan.unmet, *unknown_words(question, read, schema), *coverage.not_found(read, figures, schema)]
    words += not_yet(read, today.isoformat()) if any(number(each) == 0 for each in figures) else ()
    return as_written([*words, *unaccounted(question, read, schema, today, past_questions(state))], plan)


def doubts(state: AgentState, plan: Plan, today: date) -> list[str]:
    """Words of the question that the plan doesn't cover, and parts of the plan that the question doesn't ask for."""
    question, past, schema = as_planned(state["user_query"], text_of(plan)), past_questions(state), Schema.of(state)
    read = qualified(plan, schema)
    found = [
        *coverage.uncovered(question, read, past, schema),
        *part_of_the_period(read, _dates(state, question, today)),
        *loosely_bound(question, read),
        *timeless_whole(read),
        *altered(question, read, schema),
        *misplaced(read),
        *other_dates(question, read, schema),
        *partly_dated(read, schema),
        *currencies.half_converted(read, schema),
    ]
    for query in read.selects:
        found += [*only_some(query, schema), *unexplained_joins(query, schema), *united_twice(query)]
    found += [code for query in read.results for code in codes_for_names(question, query, schema)]
    return as_written(found, plan)


def said_of(state: AgentState) -> list[str]:
    """The question, and the texts of its period."""
    return [state["user_query"], *(str(each) for each in (state.get("time_period") or {}).values() if each)]


def _dates(state: AgentState, question: str, today: date) -> dict[str, str]:
    return usable(question, dates_for(question, periods_in(question, past_questions(state), today), today))
