"""The code that the JSON-RPC peers share: the method they serve and how they report their port. Not measured itself."""

from __future__ import annotations

import asyncio
import socket
from typing import Any


async def echo(text: str, number: int) -> dict[str, Any]:
    return {"text": text, "number": number}


async def serve(app: Any) -> None:
    """Serve an aiohttp application on a free port, print the port, and run until the process is terminated."""
    from aiohttp import web

    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def free_socket() -> socket.socket:
    """A listening socket on a free port, which it prints; for servers that run their own event loop."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(bound.getsockname()[1], flush=True)
    return bound
