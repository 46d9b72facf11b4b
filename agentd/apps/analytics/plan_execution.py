"""Node 3, `plan_execution`: queries or operations, and a narrative with placeholders. Runs no plan.

The database judges the plan before it runs (EXPLAIN; an operation with limit 0 reads nothing either), and what it says
goes back to the model once.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from agentd.apps.analytics import currencies, servers
from agentd.apps.analytics.clarifying import without_period
from agentd.apps.analytics.doubts import doubts, refusals
from agentd.apps.analytics.examples import ExampleLibrary, as_asked
from agentd.apps.analytics.execute_query import OPERATIONS_TOOL
from agentd.apps.analytics.formats import type_of
from agentd.apps.analytics.joins import pairs, spelled, without_details
from agentd.apps.analytics.limits import lists_for_one
from agentd.apps.analytics.node_context import CallFailed, NodeContext
from agentd.apps.analytics.own_examples import examples_of
from agentd.apps.analytics.periods import timeless
from agentd.apps.analytics.plan import lacks_columns, read_plan
from agentd.apps.analytics.plan_dates import dates_for, offered, usable
from agentd.apps.analytics.plan_schema import plan_schema
from agentd.apps.analytics.plan_words import worded_truly
from agentd.apps.analytics.planned import Plan
from agentd.apps.analytics.reading import Unreadable
from agentd.apps.analytics.select_pattern import MONTHS
from agentd.apps.analytics.sql import quoted
from agentd.apps.analytics.state import AgentState, NodeFailed
from agentd.apps.analytics.understand_query import past_questions, periods_in
from agentd.apps.analytics.wording import say_for
from agentd.errors import ProviderFailure, ProviderUnavailable
from agentd.messages import ChatMessage

EXPLAIN_TOOL = "explain_query"
MAX_TOKENS = {"simple": 700, "medium": 900, "complex": 1400}
"""By query_complexity."""
REPAIRS = 2
"""Of a model held to a grammar one: a second repair made none of four plans right and cost up to 90 s."""
SLOW_S = 60.0
"""A plan that took longer goes back only where it is wrong, not where it is in doubt."""
PURPOSE_CHARS, COMMENT_CHARS = 80, 40
"""What a table is for tells a small model receivables from payables."""
_DENIED = re.compile(r"denied .*\b(?:table|view) (\S+).*\((?:1142|1143|42501)\)$")
"""What a database says of a table that its account may not read."""
SAMPLES = 3
"""So many of a column's sample values are shown."""
DATABASES = {"mysql": "MariaDB/MySQL", "postgres": "PostgreSQL", "sqlite": "SQLite"}
"""The names by which the planner knows the dialects of own databases; MONTHS says how each writes a month."""
EXAMPLES_SHOWN = {"sql": 3, "operations": 2}

_COMMON = (
    "Use only the tables and columns given. Dates: write only those that `dates` lists ('{START_DATE}' "
    "and '{END_DATE}' are the question's period, PREV_ the one before, _2 a second one it names); write no dates "
    "when the question names no time. response_template is the answer in the "
    "question's language; it never holds a number: every value is a {PLACEHOLDER} named after a result key or alias, "
    "{PERIOD_LABEL} is the period. Join no table that the "
    "figures do not need. Plan nothing only when no table has to do with the question. A question of several parts has "
    "a result for each part, and response_template says each. Never compare in words of your own: {COMPARE NEW OLD}, "
    "{TREND ROWS}, {TOP ROWS}, {RANK ROWS} and {SHARE PART WHOLE} are worded from the results. You may add "
    "placeholder_mapping (placeholder: its format), validation_rules_for_results (such as 'TOTAL >= 0')"
)
SYSTEMS = {
    "sql": (
        "You plan SQL for a company's database. Answer with one JSON object: sql_queries_plan (one SELECT for each "
        "figure, result_key in capitals; a list or ranking is one SELECT of several rows), response_template. "
        "Plan only the figures asked for: `berapa` or `how many` of a thing (invoices, orders, customers) is COUNT(*), "
        "`total` and `nilai` are a SUM of an amount, `per` is GROUP BY. A date is in the table that lists it; join it. "
        + _COMMON
        + " and raw_data_query_plan (one SELECT of the rows behind the figures, where the question wants details)."
    ),
    "operations": (
        "You plan database operations, never SQL. Answer with one JSON object: operations (each one described SELECT; "
        "columns without aggregation are grouped by; is_expression is true for a calculation), response_template. "
        + _COMMON
        + "."
    ),
}


