"""A policy: where no app judges what official calls may hold, none is made. It judges nothing itself."""

from __future__ import annotations

from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from agentd.wrappers import ToolHostWrapper

REASON = "official calls need an app that judges them, and none is installed: pip install 'agentd[letters]'"


class NoOfficialCalls(ToolHostWrapper):
    """Refuses every official call: a stale or partial installation must not issue what nobody checks."""

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Delegate, or refuse."""
        if call.tool.official:
            return ToolOutcome(success=False, message=REASON, error_type="tool_execution")
        return await self._inner.call(call, on_progress)
