"""Node 1, `understand_query`: what is asked, about what, and for which time. Plans nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from importlib.resources import files
from typing import Any

from sqlglot import exp

from agentd.agent.actions import HOSTED
from agentd.agent.languages import words
from agentd.apps.analytics import servers
from agentd.apps.analytics.nodes.node_context import NodeContext
from agentd.apps.analytics.planner.entries import Unreadable, texts, unwrapped
from agentd.apps.analytics.planner.examples import Example, ExampleLibrary
from agentd.apps.analytics.planner.request import PROMPTS
from agentd.apps.analytics.question.periods import period_of, periods_in, timeless
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.state import AgentState, NodeFailed, TimePeriod, past_questions
from agentd.apps.analytics.vocabulary import any_of, finder
from agentd.apps.analytics.wording import label_for, say_for
from agentd.errors import ProviderFailure, ProviderUnavailable
from agentd.messages import ChatMessage

MAX_TOKENS = 160
SHOWN = 3
COMPLEXITIES = ("simple", "medium", "complex")

LISTED = 100
"""How many of an own database's tables are named."""
_SAID = PROMPTS["understanding"]
EXAMPLES = json.loads(files("agentd.apps.analytics").joinpath("understanding.json").read_text("utf-8"))
_NAMES = {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 6}
REQUIRED = ("intent", "entities_mentioned", "requested_metrics", "query_complexity")


def _schema(intents: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "intent": {"type": "string", "enum": list(intents)},
            "entities_mentioned": _NAMES,
            "requested_metrics": {**_NAMES, HOSTED: True},
            "query_complexity": {"type": "string", "enum": list(COMPLEXITIES), HOSTED: True},
        },
        "required": list(REQUIRED),
        "additionalProperties": False,
    }


SCHEMA = _schema(_SAID["intents"])


async def understand_query(state: AgentState, context: NodeContext, examples: ExampleLibrary) -> dict[str, Any]:
    """Intent, entities, metrics and complexity from the model (skipped for a question with a known plan); the time
    period by rules.

    Raises NodeFailed: `failed_understanding` with a question back, setup advice if no books are connected, or a generic
    message if no model answers.
    """
    question = state["user_query"].strip()
    say = say_for(question)
    there = {state.name for state in context.toolset.servers}
    if lacking := ", ".join(name for name in servers.NEEDED if name not in there):
        raise NodeFailed(
            say["no_books"],
            f"client.toml has no [[servers]] {lacking}",
            suggestions=[say["add_books"].format(names=lacking)],
        )
    if not re.search(r"\w", question):
        raise NodeFailed(say["ask_back"], "the question is empty", validation_status="failed_understanding")
    try:
        known = {"intent": "known"} if known_plan(state, examples) else None
        value = known or unwrapped(await _understood(state, context, examples), "intent")
    except (ProviderFailure, ProviderUnavailable) as error:
        raise NodeFailed(say["not_now"], f"LLM call failed in understand_query: {error}") from error
    except Unreadable as error:
        raise NodeFailed(say["ask_back"], f"LLM answer: {error}", validation_status="failed_understanding") from error
    intent = value["intent"].strip() if isinstance(value.get("intent"), str) else ""
    entities = texts(value.get("entities_mentioned") or value.get("entities"))
    metrics = texts(value.get("requested_metrics") or value.get("metrics"))
    if intent in _SAID["changes"] and finder("reads").match(question):
        intent = "master_data"  # a small model mistakes "list of suppliers" for a command
    if intent in _SAID["changes"] or orders_to_write(question):
        raise NodeFailed(
            say["reads_only"], "the question asks to change data", validation_status="failed_understanding"
        )
    if not intent or (is_unclear(intent) and not _says_what(question)):
        raise unclear(question, intent)
    complexity = str(value.get("query_complexity") or "").casefold()
    left_out = [name for name in REQUIRED if name not in value]
    period = time_period(question, _description(value), past_questions(state), context.clock.now().date())
    return {
        "intent": intent,
        "entities_mentioned": entities or metrics or re.findall(r"[^\W\d_]{4,}", question)[:6],
        "requested_metrics": metrics,
        "query_complexity": complexity if complexity in COMPLEXITIES else "simple",
        "time_period": period,
        "technical_error_details": f"{', '.join(left_out)} (derived)" if left_out else None,
    }


def known_plan(state: AgentState, examples: ExampleLibrary) -> dict[str, Any] | None:
    """The plan of an example with the same question; None for a follow-up, which may mean something else."""
    example = None if past_questions(state) else examples.same(state["user_query"], state["plan_style"])
    return None if example is None else example.plan


