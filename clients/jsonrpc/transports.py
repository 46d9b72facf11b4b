"""Transports of `jsonrpc-cli`: HTTP, unix socket, WebSocket. They don't interpret the message."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit


class UsageError(Exception):
    """The command line is wrong."""


class TransportError(Exception):
    """The server could not be reached, or its answer is not JSON-RPC."""


OnNotification = Callable[[dict[str, Any]], None] | None
Send = Callable[[bytes, bool, OnNotification], bytes]
"""Sends a message and returns the response's body, empty if there is none; calls back with each notification."""


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def sender(url: str, token: str | None, timeout: float) -> Send:
    """The function that sends to this address. Raises UsageError if it is not an address."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return _http(lambda: _UnixConnection(parts.path, timeout), ("/rpc", "/"), token, url)
    host, connection = parts.hostname, HTTPSConnection if parts.scheme == "https" else HTTPConnection
    if parts.scheme in ("http", "https") and host:
        try:
            port = parts.port
        except ValueError as error:
            raise UsageError(f"{url!r}: {error}") from None
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return _http(
            lambda: connection(host, port, timeout=timeout), (target,) if parts.path else ("/", "/rpc"), token, url
        )
    if parts.scheme in ("ws", "wss") and parts.hostname:
        return _websocket(url if parts.path else f"{url}/ws", token, timeout)
    raise UsageError(f"{url!r} is not an address: http://HOST:PORT/PATH, unix:/PATH/TO/SOCKET or ws://HOST:PORT/PATH")


def _http(connect: Callable[[], HTTPConnection], paths: Sequence[str], token: str | None, url: str) -> Send:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"

    def send(body: bytes, _expects_answer: bool, _on_notification: OnNotification) -> bytes:
        for path in paths:
            connection = connect()
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                answer = response.read()
            except TimeoutError:
                raise TransportError(f"{url}: no answer in time (--timeout)") from None
            except ConnectionRefusedError:
                raise TransportError(f"{url}: nothing listens there; is the server running?") from None
            except (OSError, HTTPException) as error:
                raise TransportError(f"{url}: {error or type(error).__name__}") from None
            finally:
                connection.close()
            if response.status in (404, 405) and path != paths[-1]:
                continue  # no call was made: try the next usual path
            if response.status >= 300 and not answer.lstrip().startswith((b"{", b"[")):
                raise TransportError(f"{url}: HTTP {response.status} {response.reason}")
            return answer
        raise AssertionError("paths is never empty")

    return send


def _websocket(url: str, token: str | None, timeout: float) -> Send:
    def send(body: bytes, expects_answer: bool, on_notification: OnNotification) -> bytes:
        import asyncio

        from aiohttp import ClientError

        try:
            return asyncio.run(_exchange(url, token, timeout, body, expects_answer, on_notification))
        except TimeoutError:
            raise TransportError(f"{url}: no answer in time (--timeout)") from None
        except (ClientError, OSError) as error:
            raise TransportError(f"{url}: {error}") from None

    return send


async def _exchange(
    url: str, token: str | None, wait_s: float, body: bytes, expects_answer: bool, on_notification: OnNotification
) -> bytes:
    import asyncio

    from aiohttp import ClientSession, WSMsgType

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = b""
    async with (
        asyncio.timeout(wait_s) as limit,
        ClientSession() as session,
        session.ws_connect(url, headers=headers, max_msg_size=0) as connection,
    ):
        await connection.send_str(body.decode())
        while expects_answer or on_notification is not None:
            message = await connection.receive()
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            data = message.data.encode() if isinstance(message.data, str) else message.data
            received = decoded(data)
            if isinstance(received, dict) and "method" in received:
                if on_notification is not None:
                    on_notification(received)
                    if received.get("params", {}).get("type") == "run.finished":
                        break
            elif expects_answer:
                answer, expects_answer = data, False
                limit.reschedule(None)
                if isinstance(received, dict) and received.get("error") is not None:
                    break
                if on_notification is not None:
                    on_notification(received)
    return answer


def decoded(body: bytes) -> Any:
    """Parse a body as JSON. Raises TransportError."""
    try:
        return json.loads(body)
    except ValueError:
        raise TransportError(f"the answer is not JSON: {body[:120]!r}") from None
