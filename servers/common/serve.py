"""Runs an MCP server on standard input and output, or Streamable HTTP. Knows no tools.

    python -m servers.NAME                         one client, over stdio
    python -m servers.NAME --http 127.0.0.1:9001   many clients, at http://127.0.0.1:9001/mcp

Standard output belongs to the protocol; the log goes to standard error (see hardening/logs.py).
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer

from hardening.logs import log_to
from hardening.process import close_to_others
from servers.common import clock
from servers.common.http import HttpError, address, serve_http


def serve(server: MCPServer[Any], argv: Sequence[str] | None = None) -> None:
    """Serve until the client disconnects (stdio) or a signal arrives (HTTP).

    `argv` defaults to the process's. Exits with status 2 and a message if the command line or AGENTD_CLOCK is wrong.
    """
    module = getattr(sys.modules["__main__"].__spec__, "parent", f"servers.{server.name}")  # as it was started
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=f"The MCP server `{server.name}`.")
    parser.add_argument("--http", metavar="HOST:PORT", type=address, help="Streamable HTTP at /mcp; default: stdio")
    options = parser.parse_args(argv)
    close_to_others()
    os.umask(0o077)  # files that a server writes are private
    log_to_stderr()
    try:
        clock.now()
    except clock.ClockError as error:
        parser.error(str(error))
    if options.http is None:
        server.run("stdio")
        return
    try:
        serve_http(server, *options.http)
    except HttpError as error:
        parser.error(str(error))


@contextmanager
def stopped_by(*errors: type[Exception]) -> Iterator[None]:
    """Exit with status 2 and the error's text if a setting can't be used."""
    try:
        yield
    except errors as error:
        print(error, file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error


def log_to_stderr() -> None:
    """Log to standard error at LOG_LEVEL (default WARNING)."""
    log = logging.getLogger("servers")
    level = os.environ.get("LOG_LEVEL", "WARNING").upper()
    log_to(sys.stderr, level, lambda error: log.critical("not caught", exc_info=error))