class PlanExecution:
    """The node, with the examples it shows."""

    def __init__(self, examples: ExampleLibrary) -> None:
        self._examples = examples

    async def __call__(self, state: AgentState, context: NodeContext) -> dict[str, Any]:
        """The plan, repaired (at most REPAIRS times, a held one once) when it is wrong or the database refuses it.

        Raises NodeFailed: no plan, no fitting data, no right to read it (`failed_planning`), or the period asked back.
        """
        say = say_for(state["user_query"])
        metrics = state.get("requested_metrics") or []
        if lacks_columns(metrics, state.get("financial_columns"), state.get("temporal_columns")):
            raise NodeFailed(
                say["no_data_fits"], f"no column fits {', '.join(metrics)}", validation_status="failed_planning"
            )
        today = context.clock.now().date()
        past = past_questions(state)
        dates = dates_for(state["user_query"], periods_in(state["user_query"], past, today), today)
        messages = self._messages(state, dates, brief=_is_held(context))
        began = context.clock.monotonic()
        plan, faults = await self._planned(state, context, messages, dates)
        slow, first = context.clock.monotonic() - began > SLOW_S, plan
        for turn in range(1 if _is_held(context) else REPAIRS):
            if not faults or ((turn or slow) and plan is not None and faults == plan.doubts):
                break  # what may be right costs one turn, and none where the asker waited long: the answer says it
            asked_again = _corrected(messages, plan, faults)
            try:
                repaired, still = await self._planned(state, context, asked_again, dates, again=True)
            except NodeFailed:
                if plan is None or plan.fatal:
                    raise
                break
            better = repaired is not None and (plan is None or plan.fatal or not repaired.fatal)
            if better and repaired == plan:
                break  # the same plan once more would be said a third time
            plan, faults = (repaired, still) if better else (plan, faults)
        if plan is None or plan.fatal:
            if plan is not None and plan.needs_period:
                back = without_period(state["user_query"], today)
                raise NodeFailed(
                    say["no_period"], "; ".join(faults), validation_status="failed_planning", clarification=dict(back)
                )
            raise NodeFailed(say["no_plan"], "; ".join(faults), validation_status="failed_planning")
        worded = worded_truly(plan, state["user_query"])
        before = [said] if (said := state.get("technical_error_details")) else []
        again = plan is not first and _is_held(context)
        return {**replace(worded, derived=[*before, *worded.derived]).changes(), "plan_written_again": again}

    async def _planned(
        self,
        state: AgentState,
        context: NodeContext,
        messages: list[ChatMessage],
        dates: dict[str, str],
        *,
        again: bool = False,
    ) -> tuple[Plan | None, list[str]]:
        """One plan of the model with its faults; no plan when the reply cannot be read."""
        period, say = state.get("time_period"), say_for(state["user_query"])
        said = [state["user_query"], *(str(value) for value in (period or {}).values() if value)]
        try:
            value = await context.ask(
                messages,
                plan_schema(
                    state, offered(state["user_query"], dates), brief=_is_held(context), may_be_empty=not again
                ),
                max_tokens=MAX_TOKENS[state.get("query_complexity") or "simple"],
            )
        except (ProviderFailure, ProviderUnavailable) as error:
            raise NodeFailed(
                say["no_plan"], f"LLM call failed in plan_execution: {error}", validation_status="failed_planning"
            ) from error
        except Unreadable as error:
            return None, [str(error)]
        tables, dialect = state["relevant_tables"] or [], state.get("sql_dialect")
        named = usable(state["user_query"], dates)
        plan = read_plan(value, state["plan_style"], named, said, tables, dialect)
        if plan.empty:
            raise NodeFailed(say["no_data_fits"], "the model planned no query", validation_status="failed_planning")
        plan = without_details(plan, tables, state.get("table_relationships"))
        silent = refusals(state, plan, named, " ".join(said))
        plan = replace(currencies.unlabelled(plan, tables), fatal=[*plan.fatal, *silent])
        refused = [] if plan.fatal else await _refused(plan, context)
        if denied := next(filter(None, map(_DENIED.search, refused)), None):  # no other plan cures that
            table = denied[1].rpartition(".")[2].strip("`")
            raise NodeFailed(
                say["denied"].format(table=table),
                denied.string,
                validation_status="failed_planning",
                suggestions=[say["grant"].format(table=table)],
            )
        unmet = doubts(state, plan, context.clock.now().date())
        unmet += lists_for_one(plan, timeless(state["user_query"])).values()
        asks = [f"question and plan do not agree on {', '.join(unmet)}"] if unmet else []
        plan = replace(plan, doubts=[*plan.doubts, *asks])
        return plan, [*plan.fatal, *refused, *plan.doubts]

    def _messages(self, state: AgentState, dates: dict[str, str], *, brief: bool) -> list[ChatMessage]:
        """`brief`: examples without what the host derives, for a model on this machine, which writes slowly."""
        style = state["plan_style"]
        messages = [ChatMessage(role="system", content=SYSTEMS[style])]
        asked = " ".join([*past_questions(state)[-1:], state["user_query"]])
        shown = self._examples.nearest(asked, style, EXAMPLES_SHOWN[style])
        if self._examples.own and len(shown) < EXAMPLES_SHOWN[style]:
            tables, joins = state["relevant_tables"] or [], state.get("table_relationships") or []
            count, dialect = EXAMPLES_SHOWN[style] - len(shown), state.get("sql_dialect")
            shown = [*examples_of(tables, joins, style, count, state["user_query"], dialect), *shown]
        for example in shown:
            messages.append(ChatMessage(role="user", content=json.dumps({"question": example.question})))
            plan = as_asked(example.plan) if brief else example.plan
            written = json.dumps(plan, ensure_ascii=False, separators=(",", ":"))
            messages.append(ChatMessage(role="assistant", content=written))
        return [*messages, ChatMessage(role="user", content=_request(state, dates, brief=brief))]


