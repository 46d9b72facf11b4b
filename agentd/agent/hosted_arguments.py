"""A policy: arguments that the host sets, not the model (`session_id`). It judges nothing."""

from __future__ import annotations

from agentd.agent.toolset import SESSION_ARGUMENT
from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from agentd.wrappers import ToolHostWrapper


class HostedArguments(ToolHostWrapper):
    """Adds the session's id to each call of a tool whose schema has such an argument."""

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """The call, with what the host knows."""
        if call.tool.meta.get("agentd/takes_session"):
            call = call.model_copy(update={"input": {**call.input, SESSION_ARGUMENT: call.session_id}})
        return await self._inner.call(call, on_progress)
