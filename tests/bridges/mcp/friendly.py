"""A well-behaved server for the bridge's tests: one tool for each thing that a result can be."""

from __future__ import annotations

import asyncio

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    CallToolResult,
    TextContent,
    ToolAnnotations,
)

mcp = MCPServer("friendly", version="1.0.0", instructions="Be friendly.", log_level="ERROR")


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True), meta={"agentd/official": False})
async def echo(text: str, ctx: Context) -> CallToolResult:
    """Say it again."""
    await ctx.report_progress(0.0, 1.0)
    return CallToolResult(content=[TextContent(text=text)], structured_content={"said": text})


@mcp.tool()
def fail() -> str:
    raise ToolError("the drawer is empty")


@mcp.tool()
async def hang(ctx: Context) -> str:
    await ctx.report_progress(0.0, 1.0)
    await asyncio.Event().wait()
    return "never"


if __name__ == "__main__":
    mcp.run("stdio")
