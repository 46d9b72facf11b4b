"""Streamable HTTP for one MCP server, protected by a bearer token. Knows no tools and keeps no accounts.

A caller with the token may call every tool, like a client over stdio: approvals are not requested here.

HTTP_TOKEN    the token (or the credential `http_token`). Without one, each start creates a token in the file
              $AGENTD_STATE/NAME.token, readable only by this user, and only local addresses are served
HTTP_HOSTS    names allowed in the Host header besides the address itself, separated by commas
HTTP_ORIGINS  other origins whose pages may call
"""

from __future__ import annotations

import argparse
import hmac
import ipaddress
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servers.common.credentials import credential, listed

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST = 16
"""Minimum characters of a configured token."""
NO_TOKEN = "This needs the header Authorization: Bearer TOKEN, with the token of this server."
MAX_BODY = 32 * 1024 * 1024
"""Maximum bytes of a request: a letter's PDF of 20 MB in base64, and some room."""


class HttpError(Exception):
    """HTTP can't be served; the text says why and what to do."""


def serve_http(server: MCPServer[Any], host: str, port: int, environ: Mapping[str, str] = os.environ) -> None:
    """Serve until a signal. Prints to standard error where it listens (port 0 takes a free one) and where the token is.

    Raises HttpError.
    """
    given = given_token(environ)
    if given is None and not is_loopback(host):
        raise HttpError(f"{host} is not of this machine: give a token by HTTP_TOKEN or the credential http_token first")
    file = Path(environ.get("AGENTD_STATE") or "state", f"{server.name}.token").absolute()
    with listening(server, (host, port), given, file, environ, f"{server.name} listens at") as (program, sockets):
        program.run(sockets)


@contextmanager
def listening(
    server: MCPServer[Any],
    at: tuple[str, int],
    given: str | None,
    file: Path,
    environ: Mapping[str, str],
    ready: str,
) -> Iterator[tuple[uvicorn.Server, list[socket.socket]]]:
    """Yield the HTTP server and its sockets, ready to run; leaving the block closes the sockets.

    Without a `given` token a new one is written to `file`. `ready` precedes the address on standard error.
    """
    import uvicorn

    from servers.common.http_heads import HeadInTime

    host, port = at
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server(at, family=family) as listener:
        port = listener.getsockname()[1]
        token = given or made_token(file)
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        print(f"{ready} http://{place}/mcp", file=sys.stderr, flush=True)  # noqa: T201
        if given is None:
            print(f"its token is in {file}", file=sys.stderr, flush=True)  # noqa: T201
        app = application(server, place, token, environ)
        config = uvicorn.Config(app, http=HeadInTime, log_config=None, access_log=False)
        yield uvicorn.Server(config), [listener]


def address(text: str) -> tuple[str, int]:
    """Parse `127.0.0.1:9001` as (host, port). Raises ArgumentTypeError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, for example 127.0.0.1:9001")
    return host.strip("[]"), int(port)


def given_token(environ: Mapping[str, str]) -> str | None:
    """Return HTTP_TOKEN or the credential, or None. Raises HttpError for a token short enough to guess."""
    token = environ.get("HTTP_TOKEN")
    token = credential("http_token", environ) if token is None else token
    if token is not None and len(token) < LEAST:
        raise HttpError(f"the token (HTTP_TOKEN or the credential http_token) needs {LEAST} characters or more")
    return token


def made_token(file: Path) -> str:
    """Create a 256-bit token in a file that only this user can read."""
    token = secrets.token_urlsafe(32)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(token + "\n")
    return token


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach the address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def application(server: MCPServer[Any], place: str, token: str, environ: Mapping[str, str]) -> ASGIApp:
    """Return the ASGI application: the token is checked first, then the SDK checks Host and Origin."""
    from mcp.server.transport_security import TransportSecuritySettings

    port = place.rpartition(":")[2]
    named = listed(environ, "HTTP_HOSTS")
    hosts = [place, *(f"{name}:{port}" for name in ("127.0.0.1", "[::1]", "localhost", *named)), *named]
    origins = [*(f"http://{name}" for name in hosts), *listed(environ, "HTTP_ORIGINS")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    return BearerOnly(server.streamable_http_app(transport_security=security), token)


class BearerOnly:
    """Passes requests with the token; answers others with 401, large ones with 413 or a disconnect."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (or the application's startup and shutdown, which need no token)."""
        from starlette.responses import PlainTextResponse

        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return None
        if not self._knows(scope):
            headers = {"WWW-Authenticate": "Bearer"}
            refusal = PlainTextResponse(NO_TOKEN, status_code=401, headers=headers)
        elif _length(scope) > MAX_BODY:
            refusal = PlainTextResponse("The body is too large.", status_code=413)
        else:
            return await self._app(scope, _bounded(receive), send)
        return await refusal(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(shown) == 1 and hmac.compare_digest(shown[0], self._wanted)


def _length(scope: Scope) -> int:
    """Return a request's Content-Length; 0 if it is missing (chunked)."""
    return max((int(value) for name, value in scope["headers"] if name == b"content-length"), default=0)


def _bounded(receive: Receive) -> Receive:
    """Make a body longer than MAX_BODY look like a disconnect."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > MAX_BODY else message

    return bounded
