"""Background work that runs as long as a block runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def beside(**works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run each coroutine as a task of that name; at the block's end cancel them and wait until they have ended."""
    tasks = [asyncio.create_task(work, name=name) for name, work in works.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
