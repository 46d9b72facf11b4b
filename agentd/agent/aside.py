"""Reads people's words in a thread, off the event loop, under a budget of CPU time. It knows nothing of what is read.

One thread reads for all runs: whatever it is busy with, the loop competes with no more than one. What is short is
read at once: to wake the thread, and then the loop, takes longer than that.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar

BUDGET_S = 2.0
"""CPU seconds of one reading. The longest session there can be needs a fraction of it."""
SHORT = 500
"""Characters; the slowest text there is takes some 10 ms for so many (docs/drills-attacks.md)."""

P = ParamSpec("P")
T = TypeVar("T")
_READER = ThreadPoolExecutor(1, "reader")
_ends: ContextVar[float] = ContextVar("ends", default=math.inf)


class OverBudget(Exception):
    """A reading took longer than it may; nothing of what it was to prove counts as proven."""


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do it in the reader's thread, within the budget."""
    return await within(BUDGET_S, partial(work, *args, **kwargs))


async def read(chars: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do it here where it reads so few characters, which take no budget; else aside, within the budget."""
    return await aside(work, *args, **kwargs) if chars > SHORT else work(*args, **kwargs)


async def within(budget_s: float, work: Callable[[], T]) -> T:
    """Do it in the reader's thread; its calls of `spend` raise once that CPU time is over."""
    return await asyncio.get_running_loop().run_in_executor(_READER, copy_context().run, _budgeted, budget_s, work)


def _budgeted(budget_s: float, work: Callable[[], T]) -> T:
    _ends.set(time.thread_time() + budget_s)
    return work()


def spend() -> None:
    """A place where a reading may end. Raises OverBudget when its time is over."""
    ends = _ends.get()
    if ends < math.inf and time.thread_time() > ends:  # asking the kernel for it is expensive
        raise OverBudget("the reading took longer than it may")
