"""Calls tools for the loop: resolves names, limits the time and publishes progress. It records nothing."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from agentd.agent.actions import LIST_TOOLS, CallTool
from agentd.agent.brief import Brief, Progress, Publish
from agentd.agent.listing import manifest, wanted
from agentd.errors import ToolError
from agentd.messages import Consent, ToolCall, ToolOutcome
from agentd.ports import ToolHost


@dataclass
class ToolCalls:
    """The tools of one run."""

    tools: ToolHost
    brief: Brief
    so_far: Progress
    publish: Publish

    def named(self, name: str) -> tuple[str, str | None]:
        """Return (the tool's own name, its server); an unknown name unchanged, with None."""
        tool = self.brief.toolset.known(name)
        return (name, None) if tool is None else (tool.name, tool.server)

    async def make(self, call: CallTool, consent: Consent | None) -> ToolOutcome:
        """Make one call through the policies; a failed outcome if there is no such tool or it times out."""
        try:
            tool = self.brief.toolset.resolve(call.tool)
        except ToolError as error:
            if call.tool.casefold() == LIST_TOOLS:
                return ToolOutcome(success=True, output=manifest(self.brief.toolset, *wanted(call.input)))
            known = error.data.get("known")
            hint = f"; known tools: {', '.join(known)}" if known else ""
            return ToolOutcome(success=False, message=f"{error.message}{hint}", error_type=error.type)
        name, server = tool.name, tool.server

        def on_progress(progress: float, total: float | None, message: str | None) -> None:
            data = {"tool": name, "server": server, "progress": progress, "total": total, "message": message}
            self.publish("tool.progress", data)

        started = time.perf_counter()
        try:
            async with asyncio.timeout(tool.timeout_s):
                outcome = await self.tools.call(
                    ToolCall(
                        tool=tool,
                        input=call.input,
                        quotes=call.quotes,
                        run_id=self.brief.run_id,
                        session_id=self.brief.session_id,
                        step=len(self.so_far.steps) + 1,
                        said=tuple(self.so_far.said),
                        caller=self.brief.caller,
                        consent=consent,
                        language=self.brief.language,
                        spoken=self.brief.spoken,
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
        tool = self.brief.toolset.known(call.tool)
        if tool is None or tool.whole_schema is None:
            return call.input
        return {name: value for name, value in call.input.items() if name in tool.input_schema["properties"]}

    def is_free(self, call: CallTool) -> bool:
        """Whether a call may share its turn's journal record, because repeating both changes nothing."""
        tool = self.brief.toolset.known(call.tool)
        return tool is None or (tool.read_only and not tool.official and tool.approval == "never")
