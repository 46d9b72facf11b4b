"""Listens on a TCP port, a unix socket, or sockets passed by systemd. It answers only unreadable requests itself."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import structlog
from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError, InvalidURLError
from aiohttp.web_protocol import RequestHandler

from agentd.http.guard import RPC_PATH

log = structlog.get_logger(__name__)
HEAD_S = 10.0
"""Seconds within which a request's head must arrive, from the connection's start or the head's first byte."""
_QUOTED = re.compile(r""":| ['"]""")
"""Matches the place where a parser's message begins to quote the request."""
_HANDLER: dict[str, Any] = {
    "access_log": None,
    "lingering_time": 1.0,
    "keepalive_timeout": 75.0,
    "auto_decompress": False,
}
"""`lingering_time`: seconds in which the rest of a refused body is still read, so that its sender can read why.
Bodies are not decompressed: one that grows a thousandfold would block the loop, even if it is only drained.
"""


class _Handler(RequestHandler):
    """aiohttp's connection, closed when a request's head doesn't come in time (aiohttp has no such limit)."""

    __slots__ = ("_head_due", "_rpc_body")

    def __init__(self, server: web.Server, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(server, loop=loop, **_HANDLER)
        self._head_due: asyncio.TimerHandle | None = None
        self._rpc_body: StreamReader | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._head_due = self._loop.call_later(HEAD_S, self.force_close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._messages:
            message, body = self._messages[-1]
            self._rpc_body = body if getattr(message, "path", None) == RPC_PATH else None
        waiter = self._waiter
        if self._messages or self._request_in_progress or (waiter is not None and waiter.done()):
            self._head_came()
        elif self._head_due is None:
            self._head_due = self._loop.call_later(HEAD_S, self.force_close)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to keep the connection for its last answer. A caller of POST /rpc that sent its whole body may still
        read. On other routes it counts as gone, and what it waited for is stopped."""
        idle = self._waiter is not None and not self._waiter.done()
        if idle or self._rpc_body is None or not self._rpc_body.is_eof():
            return False
        self.close()
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Answer an unreadable request with the reason, without quoting it, since it may hold a token. It is logged as
        the sender's error, not the daemon's."""
        if not isinstance(exc, HttpProcessingError):
            return super().handle_error(request, status, exc, message)
        what = "its address" if isinstance(exc, InvalidURLError) else _QUOTED.split(exc.message, 1)[0]
        log.info("http.unreadable", reason=what)
        answer = web.Response(status=status, text=f"This is no HTTP/1.1 request that can be read: {what}")
        answer.force_close()
        return answer

    def _head_came(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None


class _Site(web.SockSite):
    """Listens on a socket and handles its connections by `_Handler`.

    `backlog` is how many connections the loop accepts at once. The kernel's queue is as long as allowed, since a
    client retries a dropped connection only after a second.
    """

    async def start(self) -> None:
        await web.BaseSite.start(self)
        server, loop = self._runner.server, asyncio.get_running_loop()
        assert server is not None
        self._server = await loop.create_server(
            lambda: _Handler(server, loop=loop), sock=self._sock, backlog=self._backlog
        )
        self._sock.listen(socket.SOMAXCONN)
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**17)  # else megabytes for who doesn't read


@asynccontextmanager
async def serving(
    app: web.Application,
    *,
    listen: tuple[str, int] | None = ("127.0.0.1", 8765),
    unix_path: Path | None = None,
    unix_mode: int = 0o660,
    sockets: Sequence[socket.socket] = (),
    shutdown_s: float = 1.0,
) -> AsyncIterator[tuple[str, ...]]:
    """Serve while the block runs; yields the addresses (`http://127.0.0.1:8765`, `unix:/run/agentd/agentd.sock`).

    Passed `sockets` replace `listen` and `unix_path`. For port 0 the system chooses one. At the end, running requests
    get `shutdown_s` seconds. Raises OSError that says what is taken and what to do.
    """
    with ExitStack() as stack:
        listeners = list(sockets)
        if not listeners and listen is not None:
            listeners.append(stack.enter_context(_tcp(*listen)))
        if not sockets and unix_path is not None:
            listeners.append(stack.enter_context(_unix(unix_path, unix_mode)))
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=shutdown_s)
        await runner.setup()
        try:
            for listener in listeners:
                await _Site(runner, listener).start()
            yield tuple(_address(listener) for listener in listeners)
        finally:
            await runner.cleanup()


def _tcp(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror as error:
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from None
    family, kind, protocol, _, address = found[0]  # `localhost` names two addresses; the first is enough
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, _why(error, host, port)) from None
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{host}:{port} is taken by another program; stop it, or choose another address by --listen"
    if error.errno == errno.EACCES:
        return f"{host}:{port} may not be used by this user; choose a port above 1023 by --listen"
    return f"cannot listen on {host}:{port}: {error.strerror}"


@contextmanager
def _unix(path: Path, mode: int) -> Iterator[socket.socket]:
    _remove_stale(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o777 & ~mode)  # so that nobody else can connect even for a moment
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on {path}: {error.strerror}") from None
    finally:
        os.umask(before)
    try:
        yield listener
    finally:
        listener.close()
        path.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise FileExistsError(errno.EEXIST, f"{path} is there and is no socket; remove it or choose another")
    except FileNotFoundError:
        return
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)  # left behind by a daemon that was killed
            return
    raise OSError(errno.EADDRINUSE, f"{path} is served by another daemon; stop it first")


def _address(listener: socket.socket) -> str:
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return f"unix:{name}"
    host = f"[{name[0]}]" if listener.family == socket.AF_INET6 else name[0]
    return f"http://{host}:{name[1]}"
