"""A policy: where no app judges what official calls may hold, none is made. It judges nothing itself."""

from __future__ import annotations

from agentd.messages import Catalogue, ToolCall, ToolOutcome
from agentd.ports import ProgressSink, ToolHost

REASON = "official calls need an app that judges them, and none is installed: pip install 'agentd[letters]'"


class NoOfficialCalls:
    """Refuses every official call: a stale or partial installation must not issue what nobody checks."""

    def __init__(self, inner: ToolHost) -> None:
        self._inner = inner

    def catalogue(self) -> Catalogue:
        """What the inner host offers."""
        return self._inner.catalogue()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Delegate, or refuse."""
        if call.tool.official:
            return ToolOutcome(success=False, message=REASON, error_type="tool_execution")
        return await self._inner.call(call, on_progress)
