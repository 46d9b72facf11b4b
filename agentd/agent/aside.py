"""Runs text-reading work in a thread, off the event loop, within a CPU-time budget. It does not know the work.

One thread serves all runs, so the event loop competes with only one. Short texts are read at once, since waking the
thread and then the loop takes longer.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import ParamSpec, TypeVar

BUDGET_S = 2.0
"""CPU seconds for one reading. The longest possible session needs a fraction of this."""
SHORT = 500
"""Characters. The slowest known text of this length takes about 10 ms (docs/drills.md)."""

P = ParamSpec("P")
T = TypeVar("T")
_READER = ThreadPoolExecutor(1, "reader")
_ends: ContextVar[float] = ContextVar("ends", default=math.inf)


class OverBudget(Exception):
    """A reading exceeded its CPU-time budget; nothing that it was to prove counts as proven."""


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in the reader's thread; its calls of `spend` raise once BUDGET_S of CPU time is used."""

    def within_budget() -> T:
        _ends.set(time.thread_time() + BUDGET_S)
        return work(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(_READER, copy_context().run, within_budget)


async def read(chars: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` here, without a budget, if it reads at most SHORT characters; else `aside`."""
    return await aside(work, *args, **kwargs) if chars > SHORT else work(*args, **kwargs)


def spend() -> None:
    """Check the CPU-time budget of the current reading. Raises OverBudget when it is used up."""
    ends = _ends.get()
    if ends < math.inf and time.thread_time() > ends:  # asking the kernel for it is expensive
        raise OverBudget("the reading took longer than it may")
