"""Calls of tools that the daemon itself makes, outside any conversation: for its pages, and to learn who somebody is.

It judges no caller, and keeps nothing of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from agentd.errors import UnknownTool
from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import ToolHost


class ServerTools:
    """`await call(tool, arguments)`: one call at the named server, whatever agents are offered.

    Of a read-only tool, or of one that proves who somebody is (`agentd/identity`), which nothing else can call.
    """

    def __init__(self, host: ToolHost, server: Callable[[], str]) -> None:
        """`server` names the one that is believed now: another server's tool of that name is never asked."""
        self._host = host
        self._server = server

    async def __call__(self, tool: str, arguments: dict[str, Any]) -> ToolOutcome:
        """The outcome, failed or not. Raises UnknownTool when that server offers no such tool."""
        server = self._server()
        found = self._host.catalogue().tool_of(server, tool)
        if found is None or not (found.read_only or found.identity):
            raise UnknownTool(f"server `{server}` offers no read-only tool `{tool}`")
        call_id = f"internal-{uuid4().hex}"
        call = ToolCall(tool=found, input=arguments, run_id=call_id, session_id=call_id, step=1)
        return await self._host.call(call)
