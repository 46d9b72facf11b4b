"""An MCP server that explains which arguments of a call are wrong, without quoting them. It has no tools."""

from __future__ import annotations

import re
from typing import Any

from mcp.server.lowlevel.server import LifespanResultT
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

MOST = 5
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_SUBJECT = re.compile(r"^(?:Input|String|List|Dictionary) should")


class Server(MCPServer[LifespanResultT]):
    """MCPServer with readable argument errors: the framework's own contain error code, URL and value."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[LifespanResultT, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError for an unknown tool, for wrong arguments, and for errors of the tool."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {_wrong(error.__cause__)}") from error.__cause__
            raise


def with_values(**fields: Any) -> Any:
    """The fields that are not None, as a TypedDict of an answer."""
    return {name: value for name, value in fields.items() if value is not None}


def _wrong(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False)
    said = [f"{'.'.join(map(str, one['loc']))} {_problem(one['type'], one['msg'])}" for one in details[:MOST]]
    more = [f"{len(details) - MOST} more"] if len(details) > MOST else []
    return "; ".join(said + more)


def _problem(kind: str, message: str) -> str:
    if kind == "missing":
        return "is required"
    return _SUBJECT.sub("should", message.replace("a valid dictionary", "an object")).replace(" after validation", "")
