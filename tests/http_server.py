"""A small local HTTP server in its own thread, for tests and measurements. Not a test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """A request handler that prints nothing."""

    def body(self) -> bytes:
        """The request body."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, body: str | bytes, kind: str = "application/json", status: int = 200, **more: str) -> None:
        """Send the whole answer at once; text is encoded as UTF-8. `more` are headers, with _ for -."""
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """Serve while the block runs; yields `http://127.0.0.1:PORT`. Port 0 takes a free one."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, name="http-server")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
