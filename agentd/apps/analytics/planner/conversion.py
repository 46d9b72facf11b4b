"""Converts a plan as the model wrote it to the state's plan and lists its faults. It asks nobody and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agentd.apps.analytics.answer import placeholders
from agentd.apps.analytics.answer.statements import KINDS, spoken_of
from agentd.apps.analytics.checks import limits
from agentd.apps.analytics.plan import Plan, settled
from agentd.apps.analytics.planner.entries import (
    of_the_period,
    operations_in,
    queries_in,
    rules_in,
    sources_in,
    unwrapped,
)
from agentd.apps.analytics.planner.template import headed, unsaid, without_period, worded_once
from agentd.apps.analytics.question.comparisons import uncovered
from agentd.apps.analytics.schema import NO_SCHEMA, Schema
from agentd.apps.analytics.sql import edits, tree
from agentd.apps.analytics.state import PlanStyle, SqlQueryPlan
from agentd.apps.analytics.vocabulary import finder

_TOKEN = re.compile(r"\{(START_DATE|END_DATE|PREV_START_DATE|PREV_END_DATE|START_DATE_2|END_DATE_2|TODAY)\}")
_PLAN_KEYS = ("sql_queries_plan", "operations", "operation_plan", "response_template", "raw_data_query_plan")


def read_plan(
    value: dict[str, Any],
    style: PlanStyle,
    dates: Mapping[str, str],
    said: Iterable[str],
    schema: Schema = NO_SCHEMA,
) -> Plan:
    """The plan with its dates filled in, omitted parts derived, and its faults.

    `dates`: the values of START_DATE and the like; `said`: the question and the period's texts, whose numbers a
    template may repeat. A LIMIT that the question doesn't ask for is removed, because one copied from
    an example would truncate a list silently.
    """
    said = list(said)
    question = " ".join(said)
    value = unwrapped(value, *_PLAN_KEYS)
    missing: set[str] = set()

    def dated(inner: Any) -> Any:
        if isinstance(inner, str):
            missing.update(name for name in _TOKEN.findall(inner) if name not in dates)
            return _TOKEN.sub(lambda found: dates.get(found[1], found[0]), inner)
        if isinstance(inner, dict):
            return {key: dated(each) for key, each in inner.items()}
        return [dated(each) for each in inner] if isinstance(inner, list) else inner

    template = value.get("response_template") or value.get("template") or ""
    template = template if isinstance(template, str) else ""
    queries, raw, operations = [], None, []
    if style == "sql":
        planned = value.get("sql_queries_plan") or value.get("queries")
        queries = [dated(each) for each in queries_in(planned, "RESULT", template)]
        queries = [{**each, "query": edits.totals(edits.fractions(each["query"]))} for each in queries]
        queries = [{**each, "query": limits.as_asked(each["query"], question)} for each in queries]
        found = queries_in(value.get("raw_data_query_plan"), "RAW_DATA")
        raw = dated(found[0]) if found else None
        queries = [_spelled(each, schema) for each in queries]
        raw = raw and _spelled(raw, schema)
    else:
        operations = [dated(each) for each in operations_in(value.get("operations") or value.get("operation_plan"))]
        operations = [limits.operation_as_asked(each, question) for each in operations]
    rules = rules_in(value.get("validation_rules_for_results"))
    declared = value.get("placeholder_mapping")
    sources = {name: each for name, each in sources_in(declared).items() if name in placeholders.names_in(template)}
    plan = Plan(queries, raw, operations, template, placeholders.mapping_of(declared), rules, sources=sources)
    plan = plan if "START_DATE" in dates or len(said) > 1 else without_period(plan)
    plan = worded_once(_named_as_planned(settled(plan, schema)), said)
    return _judged(headed(plan, said[0] if said else ""), missing, said)


def _spelled(entry: SqlQueryPlan, schema: Schema) -> SqlQueryPlan:
    """With names as the database spells them, and with periods that include their last day."""
    query = edits.named(entry["query"], schema)
    moments = [each.name for each in schema.columns if each.type.startswith(("DATETIME", "TIMESTAMP"))]
    return {**entry, "query": edits.whole_days(query, moments)}


def _judged(plan: Plan, missing: set[str], said: list[str]) -> Plan:
    fatal: list[str] = []
    doubts: list[str] = []
    if missing:
        fatal.append(f"the question names no period for {', '.join(sorted(missing))}")
    for query in plan.selects if not plan.operations else ():  # the operations' server reports their errors
        if not tree.reads_only(query.text):
            fatal.append(f"{query.key}: only SELECT may be planned, and this can't be read as one")
        elif len(tree.statements(query.text)) > 1:
            doubts.append(f"{query.key}: write one SELECT a query, each with a result_key of its own")
    if not plan.template.strip():
        fatal.append("response_template is missing")
    elif own := placeholders.own_numbers(plan.template, said):
        fatal.append(
            f"response_template states numbers of its own ({', '.join(own[:5])}); write a {{PLACEHOLDER}} instead"
        )
    if words := uncovered(plan.template, plan.orders, " ".join(said)):
        doubts.append(
            f"response_template compares in its own words ({', '.join(words[:5])}); leave them out, or write a "
            f"computed statement such as {{COMPARE NEW OLD}} ({', '.join(KINDS)})"
        )
    if silent := unsaid(plan):
        doubts.append(f"response_template leaves out {', '.join(silent)}; say every result that is planned")
    if (unknown := _unknown_names(plan)) and not plan.empty:
        doubts.append(f"no query gives {', '.join(unknown)}; the results are {', '.join(sorted(_names_of(plan)))}")
    return replace(plan, fatal=fatal, doubts=doubts, needs_period=bool(missing))


def _named_as_planned(plan: Plan) -> Plan:
    """Renames the template's one unknown name to the one column it omits, if that is no figure ({PRODUCT} beside
    {TOTAL_NETTO}: NAME) or the only column, with that word in its name ({SHARE}: CANADA_SHARE)."""
    said = {name.casefold() for name in spoken_of(plan.template)}
    columns = [each for query in plan.results for each in query.columns]
    silent = [each for each in columns if each.name.casefold() not in said]
    unknown = _unknown_names(plan)
    if len(unknown) != 1 or len(silent) != 1:
        return plan
    figure = silent[0].aggregate or silent[0].quotient or len(columns) < 2
    if figure and (len(columns) > 1 or unknown[0].casefold() not in silent[0].name.casefold().split("_")):
        return plan
    name = silent[0].name
    template = re.sub(rf"(?<=[{{\s]){re.escape(unknown[0])}(?=[\s}}])(?=[^{{]*}})", name, plan.template)
    return replace(plan, template=template, derived=[*plan.derived, f"{{{unknown[0]}}} is {name} (derived)"])


def _unknown_names(plan: Plan) -> list[str]:
    """Names in placeholders and statements of the template that no query gives, except the period's and dates."""
    known = {name.casefold() for name in (*_names_of(plan), *plan.sources)}
    named = spoken_of(plan.template)
    return [name for name in named if name.casefold() not in known and not of_the_period(name)]


def _names_of(plan: Plan) -> set[str]:
    """The names that placeholders may use: result keys and aliases."""
    return {name for query in plan.results for name in (query.key, *(each.name for each in query.columns))} - {""}


def lacks_columns(metrics: list[str], financial: dict[str, Any] | None, temporal: dict[str, Any] | None) -> bool:
    """Whether amounts are asked for but the tables found have neither amounts nor dates."""
    amounts = [
        metric for metric in metrics if finder("amounts").search(metric) and not finder("counted").search(metric)
    ]
    return bool(amounts) and not any((financial or {}).values()) and not any((temporal or {}).values())
