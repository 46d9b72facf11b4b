"""Streamable HTTP for one MCP server, behind a bearer token. Knows no tool and keeps no accounts.

A caller with the token may call every tool, as a client over stdio may: nobody is asked for an approval here.

HTTP_TOKEN    the token (or the credential `http_token`). Without one, a token is made at each start, into the file
              $AGENTD_STATE/NAME.token that only this user can read, and only this machine's addresses are served
HTTP_HOSTS    names besides the address itself that a Host header may have, separated by commas
HTTP_ORIGINS  origins besides its own whose pages may call
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

from servers.common.credentials import credential

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST = 16
"""Characters of a token that was given."""
NO_TOKEN = "This needs the header Authorization: Bearer TOKEN, with the token of this server."
MAX_BODY = 32 * 1024 * 1024
"""Bytes of a request: a letter's PDF of 20 MB in base64, and room beside it."""


class HttpError(Exception):
    """Why HTTP can't be served, and what to do."""


def serve_http(server: MCPServer[Any], host: str, port: int, environ: Mapping[str, str] = os.environ) -> None:
    """Serve until a signal. Says on standard error where it listens (port 0 takes a free one), then where its token is.

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
    """The HTTP server that is to be run, and the sockets it is to be run on; they are closed with the block.

    Without a `given` token one is made into `file`. `ready` stands before the address on standard error.
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
    """`127.0.0.1:9001` as (host, port). Raises ArgumentTypeError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, for example 127.0.0.1:9001")
    return host.strip("[]"), int(port)


def given_token(environ: Mapping[str, str]) -> str | None:
    """HTTP_TOKEN or the credential; None without one. Raises HttpError for one that could be guessed."""
    token = environ.get("HTTP_TOKEN")
    token = credential("http_token", environ) if token is None else token
    if token is not None and len(token) < LEAST:
        raise HttpError(f"the token (HTTP_TOKEN or the credential http_token) needs {LEAST} characters or more")
    return token


def made_token(file: Path) -> str:
    """A new token of 256 bits, in a file that only this user can read."""
    token = secrets.token_urlsafe(32)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(token + "\n")
    return token


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach that address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def application(server: MCPServer[Any], place: str, token: str, environ: Mapping[str, str]) -> ASGIApp:
    """The whole application: Host and Origin are checked by the SDK, the token before it."""
    from mcp.server.transport_security import TransportSecuritySettings

    port = place.rpartition(":")[2]
    named = _listed(environ, "HTTP_HOSTS")
    hosts = [place, *(f"{name}:{port}" for name in ("127.0.0.1", "[::1]", "localhost", *named)), *named]
    origins = [*(f"http://{name}" for name in hosts), *_listed(environ, "HTTP_ORIGINS")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    return BearerOnly(server.streamable_http_app(transport_security=security), token)


class BearerOnly:
    """Lets requests with the token through; all others are answered 401, too large ones 413 or given up."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request (or the application's start and end, which carry none)."""
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


def _listed(environ: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in environ.get(name, "").split(",") if part.strip()]
