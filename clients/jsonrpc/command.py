"""`jsonrpc-cli`: calls any JSON-RPC 2.0 server, over HTTP, a unix socket or a WebSocket. It knows nothing of agentd.

Exit codes: 0 for a result, 1 for a JSON-RPC error, 2 for a usage error, 3 for no answer or one that isn't JSON-RPC.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from clients.jsonrpc.output import Printer
from clients.jsonrpc.transports import TransportError, UsageError, decoded, sender

RESULT, RPC_ERROR, USAGE, TRANSPORT = 0, 1, 2, 3

_EXAMPLES = """\
URL is http://HOST:PORT/PATH, unix:/PATH/TO/SOCKET or ws://HOST:PORT/PATH. Without METHOD it lists the methods.

  jsonrpc-cli http://127.0.0.1:8765/rpc
  jsonrpc-cli http://127.0.0.1:8765/rpc Agent.run prompt='Selamat siang'
  jsonrpc-cli unix:/run/agentd/agentd.sock Tools.call tool=get_current_time input:='{"city": "Jakarta"}'
  jsonrpc-cli ws://127.0.0.1:8765/ws Events.subscribe run_id=RUN --follow
  jsonrpc-cli http://127.0.0.1:8765/rpc --batch calls.json

completion of options, methods and params: eval "$(jsonrpc-cli --completion bash)" (or zsh, fish)

exit codes: 0 result, 1 JSON-RPC error, 2 usage, 3 transport"""


def main(argv: Sequence[str] | None = None) -> int:
    """Make one call and print its answer. Returns the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    if words[:1] in (["--completion"], ["--complete"]):
        return _complete(words)
    given = _parser().parse_intermixed_args(words)
    try:
        return _run(given)
    except UsageError as error:
        print(f"jsonrpc-cli: {error}", file=sys.stderr)
        return USAGE
    except TransportError as error:
        print(f"jsonrpc-cli: {error}", file=sys.stderr)
        return TRANSPORT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit doesn't fail
        return RESULT
    except KeyboardInterrupt:
        return 130


