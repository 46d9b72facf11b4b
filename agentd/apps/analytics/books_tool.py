"""The books as a tool of the staff's agent: `ask_books`, and its answer taken as the agent's own.

No figure passes through a model: what the workflow answered is answered word for word. It plans and fills nothing
itself, and does not exist for callers who are not staff.

A question is asked inline, within the agent's own step, as a run of its own would wait in the queue that its asker
holds a place of. It only reads, so a run that was killed in the middle asks it once more as a whole.
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
"""How many rows of the table the tool's answer carries; `row_count` counts all."""
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
    """The tool `ask_books`, wherever the books' servers are configured.

    `execute` is the workflow (`AnalyticsRun.execute`); `run_of` gives the row of the agent's run that asks.
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
        """As far as the last of the servers that it needs; None where one of them is not configured."""
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
        """Ask. A question that cannot be answered is an answer that says so, too."""
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
        """The question as the workflow takes it on: within the asker's session, after the model attempts it made."""
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
    """A journal that keeps nothing: the agent's own step is what is kept."""

    async def step(
        self,
        _: str,
        act: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effects: bool = False,  # noqa: ARG002 - the step around it says so
        is_last: Callable[[dict[str, Any]], bool] = lambda _: False,  # noqa: ARG002 - nothing is kept here
    ) -> dict[str, Any]:
        """Just do it."""
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
    """The answer of Analytics.ask, short enough for a step: the beginning of its table, and no log of calls."""
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
    """What is answered: the narrative with its warnings, or why there is none and what to try."""
    more = (answer["error"] or {}).get("suggestions") or answer["warnings_for_display"]
    return "\n".join([answer["response"], *(f"- {each}" for each in more if each not in answer["response"])])


class Verbatim(ChatModelWrapper):
    """A model whose turn after `ask_books` is that tool's answer itself: the model that it wraps is not asked.

    The turn's attempts and tokens are those that the workflow spent.
    """

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """The books' answer where one was just given, else the inner model's turn."""
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
    """The successful result of `ask_books` that this message holds, if it holds one.

    Only the loop writes such messages: what a person writes stands inside `{"request": …}`.
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
