"""Calls tools for the loop: resolves names, limits the time and publishes progress. It records nothing."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from agentd.agent.actions import LIST_TOOLS, CallTool
from agentd.agent.brief import Brief, Progress, Publish
from agentd.agent.listing import manifest, wanted
from agentd.errors import ToolError
from agentd.messages import Consent, ToolCall, ToolOutcome
from agentd.ports import ToolHost


class ToolCalls:
    """The tools of one run."""

    def __init__(self, tools: ToolHost, brief: Brief, so_far: Progress, publish: Publish) -> None:
        self._tools = tools
        self._brief = brief
        self._so_far = so_far
        self._publish = publish

    def named(self, name: str) -> tuple[str, str | None]:
        """Return (the tool's own name, its server); an unknown name unchanged, with None."""
        tool = self._brief.toolset.known(name)
        return (name, None) if tool is None else (tool.name, tool.server)

    async def make(self, call: CallTool, consent: Consent | None) -> ToolOutcome:
        """Make one call through the policies; a failed outcome if there is no such tool or it times out."""
        try:
            tool = self._brief.toolset.resolve(call.tool)
        except ToolError as error:
            if call.tool.casefold() == LIST_TOOLS:
                return ToolOutcome(success=True, output=manifest(self._brief.toolset, *wanted(call.input)))
            known = error.data.get("known")
            hint = f"; known tools: {', '.join(known)}" if known else ""
            return ToolOutcome(success=False, message=f"{error.message}{hint}", error_type=error.type)
        name, server = tool.name, tool.server

        def on_progress(progress: float, total: float | None, message: str | None) -> None:
            data = {"tool": name, "server": server, "progress": progress, "total": total, "message": message}
            self._publish("tool.progress", data)

        started = time.perf_counter()
        try:
            async with asyncio.timeout(tool.timeout_s):
                outcome = await self._tools.call(
                    ToolCall(
                        tool=tool,
                        input=call.input,
                        quotes=call.quotes,
                        run_id=self._brief.run_id,
                        session_id=self._brief.session_id,
                        step=len(self._so_far.steps) + 1,
                        said=tuple(self._so_far.said),
                        caller=self._brief.caller,
                        consent=consent,
                        language=self._brief.language,
                        spoken=self._brief.spoken,
                    ),
                    on_progress,
                )
        except TimeoutError:
            message = f"tool `{name}` did not answer within {tool.timeout_s:g} s"
            outcome = ToolOutcome(success=False, message=message, error_type="tool_execution")
        duration = round(1000 * (time.perf_counter() - started), 3)
        return outcome.model_copy(update={"duration_ms": duration})

    def written(self, call: CallTool) -> dict[str, Any]:
        """The arguments without those that the host filled in, which the model is not shown."""
        tool = self._brief.toolset.known(call.tool)
        if tool is None or tool.whole_schema is None:
            return call.input
        return {name: value for name, value in call.input.items() if name in tool.input_schema["properties"]}

    def is_free(self, call: CallTool) -> bool:
        """Whether a call may share its turn's journal record, because repeating both changes nothing."""
        tool = self._brief.toolset.known(call.tool)
        return tool is None or (tool.read_only and not tool.official and tool.approval == "never")
