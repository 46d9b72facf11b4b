"""`agentd mcp`: serves the agent as an MCP server with one tool, `ask`, over stdio or Streamable HTTP.

Over HTTP it admits only callers of this machine, with a bearer token (clients/mcp_http.py): others call the
daemon itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from anyio import move_on_after
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from agentd.cli import options
from agentd.messages import LIVE_ONLY
from clients import mcp_http
from clients.connected import with_client
from servers.common.http import HttpError
from servers.common.server import Server

CANCEL_S = 5.0
"""Seconds to wait for cancelling the run of a caller who disconnected."""
INSTRUCTIONS = (
    "Ask the office's agent in the citizen's own words. Give the session_id of an answer back to go on with its "
    'conversation; a status `needs_approval` waits for a plain "ya" or "tidak" in the same session.'
)


def register(commands: Any) -> None:
    parser = options.command(commands, "mcp", "offer the agent itself as an MCP server", run, listen=True)
    parser.add_argument(
        "--http", metavar="HOST:PORT", type=mcp_http.local, help="Streamable HTTP at /mcp; default: stdio"
    )


def run(given: argparse.Namespace) -> int:
    """Serve until the client closes the connection (stdio) or a signal comes (HTTP)."""
    settings = options.settings(given)
    return with_client(settings, lambda client: _serve(server_of(client), given.http, settings.state))


async def _serve(server: Server[Any], http: tuple[str, int] | None, state: Path) -> int:
    if http is None:
        await server.run_stdio_async()
        return 0
    try:
        await mcp_http.serve(server, *http, state, os.environ)
    except HttpError as error:
        print(f"agentd mcp: {error}", file=sys.stderr)
        return 2
    return 0


def server_of(client: Any) -> Server[Any]:
    """The MCP server, over a client of agentd."""
    from agentd.cli.client import Refused

    server: Server[Any] = Server("agentd", version=version("agentd"), instructions=INSTRUCTIONS, log_level="WARNING")

    async def ask(
        prompt: Annotated[str, Field(min_length=1, description="What the citizen says, word for word")],
        context: Context[Any, Any],
        session_id: Annotated[str, Field(description="The session to continue; empty: a new one")] = "",
    ) -> CallToolResult:
        run_id = uuid4().hex
        params = {"prompt": prompt, "run_id": run_id, "session_id": session_id or uuid4().hex}
        try:
            started = await client.call("Agent.start", params)
            async for event in client.events(started["run_id"]):
                if event["type"] not in LIVE_ONLY:
                    await context.report_progress(event["seq"], message=event["type"])
                if event["type"] in ("run.finished", "approval.requested"):
                    break
            outcome = await client.call("Agent.run", params)
        except asyncio.CancelledError:  # the caller has disconnected
            with move_on_after(CANCEL_S, shield=True), suppress(Refused):
                await client.call("Agent.cancel", {"run_id": run_id})
            raise
        except Refused as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        shown = {key: outcome[key] for key in ("response", "status", "session_id", "run_id", "artifacts", "approval")}
        return CallToolResult(content=[TextContent(text=outcome["response"])], structured_content=shown)

    server.tool(
        name="ask",
        description="Ask the office's agent. It answers in the citizen's language and uses the office's own tools.",
        annotations=ToolAnnotations(title="Ask agentd", read_only_hint=False, open_world_hint=False),
        structured_output=False,
    )(ask)
    return server
