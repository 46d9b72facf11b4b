"""All that speaks against a plan which would run, for its planner and for the answer. Pure; each check has its file."""

from __future__ import annotations

from datetime import date

from agentd.apps.analytics import coverage
from agentd.apps.analytics.guarded_times import part_of_the_period
from agentd.apps.analytics.joins import codes_for_names, only_some
from agentd.apps.analytics.plan_dates import dates_for, other_dates, usable
from agentd.apps.analytics.planned import Plan
from agentd.apps.analytics.state import AgentState
from agentd.apps.analytics.understand_query import past_questions, periods_in


def doubts(state: AgentState, plan: Plan, today: date) -> list[str]:
    """Words of the question that the plan doesn't cover, and parts of the plan that the question doesn't ask for."""
    question, past = state["user_query"], past_questions(state)
    tables, joins = state.get("relevant_tables") or [], state.get("table_relationships")
    dates = usable(question, dates_for(question, periods_in(question, past, today), today))
    return [
        *coverage.uncovered(question, plan, past, tables),
        *part_of_the_period(plan, dates),
        *other_dates(question, plan, tables),
        *only_some(plan, joins),
        *codes_for_names(plan, tables, joins),
    ]
