"""Streamable HTTP for `agentd mcp`, behind a bearer token, as the servers have it. It keeps no accounts.

The token is the credential or environment variable `mcp_token`; without one, one is made at each start, into the file
`mcp.token` of the state folder that only its owner can read.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from agentd.credentials import secret
from servers.common.http import LEAST, application, made_token
from servers.common.http_heads import HeadInTime

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NAME = "mcp_token"


class WeakTokenError(Exception):
    """The given token is too short."""


async def serve(server: MCPServer[Any], host: str, port: int, state: Path, environ: Mapping[str, str]) -> None:
    """Serve until a signal. Says on standard error where it listens, then where its token is. Raises WeakTokenError."""
    given = secret(NAME, environ)
    if given is not None and len(given) < LEAST:
        raise WeakTokenError(f"the credential {NAME} needs {LEAST} characters or more")
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        port = listener.getsockname()[1]
        file = state / "mcp.token"
        token = given or made_token(file)
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        print(f"ready http://{place}/mcp", file=sys.stderr, flush=True)
        if given is None:
            print(f"its token is in {file}", file=sys.stderr, flush=True)
        app = application(server, place, token, environ={})
        config = uvicorn.Config(app, http=HeadInTime, log_config=None, access_log=False)
        await uvicorn.Server(config).serve(sockets=[listener])
