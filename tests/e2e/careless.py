"""An MCP server that leaks its arguments in the ways careless programs do, and then crashes or hangs."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True)
server: MCPServer = MCPServer("careless")


@server.tool(annotations=READS)  # otherwise a person would have to approve the call
async def hang(nama: str) -> str:
    """Never answers."""
    print(f"hanging for {nama.upper()}", file=sys.stderr, flush=True)
    logging.getLogger("careless").warning("hanging for %s", nama)
    await asyncio.to_thread(Path(sys.argv[1]).touch)
    await asyncio.sleep(3600)
    return nama


@server.tool(annotations=READS)  # otherwise a person would have to approve the call
async def fail(nama: str, nik: str, agama: dict[str, Any]) -> str:
    """Raises."""
    raise ValueError(f"{nama} can't be filed")


@server.tool(annotations=READS)  # otherwise a person would have to approve the call
async def crash(nama: str, nik: str, agama: dict[str, Any]) -> str:
    """Ends the process."""
    print(f"Traceback: KeyError: {nama!r} {nama.lower()}", file=sys.stderr, flush=True)
    os._exit(3)


server.run("stdio")
