"""Analytics.ask as the engine's executor: runs one question through the workflow, recording each node as a step.

The nodes decide; here they get their model and tools, are recorded, and publish events.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import structlog

from agentd.apps.analytics.graph import run_workflow
from agentd.apps.analytics.nodes.clarifying import continued, left_to_host, resolved
from agentd.apps.analytics.nodes.consult_schema import consult_schema
from agentd.apps.analytics.nodes.execute_query import execute_query
from agentd.apps.analytics.nodes.generate_error_response import generate_error_response
from agentd.apps.analytics.nodes.node_context import NodeContext, Ports, Retrying
from agentd.apps.analytics.nodes.plan_execution import plan_execution
from agentd.apps.analytics.nodes.replace_placeholders import replace_placeholders
from agentd.apps.analytics.nodes.understand_query import understand_query
from agentd.apps.analytics.nodes.validate_results import validate_results
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.state import ERROR_NODE, ErrorResponse, NodeFailed, PlanStyle, WorkflowState, initial_state
from agentd.apps.analytics.vocabulary import in_full
from agentd.apps.analytics.wording import say_for
from agentd.errors import AgentdError, Cancelled
from agentd.messages import Caller, Usage
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import RunRecord, before

SERVER = "analytics"
"""The `server` of a node's events."""
PAST_QUESTIONS = 6
"""How many earlier questions of the session a question may refer to."""

CHOICES = 3
"""How many questions are offered if one is unclear."""

PATIENT = Retrying()
Node = Callable[[WorkflowState, NodeContext], Awaitable[dict[str, Any]]]
log = structlog.get_logger("agentd.apps.analytics")


async def _nothing_past(_: str) -> list[RunRecord]:
    return []


class AnalyticsRun:
    """`execute` is the engine's executor for runs of kind `analytics`.

    `past` returns a session's earlier runs (oldest first).
    """

    def __init__(
        self,
        ports: Ports,
        *,
        past: Callable[[str], Awaitable[list[RunRecord]]] = _nothing_past,
        plan_style: Callable[[], PlanStyle] = lambda: "sql",
        examples: ExampleLibrary | None = None,
        retrying: Retrying = PATIENT,
        currency: str = "IDR",
    ) -> None:
        self._ports = ports
        self._past = past
        self._plan_style = plan_style
        self._retrying = retrying
        self._examples = examples or ExampleLibrary()
        self._nodes: Mapping[str, Node] = {
            "understand_query": partial(understand_query, examples=self._examples),
            "consult_schema": consult_schema,
            "plan_execution": partial(plan_execution, examples=self._examples),
            "execute_query": execute_query,
            "validate_results": validate_results,
            "replace_placeholders": partial(replace_placeholders, currency=currency),
            ERROR_NODE: self._error_response,
        }

    async def execute(self, context: RunContext) -> Result:
        """The answer in wire form; `failed` with the ErrorResponse if the workflow ended in the error node."""
        row = context.row
        style: PlanStyle = row.brief.options.get("plan_style") or self._plan_style()
        steps = _Steps(self, context)
        past = await self._earlier(row)
        history = [said for turn in past for said in _turn(turn)]
        pending = (past[-1].outcome or {}).get("clarification") if past else None
        asked = resolved(in_full(row.prompt), pending, self._ports.clock.now().date())
        question = continued(asked, [said["content"] for said in history if said["role"] == "user"])
        picked = pending and pending["lacks"] == "subject" and asked in pending["choices"]
        state = initial_state(question, row.session_id, [] if picked else history, style)  # such a choice stands alone
        try:
            ended = await run_workflow(state, steps.run_node)
        except AgentdError as error:
            status = "cancelled" if isinstance(error, Cancelled) else "failed"
            return Result(status, {"response": ""}, attempts=steps.attempts, error=error)
        outcome = {**_answer(ended, row.caller), "usage": steps.usage.model_dump()}
        if asked != row.prompt and left_to_host(row.prompt):
            outcome["warnings_for_display"].append(say_for(asked)["answered_for"].format(question=asked))
        if back := ended.get("clarification"):
            back["choices"] = back["choices"] or self._examples.answerable(question, style, CHOICES)
            outcome["clarification"] = back
            outcome["error"]["suggestions"] = back["choices"] or outcome["error"]["suggestions"]
        return Result("failed" if outcome["error"] else "completed", outcome, attempts=steps.attempts)

    async def _error_response(self, state: WorkflowState, _: NodeContext) -> dict[str, Any]:
        known = self._examples.answerable(state["user_query"], state["plan_style"], CHOICES)
        return generate_error_response(state, known)

    async def _earlier(self, row: RunRecord) -> list[RunRecord]:
        """The session's turns before this one, oldest first."""
        turns = (await self._past(row.session_id))[-(PAST_QUESTIONS + 1) :]
        return before(row, turns)


