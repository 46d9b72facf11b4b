"""Runs a command's work with a client of the daemon: of the running one, or of a temporary one of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


def with_client(settings: Any, work: Callable[[Any], Awaitable[int]]) -> int:
    """Give the work an `agentd.cli.client.Client` and return its exit code. Raises what it raises."""

    async def done() -> int:
        from agentd.cli.client import opened

        async with opened(settings) as client:
            return await work(client)

    return asyncio.run(done())
