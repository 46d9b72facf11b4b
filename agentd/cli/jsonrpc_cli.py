"""`jsonrpc-cli`: calls any JSON-RPC 2.0 server, over HTTP, a unix socket or a WebSocket. It knows nothing of agentd.

Exit codes: 0 a result, 1 a JSON-RPC error, 2 wrong words, 3 the server could not be reached or did not speak JSON-RPC.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

RESULT, RPC_ERROR, USAGE, TRANSPORT = 0, 1, 2, 3

_EXAMPLES = """\
URL is http://HOST:PORT/PATH, unix:/PATH/TO/SOCKET or ws://HOST:PORT/PATH. Alone it lists the server's methods.

  jsonrpc-cli http://127.0.0.1:8765/rpc
  jsonrpc-cli http://127.0.0.1:8765/rpc Agent.run prompt='Selamat siang'
  jsonrpc-cli unix:/run/agentd/agentd.sock Tools.call tool=get_current_time input:='{"city": "Jakarta"}'
  jsonrpc-cli ws://127.0.0.1:8765/ws Events.subscribe run_id=RUN --follow
  jsonrpc-cli http://127.0.0.1:8765/rpc --batch calls.json

exit codes: 0 result, 1 JSON-RPC error, 2 usage, 3 transport"""


class WrongWords(Exception):
    """The command line can't be understood."""


class Unreachable(Exception):
    """The server could not be reached, or what it said is not JSON-RPC."""