def _turn(turn: RunRecord) -> list[dict[str, str]]:
    """A turn's questions and answers as history messages of the state."""
    return [
        said
        for question, answer in _asked(turn)
        for said in ({"role": "user", "content": in_full(question)}, {"role": "assistant", "content": answer})
    ]


def _asked(turn: RunRecord) -> list[tuple[str, str]]:
    """(question, answer) pairs of a turn: its own, or those that its agent asked the books."""
    outcome = turn.outcome or {}
    if turn.kind == "analytics":
        return [(turn.prompt, str(outcome.get("response") or ""))]
    steps = [step for step in outcome.get("steps", []) if step["server"] == SERVER and step["success"]]
    return [(step["input"]["question"], step["message"]) for step in steps]


class _Steps:
    """One run's nodes: each is recorded, counted and published."""

    def __init__(self, owner: AnalyticsRun, context: RunContext) -> None:
        self._owner = owner
        self._context = context
        self.attempts = 0
        self.usage = Usage()

    async def run_node(self, name: str, state: WorkflowState) -> dict[str, Any]:
        """The node's changes to the state, from the record if it has run before."""

        async def act() -> dict[str, Any]:
            return await self._made(name, state)

        publish = self._context.publish
        publish("tool.started", {"tool": name, "server": SERVER})
        record = await self._context.journal.step(name, act)
        for answered in record["models"]:
            for fallback in answered["fallbacks"]:
                publish("model.fallback", {**fallback, "at": record["at"]})
            publish("model.finished", {"node": name, **answered, "at": record["at"]})
        self.attempts += record["attempts"]
        self.usage += Usage.model_validate(record["usage"])
        changes: dict[str, Any] = record["changes"]
        failed = changes.get("error_message_for_user") is not None
        finished = {"tool": name, "server": SERVER, "success": not failed, "duration_ms": record["duration_ms"]}
        publish(
            "tool.finished", {**finished, "message": changes.get("error_message_for_user") or "", "at": record["at"]}
        )
        return changes

    async def _made(self, name: str, state: WorkflowState) -> dict[str, Any]:
        owner, ports, row = self._owner, self._owner._ports, self._context.row
        history = state["mcp_tool_call_history"]
        context = NodeContext(ports, owner._retrying, row, row.attempt + self.attempts, len(history))
        began = ports.clock.monotonic()
        try:
            changes = await owner._nodes[name](state, context)
        except NodeFailed as failed:
            log.warning("analytics.failed", node=name, details=failed.technical)
            changes = {
                **failed.changes,
                "error_message_for_user": failed.user_message,
                "technical_error_details": failed.technical,
            }
        if context.log:
            changes["mcp_tool_call_history"] = [*history, *context.log]
        return {
            "changes": {**changes, "current_node_name": name},
            "attempts": context.spent.attempts,
            "usage": context.spent.usage.model_dump(),
            "models": context.spent.models,
            "duration_ms": round(1000 * (ports.clock.monotonic() - began), 3),
            "at": ports.clock.now().isoformat(timespec="milliseconds"),
        }


def _answer(state: WorkflowState, caller: Caller) -> dict[str, Any]:
    """The wire form. Technical details are only for the log and admins."""
    failed = state["workflow_status"] == "error"
    error = {key: state.get(key) for key in ErrorResponse.__annotations__} | {"success": False}
    if not caller.may():
        error["technical_details_for_log"] = None
    as_it_is = ("final_narrative", "executive_summary", "validation_status", "quality_score")
    return {
        **{key: state.get(key) for key in as_it_is},
        "data_table_for_display": state.get("data_table_for_display") or [],
        "table_units": state.get("table_units") or {},
        "warnings_for_display": state.get("warnings_for_display") or [],
        "plan": _plan(state),
        "technical_details": state.get("technical_error_details") if caller.may() and not failed else None,
        "mcp_tool_call_history": state["mcp_tool_call_history"],
        "clarification": None,
        "error": error if failed else None,
        "response": state.get("final_narrative") or state.get("user_message") or "",
    }


def _plan(state: WorkflowState) -> list[Any] | None:
    if operations := state.get("operation_plan"):
        return list(operations)
    raw = state.get("raw_data_query_plan")
    queries: list[Any] = [*(state.get("sql_queries_plan") or []), *([raw] if raw else [])]
    return queries or None
