"""Calls of tools that the daemon itself makes for its pages, outside any conversation. It judges no caller."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from agentd.errors import UnknownTool
from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import ToolHost


class HouseCalls:
    """`await house(tool, input)`: one call of a read-only tool, whatever client.toml shows to agents."""

    def __init__(self, host: ToolHost) -> None:
        self._host = host

    async def __call__(self, tool: str, tool_input: dict[str, Any]) -> ToolOutcome:
        """The outcome, failed or not. Raises UnknownTool when no server offers such a read-only tool."""
        info = self._host.catalogue().tool(tool)
        if info is None or not info.read_only:
            raise UnknownTool(f"no server offers the read-only tool `{tool}`")
        call_id = f"house-{uuid4().hex}"
        call = ToolCall(tool=info, input=tool_input, run_id=call_id, session_id=call_id, step=1)
        return await self._host.call(call)
