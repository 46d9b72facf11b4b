"""A server on our servers' base, with the tools that the conformance suite requests by name. Offers only tools.

    python -m tests.conformance.server

The suite can't send a token, so this server adds it to each request, which then passes the usual checks.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import AudioContent, CallToolResult, EmbeddedResource, ImageContent, TextContent, TextResourceContents

from servers.common.http import application
from servers.common.serve import log_to_stderr

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
TOKEN = "conformance-suite-token"
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

server = MCPServer("conformance", version="1.0.0", log_level="ERROR")
image = ImageContent(data=PIXEL, mime_type="image/png")


def resource(uri: str, media_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=media_type, text=text))


@server.tool()
def test_simple_text() -> str:
    """One text."""
    return "This is a simple text response for testing."


@server.tool()
def test_image_content() -> CallToolResult:
    """One picture."""
    return CallToolResult(content=[image])


@server.tool()
def test_audio_content() -> CallToolResult:
    """One sound."""
    return CallToolResult(content=[AudioContent(data=SILENCE, mime_type="audio/wav")])


@server.tool()
def test_embedded_resource() -> CallToolResult:
    """One embedded file."""
    return CallToolResult(
        content=[resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    )


@server.tool()
def test_multiple_content_types() -> CallToolResult:
    """A text, a picture and a file."""
    file = resource("test://mixed-content-resource", "application/json", '{"test": "data", "value": 123}')
    return CallToolResult(content=[TextContent(text="Multiple content types test:"), image, file])


@server.tool()
def test_error_handling() -> str:
    """Fails."""
    raise ToolError("This tool intentionally returns an error for testing")


@server.tool()
async def test_tool_with_progress(ctx: Context[Any]) -> str:
    """Reports progress three times."""
    for progress in (0, 50, 100):
        await ctx.report_progress(progress, 100)
    return "done"


async def main() -> None:
    """Serve on a free port until a signal."""
    log_to_stderr()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        checked = application(server, place, TOKEN, {})

        async def app(scope: Any, receive: Any, send: Any) -> None:
            known = [*scope.get("headers", ()), (b"authorization", f"Bearer {TOKEN}".encode())]
            await checked({**scope, "headers": known} if scope["type"] == "http" else scope, receive, send)

        print(f"conformance listens at http://{place}/mcp", file=sys.stderr, flush=True)
        await uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(main())
