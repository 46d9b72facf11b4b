"""What apps and servers keep of a session, and how they let go of it when the session is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import structlog

from agentd.agent.hosted_arguments import HostedArguments
from agentd.daemon import Daemon
from agentd.messages import ToolCall

FORGET = "delete_session_data"
"""The tool of a server that keeps session data."""
log = structlog.get_logger("agentd")


@dataclass(frozen=True, slots=True)
class SessionData:
    """Implements `agentd.runs.sessions.SessionApps`."""

    daemon: Daemon

    async def shown(self, session_id: str) -> dict[str, Any]:
        """What the apps say of it."""
        said = [await app.session_shown(session_id) for app in self.daemon.apps]
        return {name: value for one in said for name, value in one.items()}

    async def leaving(self, session_id: str) -> None:
        """Its runs are about to be removed."""
        for app in self.daemon.apps:
            await app.leaving(session_id)

    async def forget(self, session_id: str) -> None:
        """It was deleted: apps, then the servers that client.toml names, delete what they keep of it."""
        for app in self.daemon.apps:
            await app.forget(session_id)
        for tool in self.daemon.own_tools_of(None).tools:
            keeps = tool.server in (self.daemon.settings.store.session_servers or ())
            if keeps and (tool.remote_name or tool.name) == FORGET:
                call = ToolCall(tool=tool, input={}, run_id=f"forget-{session_id}", session_id=session_id, step=1)
                outcome = await HostedArguments(self.daemon.host).call(call)
                if not outcome.success:
                    log.warning("session.not_forgotten", server=tool.server, reason=outcome.message)
