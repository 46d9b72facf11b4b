"""Node 3, `plan_execution`: plans queries or operations and a narrative with placeholders. Runs no plan.

The database checks the plan first (EXPLAIN, or an operation with limit 0), and its errors go back to the model once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

from sqlglot import exp

from agentd.apps.analytics import servers
from agentd.apps.analytics.checks import currencies
from agentd.apps.analytics.checks.dates import dates_for, offered, usable
from agentd.apps.analytics.checks.doubts import doubts, refusals, said_of
from agentd.apps.analytics.checks.joins import without_details
from agentd.apps.analytics.checks.limits import lists_for_one
from agentd.apps.analytics.nodes.clarifying import without_period
from agentd.apps.analytics.nodes.consult_schema import asked
from agentd.apps.analytics.nodes.execute_query import OPERATIONS_TOOL
from agentd.apps.analytics.nodes.node_context import CallFailed, NodeContext
from agentd.apps.analytics.nodes.understand_query import known_plan
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.planner.conversion import lacks_columns, read_plan
from agentd.apps.analytics.planner.entries import Unreadable
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.planner.request import corrected, messages_for
from agentd.apps.analytics.planner.schema import plan_schema
from agentd.apps.analytics.planner.template import worded_truly
from agentd.apps.analytics.question.periods import periods_in, timeless
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, NodeFailed, past_questions
from agentd.apps.analytics.wording import say_for
from agentd.errors import ProviderFailure, ProviderUnavailable
from agentd.messages import ChatMessage

EXPLAIN_TOOL = "explain_query"
FOUND = ("relevant_tables", "table_relationships")
MAX_TOKENS = {"simple": 700, "medium": 900, "complex": 1400}
"""By query_complexity."""
REPAIRS = 2
"""One for a model held to a grammar: a second repair fixed none of four plans and took up to 90 s."""
SLOW_S = 60.0
"""A plan that took longer goes back only if it is wrong, not if it is doubtful."""
_DENIED = re.compile(r"denied .*\b(?:table|view) (\S+).*\((?:1142|1143|42501)\)$")
"""A database's error for a table that its account may not read."""


async def plan_execution(state: AgentState, context: NodeContext, examples: ExampleLibrary) -> dict[str, Any]:
    """The plan, repaired (at most REPAIRS times, by a held model once) if it is wrong or the database rejects it.

    Raises NodeFailed: no plan, no fitting data, no right to read it (`failed_planning`), or the period is missing.
    """
    metrics = state.get("requested_metrics") or []
    if lacks_columns(metrics, state.get("financial_columns"), state.get("temporal_columns")):
        lacking, say = f"no column fits {', '.join(metrics)}", say_for(state["user_query"])
        raise NodeFailed(say["no_data_fits"], lacking, validation_status="failed_planning")
    today, past, found = context.clock.now().date(), past_questions(state), state.get("relevant_tables")
    state = state.copy()  # tables that only a plan reads are added to it
    dates = dates_for(state["user_query"], periods_in(state["user_query"], past, today), today)
    messages = messages_for(state, dates, examples, brief=_is_held(context))
    began = context.clock.monotonic()
    known, plan, faults = known_plan(state, examples), None, ["no plan is known"]
    if known is not None:
        plan, faults = await _checked(known, state, context, dates)
    if plan is not None and not faults:
        plan = replace(plan, derived=["planned as approved before", *plan.derived])
    else:
        plan, faults = await _planned(state, context, messages, dates)
    slow, first, written = context.clock.monotonic() - began > SLOW_S, plan, context.said
    for turn in range(1 if _is_held(context) else REPAIRS):
        if not faults or ((turn or slow) and plan is not None and faults == plan.doubts):
            break  # mere doubts get one repair, none after a long wait; the answer mentions them
        sent_back = corrected(messages, written, faults)
        try:
            repaired, still = await _planned(state, context, sent_back, dates, again=True)
        except NodeFailed:
            if plan is None or plan.fatal:
                raise
            break
        better = repaired is not None and (plan is None or plan.fatal or not repaired.fatal)
        if better and repaired == plan:
            break  # the model would repeat the same plan again
        plan, faults, written = (repaired, still, context.said) if better else (plan, faults, written)
    if plan is None or plan.fatal:
        raise _failed(state, plan, faults, today)
    period = state.get("time_period")
    called = str(period["period_label"]) if period else ""
    worded = worded_truly(plan, state["user_query"], called, Schema.of(state))
    before = [said] if (said := state.get("technical_error_details")) else []
    again = plan is not first and _is_held(context)
    further = {key: state.get(key) for key in FOUND} if state.get("relevant_tables") is not found else {}
    return {**replace(worded, derived=[*before, *worded.derived]).changes(), "plan_written_again": again, **further}


def _failed(state: AgentState, plan: Plan | None, faults: list[str], today: date) -> NodeFailed:
    """Why there is no plan, with a question back if only the period is missing."""
    say, reasons = say_for(state["user_query"]), "; ".join(faults)
    if plan is None or not plan.needs_period:
        mixed = plan is not None and currencies.mixed(plan, Schema.of(state))
        return NodeFailed(say["currencies" if mixed else "no_plan"], reasons, validation_status="failed_planning")
    back = dict(without_period(state["user_query"], today))
    return NodeFailed(say["no_period"], reasons, validation_status="failed_planning", clarification=back)


