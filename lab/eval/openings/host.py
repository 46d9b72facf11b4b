"""A model without weights behind the OpenAI API: a function of the request determines its text."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bridges.llamacpp.constraint import only_text

CHOICE = "(a model's to answer)"
"""The answer where the model has a choice."""


def left_no_choice(asked: dict[str, Any]) -> str:
    """The only text the request's schema allows, else `CHOICE`."""
    schema = asked["response_format"]["json_schema"]["schema"]
    return only_text(schema) or json.dumps({"action": "final", "response": CHOICE})


@contextmanager
def serving(writes: Callable[[dict[str, Any]], str] = left_no_choice) -> Iterator[str]:
    """Serve the model and yield its endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"writes": staticmethod(writes)}))
    threading.Thread(target=server.serve_forever, name="host", daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    writes: Callable[[dict[str, Any]], str]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        made = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
        said = {**made, "choices": [{"index": 0, "delta": {"content": self.writes(asked)}, "finish_reason": None}]}
        end = {**made, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for value in (said, end):
            self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Log nothing; the evaluation reports."""
