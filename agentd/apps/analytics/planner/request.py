"""Builds the planner's prompt: rules, examples, tables, the question and, on a retry, the errors. Asks nobody."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from typing import Any

from agentd.apps.analytics.checks.dates import offered
from agentd.apps.analytics.checks.joins import spelled
from agentd.apps.analytics.planner.examples import ExampleLibrary, as_asked
from agentd.apps.analytics.planner.own_examples import examples_of
from agentd.apps.analytics.planner.schema import says_it
from agentd.apps.analytics.planner.select_pattern import MONTHS
from agentd.apps.analytics.schema import Column, Schema
from agentd.apps.analytics.sql.tree import quoted
from agentd.apps.analytics.state import AgentState, past_questions
from agentd.messages import ChatMessage

PURPOSE_CHARS, COMMENT_CHARS = 80, 40
"""A table's purpose lets a small model distinguish receivables from payables."""
SAMPLES = 3
"""How many sample values of a column are shown."""
DATABASES = {"mysql": "MariaDB/MySQL", "postgres": "PostgreSQL", "sqlite": "SQLite"}
"""The names of own databases' dialects for the planner; MONTHS has each one's month expression."""
EXAMPLES_SHOWN = {"sql": 3, "operations": 2}

PROMPTS = tomllib.loads(files("agentd.apps.analytics").joinpath("prompts.toml").read_text("utf-8"))
_SAID = PROMPTS["planning"]
SYSTEMS = {style: _SAID[style].replace("{common}", _SAID["common"]) for style in ("sql", "operations")}


def messages_for(
    state: AgentState, dates: dict[str, str], examples: ExampleLibrary, *, brief: bool
) -> list[ChatMessage]:
    """The first request. `brief`: without what the host derives, for a local model, which writes slowly."""
    style = state["plan_style"]
    messages = [ChatMessage(role="system", content=SYSTEMS[style])]
    asked = " ".join([*past_questions(state)[-1:], state["user_query"]])
    shown = examples.nearest(asked, style, EXAMPLES_SHOWN[style])
    if examples.own and len(shown) < EXAMPLES_SHOWN[style]:
        count = EXAMPLES_SHOWN[style] - len(shown)
        shown = [*examples_of(Schema.of(state), style, count, state["user_query"]), *shown]
    unsaid = set() if says_it(state, brief=brief) else {"response_template"}
    for example in shown:
        messages.append(ChatMessage(role="user", content=json.dumps({"question": example.question})))
        plan = as_asked(example.plan) if brief else example.plan
        plan = {key: value for key, value in plan.items() if key not in unsaid}
        written = json.dumps(plan, ensure_ascii=False, separators=(",", ":"))
        messages.append(ChatMessage(role="assistant", content=written))
    return [*messages, ChatMessage(role="user", content=_request(state, dates, brief=brief))]


def corrected(messages: list[ChatMessage], said: str, faults: list[str]) -> list[ChatMessage]:
    """The conversation with the plan exactly as written (it is in the model's cache), and its errors."""
    error = "The plan is wrong: " + "; ".join(faults) + ". Answer with the whole plan again."
    return [
        *messages,
        ChatMessage(role="assistant", content=said[:4000]),
        ChatMessage(role="user", content=json.dumps({"error": error}, ensure_ascii=False)),
    ]


def _request(state: AgentState, dates: dict[str, str], *, brief: bool) -> str:
    """The question with the tables found, the period's label and the names of the dates."""
    schema, name = Schema.of(state), state.get("sql_dialect")
    lines = [f"Database: {DATABASES[name]} ({MONTHS[name].format('d')} is a month)"] if name in DATABASES else []
    lines.append("Tables:")
    for table in schema.tables:
        columns = ", ".join(map(_column, table.columns))
        purpose = table.purpose[:PURPOSE_CHARS]
        lines.append(f"{quoted(table.name)}({columns})" + (f" -- {purpose}" if purpose else ""))
    if {column.name for column in schema.columns} >= {"DocValueLocal", "PaymentValueLocal"}:
        lines.append("Outstanding = DocValueLocal - PaymentValueLocal")
    if schema.joins:
        lines.append("Joins: " + "; ".join(map(spelled, schema.joins)))
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


def _column(column: Column) -> str:
    """`DueDate date key 'jatuh tempo' e.g. 2023-01-15`: the name and what else is known; identifiers get no
    description."""
    parts = [quoted(column.name)]
    parts += ["date"] if column.type.partition("(")[0] in ("DATE", "DATETIME", "TIMESTAMP") else []
    parts += ["key"] if column.is_primary_key else []
    if (comment := column.description.strip()) and column.kind != "identifier":
        parts.append(repr(comment[:COMMENT_CHARS]))
    if samples := column.sample_values:
        parts.append("e.g. " + " | ".join(str(each) for each in samples[:SAMPLES]))
    return " ".join(parts)