def _complete(words: Sequence[str]) -> int:
    from clients.jsonrpc.completion import SCRIPTS, candidates

    if words[0] == "--complete":
        print("\n".join(candidates(words[1:], _parser())))
        return RESULT
    if len(words) != 2 or words[1] not in SCRIPTS:
        print(f"jsonrpc-cli: --completion takes one of {', '.join(SCRIPTS)}", file=sys.stderr)
        return USAGE
    print(SCRIPTS[words[1]], end="")
    return RESULT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jsonrpc-cli",
        description="Call a JSON-RPC 2.0 server.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", metavar="URL")
    parser.add_argument("method", metavar="METHOD", nargs="?")
    parser.add_argument(
        "pairs", metavar="key=value | key:=json", nargs="*", default=[], help="params by name: a text, or any JSON"
    )
    parser.add_argument("--params", metavar="JSON", help="all params: an object, or an array by position")
    parser.add_argument("--notify", action="store_true", help="send a notification, which has no answer")
    parser.add_argument(
        "--batch", metavar="FILE", help="send the calls of a file (a JSON array, or one per line; - is stdin)"
    )
    parser.add_argument("--token", metavar="TOKEN", help="bearer token (else the variable JSONRPC_TOKEN)")
    parser.add_argument("--raw", action="store_true", help="print the response unchanged")
    parser.add_argument(
        "--follow", action="store_true", help="on a WebSocket: keep printing notifications, one per line"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=600.0, help="how long to wait (default 600)"
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    return parser


def _run(given: argparse.Namespace) -> int:
    token = given.token or os.environ.get("JSONRPC_TOKEN")
    printer = Printer(sys.stdout, given.color)
    if given.follow and not given.url.startswith(("ws:", "wss:")):
        raise UsageError("--follow needs a WebSocket: ws://HOST:PORT/PATH")
    message = _message(given)
    expects_answer = any("id" in item for item in (message if isinstance(message, list) else [message]))
    on_notification = (lambda note: printer.line(note)) if given.follow else None
    body = sender(given.url, token, given.timeout)(json.dumps(message).encode(), expects_answer, on_notification)
    if not body.strip():
        if expects_answer:
            raise TransportError("the server sent no answer")
        return RESULT
    response = _response(body, message)
    failed = any("error" in item for item in (response if isinstance(response, list) else [response]))
    if given.raw:
        printer.raw(body)
    else:
        _print(response, given, printer)
    return RPC_ERROR if failed else RESULT


def _message(given: argparse.Namespace) -> Any:
    """The message to send: a call, a notification, a batch, or rpc.discover. Raises UsageError."""
    if given.batch is not None:
        if given.method or given.pairs or given.params or given.notify:
            raise UsageError("--batch takes its calls from the file: no METHOD, params or --notify beside it")
        return _batch(given.batch)
    if given.method is None:
        if given.params or given.notify:
            raise UsageError("METHOD is missing")
        return {"jsonrpc": "2.0", "method": "rpc.discover", "id": 1}
    params = _params(given.params, given.pairs)
    message = {"jsonrpc": "2.0", "method": given.method}
    return message | ({} if params is None else {"params": params}) | ({} if given.notify else {"id": 1})


def _print(response: Any, given: argparse.Namespace, printer: Printer) -> None:
    """Print a result or a batch's answers, errors to stderr. With --follow, results were printed on arrival."""
    if isinstance(response, list):
        if not given.follow:
            printer.value(response)
    elif "error" in response:
        Printer(sys.stderr, given.color).error(response["error"])
        if (response["error"].get("data") or {}).get("type") == "unauthorized":
            print("jsonrpc-cli: name a valid token: --token TOKEN, or the variable JSONRPC_TOKEN", file=sys.stderr)
    elif not given.follow:
        (printer.methods if given.method is None else printer.value)(response["result"])


# ── the message ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _json(text: str, what: str) -> Any:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise UsageError(f"{what} is not JSON: {error}") from None


def _params(whole: str | None, pairs: Sequence[str]) -> dict[str, Any] | list[Any] | None:
    params = None if whole is None else _json(whole, "--params")
    if params is not None and not isinstance(params, (dict, list)):
        raise UsageError("--params must be an object or an array")
    if not pairs:
        return params
    if isinstance(params, list):
        raise UsageError("params are either by position (--params '[…]') or by name (key=value), not both")
    named: dict[str, Any] = dict(params or {})
    for pair in pairs:
        match = re.match(r"([^=:]+)(:?=)(.*)", pair, re.DOTALL)
        if match is None:
            raise UsageError(f"{pair!r} is neither key=value nor key:=json")
        key, sign, value = match.groups()
        named[key] = value if sign == "=" else _json(value, key)
    return named


def _batch(name: str) -> list[Any]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise UsageError(f"cannot read {name}: {reason}") from None
    if text.lstrip().startswith("["):
        items = _json(text, name)
    else:
        items = [_json(line, f"{name}:{n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not items:
        raise UsageError(f"{name} contains no call")
    for item in items:
        if not isinstance(item, dict) or "method" not in item:
            raise UsageError(f'{name}: each call is an object with a "method" (and "params")')
    # a call that has "jsonrpc" is sent unchanged: without an id it is a notification
    return [item if "jsonrpc" in item else {"jsonrpc": "2.0", "id": n, **item} for n, item in enumerate(items, 1)]


# ── the answer ──────────────────────────────────────────────────────────────────────────────────────────────────


def _response(body: bytes, message: Any) -> Any:
    response = decoded(body)
    items = response if isinstance(response, list) else [response]
    for item in items:
        if not isinstance(item, dict) or ("result" in item) == (item.get("error") is not None):
            raise TransportError(f"the answer is not JSON-RPC 2.0: {body[:120]!r}")
        if item.get("error") is None:
            item.pop("error", None)
    if isinstance(message, dict) and isinstance(response, dict) and "result" in response and response.get("id") != 1:
        raise TransportError("the answer's id is not the call's")
    return response


if __name__ == "__main__":
    sys.exit(main())
