"""What a node works with: the model and the tools. Calls are retried with growing pauses, counted and logged.

It makes no decisions about a question: each node interprets its failures.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from agentd.agent.toolset import Toolset
from agentd.apps.analytics import servers
from agentd.apps.analytics.planner.entries import json_object
from agentd.apps.analytics.state import AgentState, MCPToolCallLog
from agentd.apps.analytics.wording import say_for
from agentd.errors import ProviderFailure, ProviderUnavailable, ToolError
from agentd.messages import Caller, ChatMessage, Fallback, ModelRequest, ToolCall, Usage
from agentd.ports import ChatModel, Clock, ToolHost
from agentd.runs.records import RunRecord

T = TypeVar("T")
ROWS_TOOL = "retrieve_session_data"
ROWS_LOGGED = 20
"""The most items of a list in a logged response, because the log is part of the state."""
HOPELESS = frozenset({"auth", "not_found", "blocked", "bad_request"})
"""Model failures that a retry can't fix."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """How often a model or tool is tried, and the pauses between: `first_s`, doubled each time up to `longest_s`."""

    times: int = 3
    first_s: float = 0.5
    longest_s: float = 8.0

    async def until_done(self, act: Callable[[], Awaitable[T]], on: tuple[type[Exception], ...]) -> T:
        """Runs `act`, and again after one of the errors in `on`; raises the last error."""
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        waits = wait_exponential(multiplier=self.first_s, max=self.longest_s)
        patience = AsyncRetrying(
            stop=stop_after_attempt(self.times), wait=waits, retry=retry_if_exception_type(on), reraise=True
        )
        return await patience(act)


class CallFailed(Exception):
    """A tool did not answer in any try."""


class _Again(Exception):
    """A model failure that may be temporary."""


class _AgainTool(CallFailed):
    """A tool failure that may be temporary."""


@dataclass(slots=True)
class Spent:
    """The model usage so far; `models` lists who answered, for the events."""

    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    models: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ports:
    """What answers questions; `barred` gives the providers that a caller may not use."""

    model: ChatModel
    host: Callable[[], ToolHost]
    tools_of: Callable[[Caller | None], Toolset]
    clock: Clock
    barred: Callable[[Caller], frozenset[str]] = lambda _: frozenset()


@dataclass
class NodeContext:
    """One node's model and tools. `log` collects its MCPToolCallLog entries."""

    ports: Ports
    retrying: Retrying
    row: RunRecord
    attempt: int
    """Model attempts recorded in the session before this node."""
    calls_before: int
    """Tool calls of this run before this node, so that every call gets a unique number."""
    spent: Spent = field(default_factory=Spent)
    log: list[MCPToolCallLog] = field(default_factory=list)
    said: str = ""
    """The model's last reply."""

    @property
    def clock(self) -> Clock:
        return self.ports.clock

    @cached_property
    def toolset(self) -> Toolset:
        """All tools of this node, for any caller."""
        return self.ports.tools_of(None)

    async def ask(
        self, messages: list[ChatMessage], schema: dict[str, Any], *, stable: int = 1, max_tokens: int = 900
    ) -> dict[str, Any]:
        """One model turn, parsed as a JSON object. Raises Unreadable, ProviderFailure, ProviderUnavailable."""

        async def once() -> dict[str, Any]:
            request = ModelRequest(
                messages=tuple(messages),
                stable=stable,
                json_schema=schema,
                skip=self.ports.barred(self.row.caller),
                attempt=self.attempt + self.spent.attempts,
                max_tokens=max_tokens,
            )
            try:
                reply = await self.ports.model.turn(request)
            except ProviderFailure as failure:
                self.spent.attempts += 1
                if failure.kind in HOPELESS:
                    raise
                raise _Again(failure) from failure
            except ProviderUnavailable as error:
                self.spent.attempts += int(error.data.get("attempts", 1))
                raise _Again(error) from error
            self.spent.attempts += reply.attempts
            self.spent.usage += reply.usage
            self.spent.models.append(
                {
                    "provider": reply.provider,
                    "model": reply.model,
                    "usage": reply.usage.model_dump(),
                    "fallbacks": [Fallback.model_dump(each) for each in reply.fallbacks],
                }
            )
            self.said = reply.text
            return json_object(reply.text)  # parsing again won't help; the node decides on a retry

        try:
            return await self.retrying.until_done(once, (_Again,))
        except _Again as again:
            assert again.__cause__ is not None
            raise again.__cause__ from None

    async def call(self, server: str, tool: str, payload: dict[str, Any], *, retry: bool = True) -> dict[str, Any]:
        """One tool's answer. Raises CallFailed with the last reason; every try is logged."""

        async def once() -> dict[str, Any]:
            return await self._call_once(server, tool, payload)

        return await self.retrying.until_done(once, (_AgainTool,)) if retry else await once()

    def offers(self, server: str, tool: str) -> bool:
        try:
            self.toolset.expected(tool, server)
        except ToolError:
            return False
        return True

    async def _call_once(self, server: str, tool: str, payload: dict[str, Any]) -> dict[str, Any]:
        entry: MCPToolCallLog = {
            "server_name": server,
            "tool_name": tool,
            "request_payload": payload,
            "response_payload": None,
            "status": "error",
            "error_message": None,
            "timestamp": self.clock.now().isoformat(timespec="milliseconds"),
        }
        self.log.append(entry)
        try:
            known = self.toolset.expected(tool, server)
        except ToolError as error:
            entry["error_message"] = error.message
            raise CallFailed(error.message) from error
        row, step = self.row, self.calls_before + len(self.log)
        outcome = await self.ports.host().call(
            ToolCall(
                tool=known, input=payload, run_id=row.run_id, session_id=row.session_id, step=step, caller=row.caller
            )
        )
        if not outcome.success:
            entry["error_message"] = outcome.message or f"{server} failed without a reason"
            raise _AgainTool(entry["error_message"])
        answer = outcome.output
        if isinstance(answer, str):
            try:
                answer = json.loads(answer)
            except ValueError:
                answer = {"text": answer}
        if not isinstance(answer, dict):
            answer = {"result": answer}
        entry["response_payload"] = _shortened(answer)
        if answer.get("success") is False:
            entry["error_message"] = str(answer.get("error") or "success is false")
        else:
            entry["status"] = "success"
        return answer


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        kept: list[Any] = [_shortened(inner) for inner in value[:ROWS_LOGGED]]
        return [*kept, f"… {len(value) - ROWS_LOGGED} more"] if len(value) > ROWS_LOGGED else kept
    return value


async def rows_behind(state: AgentState, context: NodeContext) -> tuple[list[dict[str, Any]], str | None]:
    """(the rows, a warning if they are no longer available)."""
    handles = state.get("data_handles") or []
    if not handles:
        return list(state.get("raw_query_results") or []), None
    say = say_for(state["user_query"])
    asked = {"session_id": state["session_id"], "data_handle_id": handles[0].get("data_handle_id")}
    try:
        answer = await context.call(servers.GRAPH, ROWS_TOOL, asked)
    except CallFailed as error:
        return [], say["not_read"].format(error=error)
    rows = answer.get("retrieved_data")
    if not isinstance(rows, list):
        return [], say["not_read"].format(error=answer.get("error") or "-")
    return rows, None