def orders_to_write(question: str) -> bool:
    """Whether it orders to change data, by its first word that isn't polite: "delete all", "set all to paid"."""
    said = re.findall(r"[^\W\d_]+", question.casefold())
    first = next((word for word in said if word not in words().fillers), "")
    sets = finder("sets").fullmatch(first) and re.search(rf"(?<!\w){any_of('set_to')} \w", timeless(question))
    return bool(sets or finder("writes").fullmatch(first))


def _says_what(question: str) -> bool:
    """Whether it asks for a figure or the first of something, which is clear if the office has a table for it."""
    kinds = (("how_many",), ("averages",), ("totals",), ("ranks", "tops", "most", "least"), ("lists",))
    rest = [finder(*keys).sub(" ", question) for keys in kinds]
    return any(each != question and re.search(r"[^\W\d_]{3,}", each) for each in rest)


def is_unclear(intent: str | None) -> bool:
    """Whether the model did not understand the question."""
    return (intent or "").casefold() in _SAID["unclear"]


def unclear(question: str, intent: str | None) -> NodeFailed:
    """The failure that asks the user to clarify the question."""
    return NodeFailed(
        say_for(question)["ask_back"],
        f"the model found no clear intent ({intent!r})",
        validation_status="failed_understanding",
        clarification={"question": question, "lacks": "subject", "choices": []},
    )


async def _understood(state: AgentState, context: NodeContext, examples: ExampleLibrary) -> dict[str, Any]:
    """The model's reading, requested once more if it was no JSON. Raises the same errors as `context.ask`."""
    begun, schema = begun_for(examples)
    messages = [*begun, _asked(state["user_query"], past_questions(state)[-3:])]
    try:
        return await context.ask(messages, schema, stable=len(begun), max_tokens=MAX_TOKENS)
    except Unreadable as error:
        again = ChatMessage(role="user", content=json.dumps({"error": f"{error}; answer with the JSON object alone"}))
        return await context.ask([*messages, again], schema, stable=len(begun), max_tokens=MAX_TOKENS)


def time_period(question: str, described: str, past: list[str], today: date) -> TimePeriod:
    """The period of the question's own words; else of the model's description of it. All null if there is none."""
    found = periods_in(question, past, today)
    period = found[0] if found else None
    if period is None and described and described.casefold() in " ".join([question, *past]).casefold():
        period = period_of(described, today)
    if period is None:
        return {"start_date": None, "end_date": None, "period_label": None}
    return {**period.as_time_period(), "period_label": label_for(question, period.label)}


def _asked(question: str, past: Sequence[str]) -> ChatMessage:
    asked: dict[str, Any] = {"question": question}
    if past:
        asked["previous_questions"] = list(past)
    return ChatMessage(role="user", content=json.dumps(asked, ensure_ascii=False))


def _begun(system: str, examples: Sequence[dict[str, Any]]) -> list[ChatMessage]:
    """The beginning of each request: what is asked about, and examples."""
    turns = (
        (_asked(each["question"], each["past"]), json.dumps(each["answer"], ensure_ascii=False)) for each in examples
    )
    shown = [said for asked, answer in turns for said in (asked, ChatMessage(role="assistant", content=answer))]
    return [ChatMessage(role="system", content=system), *shown]


_PREFIX = _begun(_SAID["system"].format(**_SAID["sample"]), EXAMPLES)


def begun_for(examples: ExampleLibrary) -> tuple[list[ChatMessage], dict[str, Any]]:
    """The beginning of each request to this library's office, and the schema of the answer."""
    return (_of_own(examples), _schema(_SAID["own_intents"])) if examples.own else (_PREFIX, SCHEMA)


def _of_own(examples: ExampleLibrary) -> list[ChatMessage]:
    """The same for an office's own database: its tables, and three of the questions that its check proposed."""
    tables = examples.tables()
    listed = f" with the tables {'; '.join(tables[:LISTED])}" if tables else ""
    things = _SAID["own"]["things"] if tables else _SAID["sample"]["things"].partition(";")[0]
    system = _SAID["system"].format(books=_SAID["own"]["books"].format(tables=listed), things=things)
    shown = [
        {"question": each.question, "past": [], "answer": _read(each)} for each in examples.proposed("sql")[:SHOWN]
    ]
    return _begun(system, [*shown, *(each for each in EXAMPLES if each["answer"]["intent"] in _SAID["own_intents"])])


def _read(example: Example) -> dict[str, Any]:
    tables = sorted({t.name for each in example.plan["sql_queries_plan"] for t in Query.of(each).all(exp.Table)})
    complexity = COMPLEXITIES[len(tables) > 1]
    return {
        "intent": _SAID["own_intents"][0],
        "entities_mentioned": tables,
        "requested_metrics": [],
        "query_complexity": complexity,
    }


def _description(value: dict[str, Any]) -> str:
    described = value.get("time_description") or value.get("time_period_description") or value.get("time_period")
    if isinstance(described, dict):
        described = described.get("period_label") or described.get("description")
    return described.strip() if isinstance(described, str) else ""
