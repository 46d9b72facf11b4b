"""The books as a tool of the staff's agent: `ask_books`. Its answer becomes the agent's answer, verbatim.

No figure passes through a model. The tool itself plans and fills nothing, and isn't available to callers who are not
staff.

A question runs inline in the agent's step: a run of its own would wait in the queue in which its asker already holds a
place. It is read-only, so it is simply repeated if the run is killed in between.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agentd.apps.analytics.servers import NEEDED
from agentd.clock import iso
from agentd.errors import Cancelled
from agentd.messages import (
    ModelReply,
    ModelRequest,
    ServerState,
    ToolCall,
    ToolInfo,
    ToolOutcome,
    Usage,
)
from agentd.ports import ChatModelWrapper, Clock, OwnTool, ProgressSink, TextChunk, TextSink
from agentd.runs.execution import Executor, RunContext
from agentd.runs.records import RunBrief, RunRecord

SERVER, TOOL = "analytics", "ask_books"
NODES = 6
ROWS = 50
"""The most table rows in the tool's answer; `row_count` gives the total."""
INFO = ToolInfo(
    name=TOOL,
    server=SERVER,
    description="Answers a question about the office's books (sales, receivables, stock, …) from its database. "
    "Pass the question as it was asked.",
    input_schema={
        "type": "object",
        "properties": {"question": {"type": "string", "title": "Pertanyaan", "minLength": 1, "maxLength": 2000}},
        "required": ["question"],
        "additionalProperties": False,
    },
    annotations={"title": "Tanya data", "readOnlyHint": True, "openWorldHint": False},
    meta={"agentd/scope": "staff"},
)


async def _no_row(_: str) -> RunRecord | None:
    return None


class Books(OwnTool):
    """The tool `ask_books`, available if the servers for the books are configured.

    `execute`: the workflow (`AnalyticsRun.execute`); `run_of`: returns the record of the agent's run that asks.
    """

    info = INFO

    def __init__(
        self,
        clock: Clock,
        execute: Executor,
        run_of: Callable[[str], Awaitable[RunRecord | None]] = _no_row,
    ) -> None:
        self._clock = clock
        self._run_of = run_of
        self._execute = execute

    def state(self, servers: Mapping[str, ServerState]) -> ServerState | None:
        """The combined state of the servers that it needs; None if one of them is not configured."""
        if not servers.keys() >= set(NEEDED):
            return None
        needed = {servers[name].state for name in NEEDED}
        down = ", ".join(name for name in NEEDED if servers[name].state == "down")
        return ServerState(
            name=SERVER,
            state="down" if down else "starting" if len(needed) > 1 else "up",
            error=f"it needs what is down: {down}" if down else None,
        )

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Asks the question. If it can't be answered, the answer says so."""
        question = call.input.get("question")
        if not isinstance(question, str) or not question.strip():
            return ToolOutcome(success=False, message="`question` must be a text", error_type="tool_execution")
        if call.caller is None or not call.caller.may("staff"):
            return ToolOutcome(success=False, message="the books are for staff", error_type="unknown_tool")
        row = await self._row(call, question.strip())
        result = await self._execute(RunContext(row, _Inline(), _publish_to(on_progress)))
        if isinstance(result.error, Cancelled):
            raise result.error
        if result.error is not None:
            return ToolOutcome(success=False, message=result.error.message, error_type=result.error.type)
        return ToolOutcome(success=True, output=_shown(result.outcome, result.attempts), message=_words(result.outcome))

    async def _row(self, call: ToolCall, question: str) -> RunRecord:
        """The run record for the workflow: in the asker's session, counting the model attempts made so far."""
        asking = await self._run_of(call.run_id)
        assert call.caller is not None
        return RunRecord(
            run_id=f"{call.run_id}-books-{call.step}",
            session_id=call.session_id,
            owner=call.caller.id,
            kind="analytics",
            prompt=question,
            brief=RunBrief(caller=call.caller),
            status="running",
            created_at=asking.created_at if asking else iso(self._clock.now()),
            attempt=(asking.attempt if asking else 0) + call.step,
        )


class _Inline:
    """A journal that stores nothing, because the agent's own step is stored."""

    async def step(
        self,
        _: str,
        act: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effects: bool = False,  # noqa: ARG002 - the step around it says so
        is_last: Callable[[dict[str, Any]], bool] = lambda _: False,  # noqa: ARG002 - nothing is kept here
    ) -> dict[str, Any]:
        """Runs `act` without recording it."""
        return await act()


def _publish_to(on_progress: ProgressSink | None) -> Callable[[str, dict[str, Any]], None]:
    begun = 0

    def publish(kind: str, data: dict[str, Any]) -> None:
        nonlocal begun
        if kind == "tool.started" and on_progress is not None:
            on_progress(begun, NODES, data["tool"])
            begun += 1

    return publish


def _shown(answer: dict[str, Any], attempts: int) -> dict[str, Any]:
    """The answer of Analytics.ask shortened for a step: the first rows of its table, without the log of calls."""
    rows = answer["data_table_for_display"]
    kept = ("executive_summary", "warnings_for_display", "validation_status", "quality_score", "plan", "error")
    return {
        "usage": answer["usage"],
        "attempts": attempts,
        "row_count": len(rows),
        "data_table_for_display": rows[:ROWS],
        **{key: answer[key] for key in kept},
    }


def _words(answer: dict[str, Any]) -> str:
    """The text of the answer: the narrative with its warnings, or why there is none and what to try."""
    more = (answer["error"] or {}).get("suggestions") or answer["warnings_for_display"]
    return "\n".join([answer["response"], *(f"- {each}" for each in more if each not in answer["response"])])


class Verbatim(ChatModelWrapper):
    """A model wrapper: after `ask_books` the turn is that tool's answer, and the inner model isn't called.

    The turn's attempts and tokens are those of the workflow.
    """

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """The books' answer if the last message has one, else the inner model's turn."""
        answer = _answered(request.messages[-1].content)
        if answer is None:
            return await self._inner.turn(request, on_text)
        text = json.dumps({"action": "final", "response": answer["message"]}, ensure_ascii=False)
        if on_text is not None:
            on_text(TextChunk(text))
        spent = answer["output"] if "usage" in answer["output"] else {"usage": {}, "attempts": 0}
        usage = Usage.model_validate(spent["usage"])
        return ModelReply(text=text, provider=self.provider, model=TOOL, usage=usage, attempts=spent["attempts"])


def _answered(content: str) -> dict[str, Any] | None:
    """The successful result of `ask_books` in this message, or None.

    Only the loop writes such messages: a person's text is always inside `{"request": …}`.
    """
    if TOOL not in content:
        return None
    try:
        result = json.loads(content).get("tool_result")
    except (ValueError, AttributeError):
        return None
    if not result or not result["success"] or result["tool"] not in (TOOL, f"{SERVER}__{TOOL}"):
        return None
    found: dict[str, Any] = result
    return found
