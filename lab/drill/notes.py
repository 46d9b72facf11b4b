"""An MCP server with one tool that has a side effect and logs every call; the drill counts these lines."""

from __future__ import annotations

import os

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("notes", log_level="WARNING")


@server.tool()
def take_note(text: str, context: Context) -> str:
    """Append the call's idempotency key to NOTES_FILE."""
    key = dict(context.request_context.meta or {})["agentd/idempotency_key"]
    with open(os.environ["NOTES_FILE"], "a", encoding="utf-8") as file:  # noqa: PTH123 - one write, appended whole
        file.write(f"{key}\n")
    return f"noted: {text}"


if __name__ == "__main__":
    server.run("stdio")
