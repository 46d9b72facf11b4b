"""How work ends when the daemon stops: at once, or after its grace where it has effects. It knows no run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agentd.errors import Draining

T = TypeVar("T")
SETTLE_S = 1.0
"""How long a cancelled run may take to end when the daemon stops."""


class Stoppable:
    """Work of no run that somebody waits for."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], bool] = {}
        """Each with whether it has effects."""
        self._stopping = False

    async def do(self, work: Coroutine[Any, Any, T], *, effects: bool) -> T:
        """What the work comes to. Raises Draining when the daemon stops before, and cancels it: after the stop's grace
        where it has effects, else at once."""
        task = asyncio.create_task(work)
        self._tasks[task] = effects
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            current = asyncio.current_task()
            if self._stopping and not (current is not None and current.cancelling()):
                raise Draining() from None
            raise
        finally:
            del self._tasks[task]

    def stop(self) -> list[tuple[asyncio.Task[Any], bool]]:
        """From now on a cancelled work says that the daemon stops; the tasks under way, with their effects."""
        self._stopping = True
        return list(self._tasks.items())


async def let_go(task: asyncio.Task[Any], grace_s: float) -> None:
    """Wait, bounded, until it has ended by itself; then cancel it, and wait once more."""
    await asyncio.wait((task,), timeout=grace_s)
    if not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=SETTLE_S)
