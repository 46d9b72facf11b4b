"""Streamable HTTP for `agentd mcp`, behind a bearer token; the SDK checks Host and Origin. It keeps no accounts.

The token is the credential or environment variable `mcp_token`; without one, one is made at each start, into the file
`mcp.token` of the state folder that only its owner can read.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from agentd.credentials import secret

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAME = "mcp_token"
LEAST = 16
"""Least length of a given token, in characters."""
HEAD_S, BODY_S = 10.0, 30.0
"""Seconds for a request's head and for its body; uvicorn itself has no limit."""
MAX_BODY = 32 * 1024 * 1024
"""Bytes of a request: a file in base64, and room beside it."""


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
        token = given or _new_token(file)
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        print(f"ready http://{place}/mcp", file=sys.stderr, flush=True)
        if given is None:
            print(f"its token is in {file}", file=sys.stderr, flush=True)
        hosts = [place, *(f"{name}:{port}" for name in ("127.0.0.1", "[::1]", "localhost"))]
        guard = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{name}" for name in hosts])
        app = BearerOnly(server.streamable_http_app(transport_security=guard), token)
        config = uvicorn.Config(app, http=HeadInTime, log_config=None, access_log=False)
        await uvicorn.Server(config).serve(sockets=[listener])


def _new_token(file: Path) -> str:
    """A new token of 256 bits in that file."""
    token = secrets.token_urlsafe(32)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(token + "\n")
    return token


class HeadInTime(H11Protocol):
    """A connection ends HEAD_S after its begin, or after its last response, unless a whole head has come;
    and BODY_S after the head unless the whole body has."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head is awaited."""
        super().connection_made(transport)
        self._await(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def on_response_complete(self) -> None:
        """The next head is awaited; or the rest of a body that was not read."""
        super().on_response_complete()
        self._await(HEAD_S)

    def handle_events(self) -> None:
        """A head that has come begins the time of its body."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self.cycle.more_body:
            self._await(BODY_S)

    def _await(self, seconds: float) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(seconds, self._end)

    def _end(self) -> None:
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self.transport.close()


class BearerOnly:
    """Lets requests with the token through; others are answered 401, those too large 413 or closed."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request (or the application's start and end, which carry none)."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return None
        if not self._knows(scope):
            headers = {"WWW-Authenticate": "Bearer"}
            refusal = PlainTextResponse("A bearer token is needed.", status_code=401, headers=headers)
        elif _length(scope) > MAX_BODY:
            refusal = PlainTextResponse("The body is too large.", status_code=413)
        else:
            return await self._app(scope, _bounded(receive), send)
        return await refusal(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(shown) == 1 and hmac.compare_digest(shown[0], self._wanted)


def _length(scope: Scope) -> int:
    """What a request says of its body's length; 0 where it says nothing (in chunks)."""
    return max((int(value) for name, value in scope["headers"] if name == b"content-length"), default=0)


def _bounded(receive: Receive) -> Receive:
    """A body longer than MAX_BODY reads as one whose sender hung up."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > MAX_BODY else message

    return bounded
