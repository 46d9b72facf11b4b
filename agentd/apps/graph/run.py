"""Graph.ask: one question to the graph as a durable run, through the text2cypher server's `ask_graph`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentd.agent.toolset import Toolset
from agentd.errors import BY_TYPE, ToolExecution
from agentd.messages import Caller, EventType, ToolCall, ToolOutcome
from agentd.ports import ToolHost
from agentd.runs.execution import Result, RunContext

SERVER, TOOL = "text2cypher", "ask_graph"


class GraphRun:
    """`execute` is the engine's executor for runs of kind `graph`."""

    def __init__(self, host: Callable[[], ToolHost], tools_of: Callable[[Caller | None], Toolset]) -> None:
        self._host = host
        self._tools_of = tools_of

    async def execute(self, context: RunContext) -> Result:
        """Ask the question; publishes each attempt as an event."""
        row = context.row
        caller = row.caller
        call = ToolCall(
            tool=self._tools_of(None).expected(TOOL, SERVER),
            input={"question": row.prompt},
            run_id=row.run_id,
            session_id=row.session_id,
            step=1,
            caller=caller,
        )

        def on_progress(progress: float, total: float | None, message: str | None) -> None:
            kind: EventType = "tool.progress"
            context.publish(kind, {"tool": TOOL, "progress": progress, "total": total, "message": message})

        async def act() -> dict[str, Any]:
            return (await self._host().call(call, on_progress)).model_dump(mode="json")

        context.publish("tool.started", {"tool": TOOL, "server": SERVER, "step": 1})
        outcome = ToolOutcome.model_validate(await context.journal.step("ask", act))
        finished = {"tool": TOOL, "server": SERVER, "step": 1, "success": outcome.success}
        context.publish("tool.finished", {**finished, "duration_ms": outcome.duration_ms})
        if not outcome.success:
            kind = BY_TYPE.get(outcome.error_type or "", ToolExecution)
            return Result("failed", {}, error=kind(outcome.message or "the graph server failed"))
        output = outcome.output if isinstance(outcome.output, dict) else {}
        answer: dict[str, Any] = {"cypher": None, "answer": outcome.message, "confidence": 0.0}
        answer |= {name: [] for name in ("columns", "headings", "rows", "attempts", "doubts")}
        answer |= {name: output[name] for name in answer if name in output}
        answer["cypher"] = answer["cypher"] or None
        return Result("completed", {**answer, "response": answer["answer"] or ""})
