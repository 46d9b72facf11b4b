"""MCP servers as clients start them: processes of their own, over stdio. Not a test."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, TextIO

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests import warm


def served(server: str, *, log: TextIO = sys.stderr, mode: Any = "auto", handler: Any = None, **env: str) -> Client:
    """A client to enter, whose server has this environment and writes its log to `log`."""
    params = StdioServerParameters(command=warm.python(), args=["-m", f"servers.{server}"], env=env)
    return Client(stdio_client(params, log), mode=mode, message_handler=handler, read_timeout_seconds=300)


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured answer of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


def refused(server: str, *words: str, **env: str) -> str:
    """What the server says on standard error when it ends at its start with the exit code 2."""
    command = [warm.python(), "-m", f"servers.{server}", *words]
    run = subprocess.run(
        command, env={"PATH": "", **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert (run.returncode, run.stdout) == (2, "")
    return run.stderr