async def _planned(
    state: AgentState,
    context: NodeContext,
    messages: list[ChatMessage],
    dates: dict[str, str],
    *,
    again: bool = False,
) -> tuple[Plan | None, list[str]]:
    """One plan of the model with its faults; None as the plan if the reply can't be parsed."""
    try:
        value = await context.ask(
            messages,
            plan_schema(state, offered(state["user_query"], dates), brief=_is_held(context), may_be_empty=not again),
            max_tokens=MAX_TOKENS[state.get("query_complexity") or "simple"],
        )
    except (ProviderFailure, ProviderUnavailable) as error:
        say = say_for(state["user_query"])
        raise NodeFailed(
            say["no_plan"], f"LLM call failed in plan_execution: {error}", validation_status="failed_planning"
        ) from error
    except Unreadable as error:
        return None, [str(error)]
    return await _checked(value, state, context, dates)


async def _checked(
    value: dict[str, Any], state: AgentState, context: NodeContext, dates: dict[str, str]
) -> tuple[Plan, list[str]]:
    """A plan as written, corrected where that is safe, with its faults."""
    today = context.clock.now().date()
    say, said, named = say_for(state["user_query"]), said_of(state), usable(state["user_query"], dates)
    plan = read_plan(value, state["plan_style"], named, said, Schema.of(state))
    if plan.empty:
        raise NodeFailed(say["no_data_fits"], "the model planned no query", validation_status="failed_planning")
    if await _consulted_too(state, context, plan):
        plan = read_plan(value, state["plan_style"], named, said, Schema.of(state))
    schema = Schema.of(state)
    plan = without_details(plan, schema)
    silent = refusals(state, plan, today)
    plan = replace(currencies.unlabelled(plan, schema), fatal=[*plan.fatal, *silent])
    refused = [] if plan.fatal else await _refused(plan, context)
    if denied := next(filter(None, map(_DENIED.search, refused)), None):  # another plan can't fix that
        table = denied[1].rpartition(".")[2].strip("`")
        raise NodeFailed(
            say["denied"].format(table=table),
            denied.string,
            validation_status="failed_planning",
            suggestions=[say["grant"].format(table=table)],
        )
    unmet = doubts(state, plan, today)
    apart = ", ".join([*unmet, *lists_for_one(plan, timeless(state["user_query"])).values()])
    asks = [f"question and plan do not agree on {apart}"] if apart else []
    plan = replace(plan, doubts=[*plan.doubts, *asks], unmet=unmet)
    return plan, [*plan.fatal, *refused, *plan.doubts]


async def _consulted_too(state: AgentState, context: NodeContext, plan: Plan) -> bool:
    """Whether the plan reads tables that the search did not find for the question; they are added to the state, so that
    every check knows them."""
    known, joined = state.get("relevant_tables") or [], state.get("table_relationships") or []
    made = {each.alias for each in plan.all(exp.CTE)}
    read = {each.name for each in plan.all(exp.Table)} - made
    lacking = {each.casefold() for each in read} - {str(each["table_name"]).casefold() for each in known}
    try:
        answer = (await asked(state, context, sorted(read)))[0] if lacking else {}
    except NodeFailed:
        return False  # the checks doubt tables that they don't know
    found = (each for each in answer.get("relevant_tables") or () if each["table_name"].casefold() in lacking)
    if further := [{**each, "unasked": True} for each in found]:
        there = {each["table_name"] for each in (*known, *further)}
        joins = (each for each in answer["table_relationships"] if {each["from_table"], each["to_table"]} <= there)
        state["relevant_tables"] = [*known, *further]
        state["table_relationships"] = [*joined, *(each for each in joins if each not in joined)]
    return bool(further)


def _is_held(context: NodeContext) -> bool:
    """Whether a grammar constrains the model: such a model runs locally, writes slowly and is asked for less."""
    return context.ports.model.state().constraint == "grammar"


async def _refused(plan: Plan, context: NodeContext) -> list[str]:
    """The database's errors for the plan; empty if it can't be asked now (the next node will report that)."""
    if plan.operations:
        return await _refused_operations(plan, context)
    if not context.offers(servers.SQL, EXPLAIN_TOOL):
        return []
    refused: list[str] = []
    for query in plan.selects:
        try:
            answer = await context.call(servers.SQL, EXPLAIN_TOOL, {"sql_query": query.text.rstrip("; ")}, retry=False)
        except CallFailed:
            return []
        if answer.get("status") == "error":
            if answer.get("cause"):
                return []
            refused.append(f"{query.key}: {answer.get('error_message')}")
    return refused


async def _refused_operations(plan: Plan, context: NodeContext) -> list[str]:
    trial = [{**operation, "limit": 0} for operation in plan.operations]
    if not context.offers(servers.OPERATIONS, OPERATIONS_TOOL):
        return []
    try:
        answer = await context.call(servers.OPERATIONS, OPERATIONS_TOOL, {"operations": trial}, retry=False)
    except CallFailed:
        return []
    results = answer.get("results")
    return [
        f"{name}: {result.get('error')}"
        for name, result in (results.items() if isinstance(results, dict) else ())
        if isinstance(result, dict) and result.get("status") == "error" and not result.get("cause")
    ]
