"""The MCP bridge: agentd's ToolHost over Model Context Protocol servers. Registered as the tool host `mcp`."""

from __future__ import annotations

from bridges.mcp import deferred  # noqa: F401 first of all
from bridges.mcp.host import McpToolHost
from bridges.mcp.limits import ServerLimits

__all__ = ["McpToolHost", "ServerLimits"]
