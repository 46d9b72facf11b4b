"""Node 6, `replace_placeholders`: placeholder_mcp_server puts the values into the narrative.

No number is formatted here: values go to the server as the database returned them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from agentd.apps.analytics import servers
from agentd.apps.analytics.answer.narrative import in_currency, narrative_of
from agentd.apps.analytics.answer.placeholders import in_points, rules_for, units_of
from agentd.apps.analytics.nodes.node_context import CallFailed, NodeContext, rows_behind
from agentd.apps.analytics.state import AgentState, NodeFailed
from agentd.apps.analytics.wording import is_sample, with_sample, words_for

Values = dict[str, Any]
Rules = dict[str, dict[str, Any]]
Fill = Callable[[str, Values, Rules], Coroutine[Any, Any, str]]
TOOL = "fill_placeholders"
COMMUNICATION = "Placeholder MCP Server communication error"
UNKNOWN_COSTS = 20
"""How much each figure of the narrative without a result lowers the quality score."""
NOTHING = "tidak tersedia"
"""placeholder_mcp_server's text for null, in every language."""
CERTAIN = 90
"""Below this score the answer begins with the doubts about it."""
DOUBTS_SAID = 2


async def replace_placeholders(state: AgentState, context: NodeContext, currency: str = "IDR") -> dict[str, Any]:
    """The narrative, its table, a summary of the figures and the warnings, with amounts in the books' one `currency`.

    A placeholder without a value becomes "tidak tersedia", with a warning. Raises NodeFailed if the server is down.
    """
    calculations = dict(state.get("financial_calculations") or {})
    rows, lost = await rows_behind(state, context)
    warnings = [*(state.get("validation_warnings") or [])]
    if lost is not None and lost not in warnings:
        warnings.append(lost)
    template = state.get("response_template") or ""
    mapping = state.get("placeholder_mapping") or {}
    period = state.get("time_period")
    words = words_for(state["user_query"])
    sources = state.get("placeholder_sources")
    made = narrative_of(template, calculations, mapping, period, state["user_query"], sources)
    unknown = made.unknown
    fill = partial(_filled, context, currency, words.say)
    try:
        async with asyncio.TaskGroup() as both:
            filled = both.create_task(fill(made.ready(), made.values, made.rules))
            summary = both.create_task(_summary(fill, calculations, mapping))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    warnings += [words.say["no_value"].format(name=name) for name in unknown]
    score = max(0, (state.get("quality_score") or 0) - UNKNOWN_COSTS * len(unknown))
    narrative = filled.result().replace(NOTHING, words.say["unavailable"])
    doubts = [warning for warning in warnings if not is_sample(warning)]
    if score < CERTAIN and doubts:
        narrative = f"{words.say['unsure'].format(why=' '.join(doubts[:DOUBTS_SAID]))}\n\n{narrative}"
    changes: dict[str, Any] = {
        "final_narrative": with_sample(narrative, warnings),
        "data_table_for_display": rows,
        "table_units": units_of(rows, mapping, currency),
        "executive_summary": summary.result(),
        "warnings_for_display": warnings,
        "workflow_status": "completed",
    }
    if unknown:
        known = state.get("technical_error_details")
        lacking = f"placeholders without a value: {', '.join(unknown)}"
        changes |= {
            "quality_score": score,
            "validation_status": "passed_with_warnings",
            "technical_error_details": f"{known}; {lacking}" if known else lacking,
        }
    return changes


async def _filled(
    context: NodeContext, currency: str, say: Mapping[str, str], template: str, values: Values, rules: Rules
) -> str:
    """The filled template. Raises NodeFailed."""
    template, rules = in_currency(template, rules, currency)
    payload = {"response_template": template, "data_values": values, "formatting_rules": rules}
    try:
        answer = await context.call(servers.PLACEHOLDERS, TOOL, payload)
    except CallFailed as error:
        raise NodeFailed(say["not_formatted"], f"{COMMUNICATION}: {error}") from error
    narrative = answer.get("final_narrative")
    if not isinstance(narrative, str):
        raise NodeFailed(say["not_formatted"], f"{COMMUNICATION}: the answer has no final_narrative")
    return narrative


async def _summary(fill: Fill, calculations: Values, mapping: dict[str, str]) -> dict[str, Any]:
    """The single figures as formatted in a narrative, {key: "Rp 29.500.000"}."""
    figures = {key: value for key, value in calculations.items() if not isinstance(value, list | dict)}
    if not figures:
        return {}
    slots = {f"F{number}": key for number, key in enumerate(figures)}
    rules = rules_for(mapping, figures)
    points = in_points(mapping, figures)
    template = "\x1f".join(f"{{{slot}}}" + ("%" if key in points else "") for slot, key in slots.items())
    values = {slot: figures[key] for slot, key in slots.items()}
    shown = (await fill(template, values, {slot: rules[key] for slot, key in slots.items()})).split("\x1f")
    return dict(zip(slots.values(), shown, strict=True)) if len(shown) == len(slots) else figures
