"""A minimal server of the old protocol without the SDK, so that a hostile server can break any part of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

Handler = Callable[[dict[str, Any]], None]


def write(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(request: dict[str, Any], result: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))


def refuse(request: dict[str, Any]) -> None:
    error = {"code": -32601, "message": "Method not found"}
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def serve(on_call: Handler, version: str = "2025-06-18", **instead: Handler) -> None:
    """Answer the handshake and list the tools `do` and `ping`; `ping` pongs, `do` is on_call's.

    `instead` replaces how a method is answered; `_` in its name stands for `/`.
    """
    schema = {"type": "object"}
    tools = {"tools": [{"name": name, "inputSchema": schema} for name in ("do", "ping")]}
    about = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
    for line in sys.stdin:
        request = json.loads(line)
        method = request["method"]
        if (handler := instead.get(method.replace("/", "_"))) is not None:
            handler(request)
        elif method == "initialize":
            answer(request, about)
        elif method == "tools/list":
            answer(request, tools)
        elif method == "tools/call" and request["params"]["name"] == "ping":
            answer(request, text("pong"))
        elif method == "tools/call":
            on_call(request)
        elif "id" in request:
            refuse(request)
