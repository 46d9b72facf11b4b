"""Node 6, `replace_placeholders` (seed 003 §3.6): the values put into the narrative by placeholder_mcp_server.

No number is written here: values go as the database gave them, and the server formats them.
"""

from __future__ import annotations

import re
from typing import Any

from agentd.apps.analytics.node_context import CallFailed, NodeContext
from agentd.apps.analytics.placeholders import in_points, looked_up, names_in, rules_for
from agentd.apps.analytics.sample import said
from agentd.apps.analytics.session_rows import rows_behind
from agentd.apps.analytics.state import AgentState, NodeFailed

SERVER, TOOL = "placeholder_mcp_server", "fill_placeholders"
COMMUNICATION = "Placeholder MCP Server communication error"
UNREACHABLE = "Gagal memformat hasil akhir."


async def replace_placeholders(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The narrative, the table behind it, the figures as a summary, the warnings.

    A placeholder without a value reads "tidak tersedia", with a warning. Raises NodeFailed when the server is away.
    """
    calculations = dict(state.get("financial_calculations") or {})
    rows, lost = await rows_behind(state, context)
    warnings = [*(state.get("validation_warnings") or [])]
    if lost is not None and lost not in warnings:
        warnings.append(lost)
    template = state.get("response_template") or ""
    mapping = state.get("placeholder_mapping") or {}
    period = state.get("time_period")
    values: dict[str, Any] = {}
    unknown: list[str] = []
    for name in names_in(template):
        try:
            value = looked_up(name, calculations, period)
        except KeyError:
            unknown.append(name)
            value = None
        if isinstance(value, list):
            template = _expanded(template, name, _listed(name, value, values))
        else:
            values[name] = value
    rules = rules_for(values, mapping, values)
    template = with_percent(one_unit(template, rules), in_points(values, mapping, values))
    answer = await _filled(context, template, values, rules)
    warnings += [f"Nilai untuk {name} tidak tersedia." for name in unknown]
    changes: dict[str, Any] = {
        "final_narrative": said(answer["final_narrative"], warnings),
        "data_table_for_display": rows,
        "executive_summary": await _summary(context, calculations, mapping),
        "warnings_for_display": warnings,
        "workflow_status": "completed",
    }
    if unknown:
        changes["technical_error_details"] = f"placeholders without a value: {', '.join(unknown)}"
    return changes


async def _filled(
    context: NodeContext, template: str, values: dict[str, Any], rules: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    payload = {"response_template": template, "data_values": values, "formatting_rules": rules}
    try:
        answer = await context.call(SERVER, TOOL, payload)
    except CallFailed as error:
        raise NodeFailed(UNREACHABLE, f"{COMMUNICATION}: {error}") from error
    if not isinstance(answer.get("final_narrative"), str):
        raise NodeFailed(UNREACHABLE, f"{COMMUNICATION}: the answer has no final_narrative")
    return answer


def _expanded(template: str, name: str, listed: str) -> str:
    return re.sub(rf"\{{\s*{re.escape(name)}\s*\}}", lambda _: listed, template)


def one_unit(template: str, rules: dict[str, dict[str, Any]]) -> str:
    """The template without the `Rp` and `%` that stand beside a placeholder whose value brings its own."""
    for name, rule in rules.items():
        slot = rf"(\{{\s*{re.escape(name)}\s*\}})"
        if rule["type"] == "percentage":
            template = re.sub(rf"{slot}\s*%", r"\1", template)
        if rule["type"] == "currency_IDR":
            template = re.sub(rf"\bRp\.?\s*{slot}", r"\1", template)
    return template


def with_percent(template: str, names: list[str]) -> str:
    """The template with one `%` behind each of these placeholders."""
    for name in names:
        template = re.sub(rf"(\{{\s*{re.escape(name)}\s*\}})(?:\s*%)?", r"\1%", template)
    return template


def _listed(name: str, rows: list[dict[str, Any]], values: dict[str, Any]) -> str:
    """A result of several rows as one line each, its cells placeholders of their own (`RANKING.1.Name`)."""
    if not rows:
        return "tidak ada"
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, value in row.items():
            cell = f"{name}.{number}.{''.join(c if c.isalnum() or c == '_' else '_' for c in str(column))}"
            values[cell] = value
            cells.append(f"{{{cell}}}")
        lines.append("\n- " + (": ".join(cells) if len(cells) <= 2 else ", ".join(cells)))
    return "".join(lines)


async def _summary(context: NodeContext, calculations: dict[str, Any], mapping: dict[str, str]) -> dict[str, Any]:
    """The single figures as they read in a narrative, {key: "Rp 29.500.000"}."""
    figures = {key: value for key, value in calculations.items() if not isinstance(value, list)}
    if not figures:
        return {}
    slots = {f"F{number}": key for number, key in enumerate(figures)}
    rules = rules_for(figures, mapping, figures)
    points = in_points(figures, mapping, figures)
    template = "\x1f".join(f"{{{slot}}}" + ("%" if key in points else "") for slot, key in slots.items())
    values = {slot: figures[key] for slot, key in slots.items()}
    answer = await _filled(context, template, values, {slot: rules[key] for slot, key in slots.items()})
    shown = answer["final_narrative"].split("\x1f")
    return dict(zip(slots.values(), shown, strict=True)) if len(shown) == len(slots) else figures
