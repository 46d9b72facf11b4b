"""A well-behaved server for the bridge's tests, with one tool for each kind of result.

python friendly.py           over stdio
python friendly.py PORT      Streamable HTTP at http://127.0.0.1:PORT/mcp
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from typing import Annotated, Any

from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    CreateMessageResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel

mcp = MCPServer("friendly", version="1.0.0", instructions=os.environ.get("SAY", "Be friendly."), log_level="ERROR")


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True), meta={"agentd/official": True})
async def echo(text: str, ctx: Context) -> CallToolResult:
    """Say it again."""
    await ctx.report_progress(0.0, 1.0)
    return CallToolResult(content=[TextContent(text=text)], structured_content={"said": text})


@mcp.tool(meta={"agentd/identity": True})
def verify(pin: str) -> str:
    return f"verified by {pin}"


@mcp.tool()
def fail() -> str:
    raise ToolError("the drawer is empty")


@mcp.tool()
async def hang(ctx: Context) -> str:
    """Never ends; says on standard error when it is cancelled."""
    await ctx.report_progress(0.0, 1.0)
    try:
        await asyncio.Event().wait()
    finally:
        mcp.add_tool(lambda: "ok", name="hang_was_cancelled")
        await ctx.notify_tools_changed()
    return "never"


@mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
def meta(ctx: Context) -> CallToolResult:
    """The `_meta` that came with the call."""
    return CallToolResult(content=[], structured_content=dict(ctx.request_context.meta or {}))


@mcp.tool()
def environment() -> CallToolResult:
    return CallToolResult(content=[], structured_content=dict(os.environ))


@mcp.tool()
def contents(kind: str, path: str = "") -> CallToolResult:
    """A result of one kind of content."""
    data = base64.b64encode(b"%PDF-1.7 a letter").decode()
    blob = BlobResourceContents(uri="letters://office/surat%20domisili.pdf", mime_type="application/pdf", blob=data)
    blocks: dict[str, list[Any]] = {
        "json": [TextContent(text='{"number": 7}')],
        "two": [TextContent(text="  "), TextContent(text="second")],
        "nothing": [],
        "link": [ResourceLink(name="letter", uri=path, mime_type="application/pdf")],
        "blob": [EmbeddedResource(resource=blob)],
        "text": [EmbeddedResource(resource=TextResourceContents(uri="notes://../../etc/passwd", text="note"))],
        "media": [ImageContent(data=data, mime_type="image/png"), AudioContent(data=data, mime_type="audio/wav")],
        "broken": [TextContent(text="fine"), ImageContent(data="no base64!", mime_type="image/png")],
    }
    return CallToolResult(content=blocks[kind])


@mcp.tool()
async def learn(name: str, ctx: Context) -> str:
    """From now on offer a tool of that name, and say so in both eras."""
    mcp.add_tool(lambda: name, name=name)
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "learned"


class Colour(BaseModel):
    colour: str


async def ask_colour() -> Elicit[Colour]:
    return Elicit("Which colour?", Colour)


@mcp.tool()
def paint(answer: Annotated[Colour, Resolve(ask_colour)]) -> str:
    return f"painted {answer.colour}"


async def ask_model() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(text="Say hello"))], max_tokens=9)


@mcp.tool()
def think(answer: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return f"thought {answer.content.text if isinstance(answer.content, TextContent) else ''}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        mcp.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        mcp.run("stdio")
