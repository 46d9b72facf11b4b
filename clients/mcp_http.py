"""Streamable HTTP for `agentd mcp`, protected by a bearer token as the servers' is. It keeps no accounts.

The token is the credential or environment variable `mcp_token`. Without it, each start writes a new one to the file
`mcp.token` in the state folder, which only its owner can read.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentd.credentials import secret
from servers.common.http import LEAST, HttpError, address, is_loopback, listening

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NAME = "mcp_token"


def local(text: str) -> tuple[str, int]:
    """`127.0.0.1:9001` as (host, port). Raises ArgumentTypeError, also for addresses of other machines."""
    host, port = address(text)
    if not is_loopback(host):
        raise argparse.ArgumentTypeError(f"{host} is not of this machine; remote callers call the daemon itself")
    return host, port


async def serve(server: MCPServer[Any], host: str, port: int, state: Path, environ: Mapping[str, str]) -> None:
    """Serve until a signal; prints to stderr its address and where its token is. Raises HttpError."""
    given = secret(NAME, environ)
    if given is not None and len(given) < LEAST:
        raise HttpError(f"the credential {NAME} needs {LEAST} characters or more")
    with listening(server, (host, port), given, state / "mcp.token", {}, "ready") as (program, sockets):
        await program.serve(sockets)