def _is_held(context: NodeContext) -> bool:
    """Whether a grammar holds what the model writes: one on this machine, which writes slowly and is asked for less."""
    return context.model.state().constraint == "grammar"


def _corrected(messages: list[ChatMessage], plan: Plan | None, faults: list[str]) -> list[ChatMessage]:
    """The conversation with what was planned and why it is wrong."""
    error = "The plan is wrong: " + "; ".join(faults) + ". Answer with the whole plan again."
    bare = None if plan is None else plan.written() | as_asked(plan.written())
    written = [] if bare is None else [json.dumps(bare, ensure_ascii=False)[:4000]]
    return [
        *messages,
        *(ChatMessage(role="assistant", content=each) for each in written),
        ChatMessage(role="user", content=json.dumps({"error": error}, ensure_ascii=False)),
    ]


def _request(state: AgentState, dates: dict[str, str], *, brief: bool) -> str:
    """The question with the tables that were found for it, the period by its label, the dates by their names."""
    name = state.get("sql_dialect")
    lines = [f"Database: {DATABASES[name]} ({MONTHS[name].format('d')} is a month)"] if name in DATABASES else []
    lines.append("Tables:")
    for table in state["relevant_tables"] or []:
        columns = ", ".join(_column(column) for column in table["columns"])
        purpose = str(table.get("purpose") or "")[:PURPOSE_CHARS]
        lines.append(f"{quoted(table['table_name'])}({columns})" + (f" -- {purpose}" if purpose else ""))
    names = {column["name"] for table in state["relevant_tables"] or [] for column in table["columns"]}
    if names >= {"DocValueLocal", "PaymentValueLocal"}:
        lines.append("Outstanding = DocValueLocal - PaymentValueLocal")
    if joins := pairs(state.get("table_relationships") or []):
        lines.append("Joins: " + "; ".join(spelled(join) for join in joins))
    asked: dict[str, Any] = {"question": state["user_query"]}
    if past := past_questions(state):
        asked["previous_questions"] = past[-3:]
    period = state.get("time_period")
    if period and period["period_label"]:
        asked["period"] = period["period_label"]
    entities = [each for each in state.get("entities_mentioned") or [] if each not in state["user_query"]]
    read = {
        "intent": state.get("intent"),
        "entities_mentioned": entities,
        "requested_metrics": state.get("requested_metrics"),
        "query_complexity": None if brief else state.get("query_complexity"),
    }
    asked |= {name: value for name, value in read.items() if value}
    asked["dates"] = [f"{{{name}}}" for name in offered(state["user_query"], dates)]
    lines.append(json.dumps(asked, ensure_ascii=False))
    return "\n".join(lines)


def _column(column: dict[str, Any]) -> str:
    """`DueDate date key 'jatuh tempo' e.g. 2023-01-15`: what there is of it, the name always; of a number or code of
    things its name says enough."""
    parts = [quoted(str(column["name"]))]
    parts += ["date"] if type_of(column).partition("(")[0] in ("DATE", "DATETIME", "TIMESTAMP") else []
    parts += ["key"] if column.get("is_primary_key") else []
    if (comment := str(column.get("description") or "").strip()) and column.get("classification") != "identifier":
        parts.append(repr(comment[:COMMENT_CHARS]))
    if samples := column.get("sample_values"):
        parts.append("e.g. " + " | ".join(str(each) for each in samples[:SAMPLES]))
    return " ".join(parts)


async def _refused(plan: Plan, context: NodeContext) -> list[str]:
    """What the database says against the plan; nothing when it cannot be asked now (the next node will tell)."""
    if plan.operations:
        return await _refused_operations(plan, context)
    if not context.offers(servers.SQL, EXPLAIN_TOOL):
        return []
    refused: list[str] = []
    for query in plan.selects:
        try:
            answer = await context.call(
                servers.SQL, EXPLAIN_TOOL, {"sql_query": query["query"].rstrip("; ")}, retry=False
            )
        except CallFailed:
            return []
        if answer.get("status") == "error":
            refused.append(f"{query['result_key']}: {answer.get('error_message')}")
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
        if isinstance(result, dict) and result.get("status") == "error"
    ]
