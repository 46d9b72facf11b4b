"""Node 5, `validate_results`: whether the results can be shown, and with which warnings. Changes none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.answer.rules import Finding, number
from agentd.apps.analytics.checks import coverage, left_out, other_readings
from agentd.apps.analytics.checks.doubts import of_the_answer
from agentd.apps.analytics.checks.limits import lists_for_one
from agentd.apps.analytics.checks.results import checked, quality_score
from agentd.apps.analytics.nodes.node_context import NodeContext, rows_behind
from agentd.apps.analytics.plan import Plan, planned
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.state import AgentState, NodeFailed
from agentd.apps.analytics.wording import is_sample, say_for

NO_FIGURES = ("NaN", "Infinity", "-Infinity")
"""What the SQL server writes for a figure that is no number."""


async def validate_results(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """`passed` or `passed_with_warnings`, the checks, the warnings and the score.

    Raises NodeFailed: `failed_no_data`, or `failed_critical` if a result can't be true.
    """
    say = say_for(state["user_query"])
    calculations = state.get("financial_calculations") or {}
    warnings = list(state.get("validation_warnings") or [])
    rows, lost = await rows_behind(state, context)
    if lost is not None:
        warnings.append(lost)
    if lost is None and not rows and not _says_anything(calculations):
        raise NodeFailed(
            say["no_rows"],
            "no query gave a row or a value",
            validation_status="failed_no_data",
            validation_warnings=warnings,
            quality_score=0,
        )
    warnings += [
        say["part_missing"].format(what=failed.get("purpose") or failed["result_key"])
        for failed in state.get("query_execution_errors") or []
    ]
    rules, mapping = state.get("validation_rules_for_results") or [], state.get("placeholder_mapping") or {}
    empty = state.get("rows_left_out") or {}
    plan = planned(state)
    words = of_the_answer(state, plan, context.clock.now().date(), calculations.values())
    if _one_row_each(calculations, plan):
        words = [word for word in words if not word.startswith("GROUP BY ")]  # the one group has all rows
    several = lists_for_one(plan, timeless(state["user_query"]))
    said = {*several.values(), *(f"COUNT({what.split()[1]})" for what in empty)}  # they get their own warnings below
    unmet = other_readings.findings(state.get("other_readings") or [], say)
    unmet += coverage.findings([word for word in words if word not in said], say)
    unmet += [Finding("several_rows", "warning", say["several_rows"])] if _lists(calculations, several) else []
    odd = [(key, value) for key, value in calculations.items() if value in NO_FIGURES]
    unmet += [Finding("no_figure", "warning", say["no_figure"].format(key=key, value=value)) for key, value in odd]
    unmet += [Finding("written_again", "warning", say["written_again"])] if state.get("plan_written_again") else []
    findings = [*checked(calculations, rows, rules, say, mapping), *left_out.findings(empty, say), *unmet]
    warnings += [finding.message for finding in findings if finding.outcome in ("warning", "unchecked")]
    counted = [warning for warning in warnings if not is_sample(warning)]
    failed_queries = len(state.get("query_execution_errors") or [])
    queries = len(state.get("operation_plan") or state.get("sql_queries_plan") or [])
    queries += state.get("raw_data_query_plan") is not None
    same_rows = any(each.name == "duplicates" and each.outcome == "warning" for each in findings)
    twice = left_out.doubtful(empty) + len(unmet) + same_rows
    changes: dict[str, Any] = {
        "data_quality_checks": {
            finding.name: {"outcome": finding.outcome, "message": finding.message} for finding in findings
        },
        "validation_warnings": warnings,
        "quality_score": quality_score(findings, len(counted) + twice, failed_queries, queries),
    }
    if critical := [finding.message for finding in findings if finding.critical]:
        raise NodeFailed(say["invalid"], "; ".join(critical), validation_status="failed_critical", **changes)
    status = "passed_with_warnings" if counted else "passed"
    return {**changes, "validation_status": status}


def _one_row_each(calculations: Mapping[str, Any], plan: Plan) -> bool:
    """Whether each result is one row, and no group of it is left out or counted again by a query around it."""
    several = any(isinstance(value, list | dict) and len(value) > 1 for value in calculations.values())
    cut = plan.all(exp.Having, exp.Limit, exp.Subquery, exp.CTE)
    return not several and next(cut, None) is None


def _lists(calculations: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Whether one of these results has several rows."""
    return any(isinstance(calculations.get(key), list | dict) for key in keys)


def _says_anything(calculations: Mapping[str, Any]) -> bool:
    """False if nothing was found: all values are null or empty, or the non-empty ones among them are all 0."""
    values = list(calculations.values())
    empty = [value is None or value == [] for value in values]
    if all(empty):
        return False
    return not any(empty) or any(not gone and number(value) != 0 for value, gone in zip(values, empty, strict=True))
