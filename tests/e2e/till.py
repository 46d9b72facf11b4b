"""An MCP server with slow calls: `pay` has an effect and logs it, `look` has none. Not a test."""

from __future__ import annotations

import os
import time
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import EmbeddedResource, TextResourceContents, ToolAnnotations

CONFIG = f"""
[[servers]]
name = "till"
command = "python3"
args = ["-m", "tests.e2e.till"]
workdir = "{Path(__file__).parents[2]}"
till_file = "{{file}}"
pay_s = "{{pay_s}}"
look_s = "{{look_s}}"

[[tools]]
name = "pay"
server = "till"
approval = "{{approval}}"

[[tools]]
name = "look"
server = "till"
"""
"""Configuration of a daemon with this server."""

server = MCPServer("till", log_level="WARNING")


def _write(word: str, context: Context) -> None:  # type: ignore[type-arg]
    key = (context.request_context.meta or {})["agentd/idempotency_key"]
    with Path(os.environ["TILL_FILE"]).open("a", encoding="utf-8") as file:
        file.write(f"{word} {key}\n")


@server.tool()
def pay(amount: int, context: Context) -> str:  # type: ignore[type-arg]
    """Pay; the money is gone as soon as it begins."""
    _write("pay", context)
    time.sleep(float(os.environ["PAY_S"]))
    _write("paid", context)
    return f"paid {amount}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look(context: Context) -> str:  # type: ignore[type-arg]
    """Look for a while, or until somebody wrote `seen` in the book."""
    _write("look", context)
    ends = time.monotonic() + float(os.environ["LOOK_S"])
    while time.monotonic() < ends and "seen" not in Path(os.environ["TILL_FILE"]).read_text(encoding="utf-8"):
        time.sleep(0.05)
    _write("looked", context)
    return "nothing there"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def receipt(words: str) -> list[EmbeddedResource]:
    """A file with these words."""
    return [EmbeddedResource(resource=TextResourceContents(uri="receipt:///receipt.txt", text=words))]


if __name__ == "__main__":
    server.run("stdio")
