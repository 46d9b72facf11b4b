"""`agentd analyze "…"`: asks the books one question and prints the narrative and the table.

Planning and computing are done by Analytics.ask.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentd.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from agentd.apps.analytics.state import PlanStyle

HELP = "ask the office's database and print the table"
ROWS_SHOWN = 50


def register(commands: Any) -> None:
    parser = options.command(commands, "analyze", HELP, run, listen=True)
    parser.add_argument("question", help="what to ask, in Indonesian or English")
    arguments(parser)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options besides the question."""
    parser.add_argument("--style", choices=("sql", "operations"), help="how the question is planned")
    parser.add_argument("--session", metavar="ID", help="the conversation it belongs to, for follow-ups")
    parser.add_argument("--trace", action="store_true", help="show every call of a tool")
    parser.add_argument("--keep", action="store_true", help="keep the plan as an example for later questions")
    parser.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the table there, too (.csv or .xlsx)")


def run(given: argparse.Namespace) -> int:
    """The exit code: 0 with an answer, 1 if the question could not be answered. Raises Refused."""
    settings = options.settings(given)
    return asyncio.run(_analyze(settings, given))


async def _analyze(settings: Any, given: argparse.Namespace) -> int:
    from agentd.cli.client import opened

    params = {"question": given.question}
    if given.style:
        params["plan_style"] = given.style
    if given.session:
        params["session_id"] = given.session
    async with opened(settings) as client:
        answer = await client.call("Analytics.ask", params)
    if given.json:
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _show(answer, trace=given.trace)
    if answer["error"] is not None:
        return 1
    if given.keep:
        _keep(settings.state, given, answer)
    if given.out:
        from agentd.apps.analytics import tables

        try:
            tables.write(answer["data_table_for_display"], given.out)
        except (OSError, ValueError) as error:
            print(f"agentd: {error}", file=sys.stderr)
            return 1
    return 0


def _show(answer: dict[str, Any], *, trace: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if answer["error"] is not None:
        console.print(answer["error"]["user_message"], style="bold red", markup=False)
        for suggestion in answer["error"]["suggestions"] or []:
            console.print(f"• {suggestion}", markup=False)
        if details := answer["error"]["technical_details_for_log"]:
            console.print(f"({answer['error']['error_source_node']}: {details})", style="dim", markup=False)
    else:
        console.print(answer["final_narrative"], markup=False)
        if rows := answer["data_table_for_display"]:
            _show_table(console, rows, answer["table_units"])
        for warning in (each for each in answer["warnings_for_display"] if each not in answer["final_narrative"]):
            console.print(f"⚠ {warning}", style="yellow", markup=False)
        console.print(f"{answer['validation_status']}; quality {answer['quality_score']}/100", style="dim")
    if trace:
        for number, call in enumerate(answer["mcp_tool_call_history"], 1):
            console.print(
                f"{number}. {call['server_name']}.{call['tool_name']} {call['status']}"
                f"\n   → {json.dumps(call['request_payload'], ensure_ascii=False)}"
                f"\n   ← {call['error_message'] or json.dumps(call['response_payload'], ensure_ascii=False)[:600]}",
                style="dim",
                markup=False,
            )


def _show_table(console: Console, rows: Sequence[dict[str, Any]], units: dict[str, str]) -> None:
    from rich.table import Table

    table = Table()
    for name in rows[0]:
        table.add_column(
            f"{name} ({units[name]})" if name in units else str(name),
            justify="right" if _numbers(rows, name) else "left",
        )
    for row in rows[:ROWS_SHOWN]:
        table.add_row(*(_cell(value) for value in row.values()))
    console.print(table)
    if len(rows) > ROWS_SHOWN:
        console.print(f"… {len(rows) - ROWS_SHOWN} more rows (--json prints all)", style="dim")


def _numbers(rows: Sequence[dict[str, Any]], name: str) -> bool:
    values = [row.get(name) for row in rows]
    found = [value for value in values if value is not None]
    return bool(found) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)


def _cell(value: Any) -> str:
    """A value in Indonesian notation: 1.234,5; empty for null."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}".translate(str.maketrans(",.", ".,"))


def _keep(state: Path, given: argparse.Namespace, answer: dict[str, Any]) -> None:
    """Adds the answered plan to this office's examples, with its dates replaced by their names."""
    from agentd.apps.analytics.checks.dates import dates_for, undated, usable
    from agentd.apps.analytics.planner.examples import ExampleLibrary
    from agentd.apps.analytics.question.periods import periods_of
    from agentd.apps.analytics.vocabulary import in_full

    style: PlanStyle = "operations" if any("operation_id" in step for step in answer["plan"]) else "sql"
    template = next(
        call["request_payload"]["response_template"]
        for call in answer["mcp_tool_call_history"]
        if call["tool_name"] == "fill_placeholders"
    )
    question, today = in_full(given.question), date.today()
    dates = usable(question, dates_for(question, periods_of(question, today), today))
    key = "operations" if style == "operations" else "sql_queries_plan"
    plan = json.loads(undated(json.dumps({key: answer["plan"], "response_template": template}), dates))
    ExampleLibrary(state / "analytics").keep(given.question, style, plan, alone=not given.session)
    print("kept as an example", file=sys.stderr)
