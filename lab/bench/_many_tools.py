"""An MCP server of as many read-only tools as its argument says, each with two arguments and a sentence about it."""

import sys

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("many", log_level="WARNING")


def look_up(number: str, year: int = 2026) -> str:
    return f"{number} {year}"


for count in range(int(sys.argv[1])):
    server.add_tool(
        look_up,
        name=f"look_up_{count}",
        description=f"Looks up record {count} of the office's register by its number and year.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
server.run("stdio")