def main(argv: Sequence[str] | None = None) -> int:
    """Call once and print what came back."""
    given = _parser().parse_intermixed_args(sys.argv[1:] if argv is None else list(argv))
    try:
        return _run(given)
    except WrongWords as error:
        print(f"jsonrpc-cli: {error}", file=sys.stderr)
        return USAGE
    except Unreachable as error:
        print(f"jsonrpc-cli: {error}", file=sys.stderr)
        return TRANSPORT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the interpreter's own flush is quiet
        return RESULT
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jsonrpc-cli",
        description="Call a JSON-RPC 2.0 server.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", metavar="URL")
    parser.add_argument("method", metavar="METHOD", nargs="?")
    parser.add_argument("pairs", metavar="key=value | key:=json", nargs="*", help="params by name: a text, or any JSON")
    parser.add_argument("--params", metavar="JSON", help="all params: an object, or an array by position")
    parser.add_argument("--notify", action="store_true", help="send a notification: nothing comes back")
    parser.add_argument(
        "--batch", metavar="FILE", help="send the calls of a file (a JSON array, or one a line; - is stdin)"
    )
    parser.add_argument("--token", metavar="TOKEN", help="bearer token (else the variable JSONRPC_TOKEN)")
    parser.add_argument("--raw", action="store_true", help="print the response as it came")
    parser.add_argument(
        "--follow", action="store_true", help="on a WebSocket: go on printing notifications, one a line"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=600.0, help="how long to wait (default 600)"
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    return parser


def _run(given: argparse.Namespace) -> int:
    token = given.token or os.environ.get("JSONRPC_TOKEN")
    show = _Shown(sys.stdout, given.color)
    if given.follow and not given.url.startswith(("ws:", "wss:")):
        raise WrongWords("--follow needs a WebSocket: ws://HOST:PORT/PATH")
    if given.batch is not None:
        if given.method or given.pairs or given.params or given.notify:
            raise WrongWords("--batch takes its calls from the file: no METHOD, params or --notify beside it")
        message: Any = _batch(given.batch)
    elif given.method is None:
        if given.params or given.notify:
            raise WrongWords("METHOD is missing")
        message = {"jsonrpc": "2.0", "method": "rpc.discover", "id": 1}
    else:
        message = {"jsonrpc": "2.0", "method": given.method}
        params = _params(given.params, given.pairs)
        if params is not None:
            message["params"] = params
        if not given.notify:
            message["id"] = 1
    expects = any("id" in item for item in (message if isinstance(message, list) else [message]))
    notified = (lambda note: show.line(note)) if given.follow else None
    body = _transport(given.url, token, given.timeout)(json.dumps(message).encode(), expects, notified)
    if not body.strip():
        if expects:
            raise Unreachable("the server answered nothing")
        return RESULT
    response = _response(body, message)
    failed = any("error" in item for item in (response if isinstance(response, list) else [response]))
    if given.raw:
        show.raw(body)
    elif failed and not isinstance(response, list):
        _Shown(sys.stderr, given.color).error(response["error"])
    elif given.follow:
        pass  # it was printed when it came, before what followed
    elif isinstance(response, list):
        show.value(response)
    elif given.method is None:
        show.methods(response["result"])
    else:
        show.value(response["result"])
    return RPC_ERROR if failed else RESULT


# ── what is sent ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _json(text: str, what: str) -> Any:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise WrongWords(f"{what} is not JSON: {error}") from None


def _params(whole: str | None, pairs: Sequence[str]) -> dict[str, Any] | list[Any] | None:
    params = None if whole is None else _json(whole, "--params")
    if params is not None and not isinstance(params, (dict, list)):
        raise WrongWords("--params must be an object or an array")
    if not pairs:
        return params
    if isinstance(params, list):
        raise WrongWords("params are either by position (--params '[…]') or by name (key=value), not both")
    named: dict[str, Any] = dict(params or {})
    for pair in pairs:
        match = re.match(r"([^=:]+)(:?=)(.*)", pair, re.DOTALL)
        if match is None:
            raise WrongWords(f"{pair!r} is neither key=value nor key:=json")
        key, sign, value = match.groups()
        named[key] = value if sign == "=" else _json(value, key)
    return named


def _batch(name: str) -> list[Any]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongWords(f"cannot read {name}: {error}") from None
    if text.lstrip().startswith("["):
        items = _json(text, name)
    else:
        items = [_json(line, f"{name}:{n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not items:
        raise WrongWords(f"{name} holds no call")
    for item in items:
        if not isinstance(item, dict) or "method" not in item:
            raise WrongWords(f'{name}: each call is an object with a "method" (and "params")')
    # a call that says "jsonrpc" itself is sent as it is: without an id it is a notification
    return [item if "jsonrpc" in item else {"jsonrpc": "2.0", "id": n, **item} for n, item in enumerate(items, 1)]


# ── how it is sent ───────────────────────────────────────────────────────────────────────────────────────────────────

Notified = Callable[[dict[str, Any]], None] | None
Send = Callable[[bytes, bool, Notified], bytes]
"""Sends a message; answers the body of its response, empty when none comes. Who follows is told of each message."""


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _transport(url: str, token: str | None, timeout: float) -> Send:
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    if parts.scheme == "unix":
        return _http(lambda: _UnixConnection(parts.path, timeout), ("/rpc", "/"), token, url)
    if parts.scheme in ("http", "https") and parts.hostname:
        paths = (target,) if parts.path else ("/", "/rpc")
        return _http(lambda: _http_connection(url, timeout), paths, token, url)
    if parts.scheme in ("ws", "wss") and parts.hostname:
        return _websocket(url if parts.path else f"{url}/ws", token, timeout)
    raise WrongWords(f"{url!r} is no address: http://HOST:PORT/PATH, unix:/PATH/TO/SOCKET or ws://HOST:PORT/PATH")


def _http_connection(url: str, timeout: float) -> HTTPConnection:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise WrongWords(f"{url!r}: {error}") from None
    assert parts.hostname is not None
    if parts.scheme == "https":
        from http.client import HTTPSConnection

        return HTTPSConnection(parts.hostname, port, timeout=timeout)
    return HTTPConnection(parts.hostname, port, timeout=timeout)


def _http(connect: Callable[[], HTTPConnection], paths: Sequence[str], token: str | None, url: str) -> Send:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"

    def send(body: bytes, _expects: bool, _notified: Notified) -> bytes:
        for path in paths:
            connection = connect()
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                answer = response.read()
            except TimeoutError:
                raise Unreachable(f"{url}: no answer in time (--timeout)") from None
            except (OSError, HTTPException) as error:
                raise Unreachable(f"{url}: {error or type(error).__name__}") from None
            finally:
                connection.close()
            if response.status in (404, 405) and path != paths[-1]:
                continue  # nothing was called there; servers differ in where they listen when the URL says no path
            if response.status >= 300 and not answer.lstrip().startswith((b"{", b"[")):
                raise Unreachable(f"{url}: HTTP {response.status} {response.reason}")
            return answer
        raise AssertionError("paths is never empty")

    return send


def _websocket(url: str, token: str | None, timeout: float) -> Send:
    def send(body: bytes, expects: bool, notified: Notified) -> bytes:
        import asyncio

        from aiohttp import ClientError

        try:
            return asyncio.run(_talk(url, token, timeout, body, expects, notified))
        except TimeoutError:
            raise Unreachable(f"{url}: no answer in time (--timeout)") from None
        except (ClientError, OSError) as error:
            raise Unreachable(f"{url}: {error}") from None

    return send


async def _talk(url: str, token: str | None, wait_s: float, body: bytes, expects: bool, notified: Notified) -> bytes:
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
        while expects or notified is not None:
            message = await connection.receive()
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            data = message.data.encode() if isinstance(message.data, str) else message.data
            decoded = _decoded(data)
            if isinstance(decoded, dict) and "method" in decoded:
                if notified is not None:
                    notified(decoded)
                    if decoded.get("params", {}).get("type") == "run.finished":
                        break
            elif expects:
                answer, expects = data, False
                limit.reschedule(None)
                if isinstance(decoded, dict) and decoded.get("error") is not None:
                    break
                if notified is not None:
                    notified(decoded)
    return answer


# ── what comes back ──────────────────────────────────────────────────────────────────────────────────────────────────


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Unreachable(f"the answer is not JSON: {body[:120]!r}") from None


def _response(body: bytes, message: Any) -> Any:
    response = _decoded(body)
    items = response if isinstance(response, list) else [response]
    for item in items:
        if not isinstance(item, dict) or ("result" in item) == (item.get("error") is not None):
            raise Unreachable(f"the answer is not JSON-RPC 2.0: {body[:120]!r}")
        if item.get("error") is None:
            item.pop("error", None)
    if isinstance(message, dict) and isinstance(response, dict) and "result" in response and response.get("id") != 1:
        raise Unreachable("the answer has another id than the call")
    return response


_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')
_KEY, _TEXT, _WORD, _NUMBER, _RED, _BOLD, _DIM, _OFF = (
    f"\x1b[{code}m" for code in ("34", "32", "35", "36", "31;1", "1", "2", "0")
)


class _Shown:
    """Prints to one stream, in colours when it is a terminal."""

    def __init__(self, stream: Any, color: str) -> None:
        self._stream = stream
        self._color = color == "always" or (color == "auto" and stream.isatty() and "NO_COLOR" not in os.environ)

    def value(self, value: Any) -> None:
        """Indented JSON."""
        self._print(self._json(json.dumps(value, indent=2, ensure_ascii=False)))

    def line(self, value: Any) -> None:
        """One line of JSON, at once."""
        self._print(self._json(json.dumps(value, ensure_ascii=False)))
        self._stream.flush()

    def raw(self, body: bytes) -> None:
        """As it came."""
        self._print(body.decode("utf-8", "replace"))

    def error(self, error: Any) -> None:
        """A JSON-RPC error: its code and message, then its data."""
        if not isinstance(error, dict):
            self._print(str(error))
            return
        self._print(self._painted(_RED, f"error {error.get('code')}: {error.get('message')}"))
        if error.get("data") is not None:
            self.value(error["data"])

    def methods(self, document: Any) -> None:
        """The methods of an OpenRPC document with their parameters; whatever else it is, as JSON."""
        if not isinstance(document, dict) or not isinstance(document.get("methods"), list):
            self.value(document)
            return
        for method in document["methods"]:
            words = " ".join(_parameter(one) for one in method.get("params", ()))
            self._print(f"{self._painted(_BOLD, method['name'])} {words}".rstrip())
            if method.get("summary"):
                self._print(self._painted(_DIM, f"    {method['summary']}"))

    def _json(self, text: str) -> str:
        return "".join(self._coloured(text)) if self._color else text

    def _coloured(self, text: str) -> Iterator[str]:
        end = 0
        for match in _TOKENS.finditer(text):
            string, colon, _, number = match.groups()
            paint = (_KEY if colon else _TEXT) if string else _NUMBER if number else _WORD
            yield text[end : match.start()] + paint + (string or match.group()) + _OFF + (colon or "")
            end = match.end()
        yield text[end:]

    def _painted(self, paint: str, text: str) -> str:
        return f"{paint}{text}{_OFF}" if self._color else text

    def _print(self, text: str) -> None:
        print(text, file=self._stream)


def _parameter(one: dict[str, Any]) -> str:
    schema = one.get("schema") or {}
    kinds = [kind for kind in (schema, *schema.get("anyOf", ())) if kind.get("type") not in (None, "null")]
    kind = kinds[0]["type"] if kinds else ""
    if not kind:
        kind = "object" if any("$ref" in option for option in schema.get("anyOf", (schema,))) else "any"
    return f"{one['name']}={kind}" if one.get("required") else f"[{one['name']}={kind}]"


if __name__ == "__main__":
    sys.exit(main())
