"""Slows down callers after wrong PINs: the register locks a NIK, but not a screen on which many NIKs are tried.

It counts by caller in this process; only the lock of a NIK is durable. It knows no PIN and no NIK.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agentd.errors import RateLimited

FREE = 6
"""Consecutive wrong tries without a delay: two people who mistype."""
LONGEST_S = 10.0
MOST_WAITING = 4
MOST_CALLERS = 1024


@dataclass(slots=True)
class Tries:
    """One caller's consecutive wrong tries, and how many of its tries wait for their turn."""

    wrong: int = 0
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def delay_s(self) -> float:
        return 0.0 if self.wrong < FREE else min(0.5 * 2.0 ** min(self.wrong - FREE, 10), LONGEST_S)


class Pace:
    """Allows each caller one try at a time, with a delay that grows with the wrong tries."""

    def __init__(self) -> None:
        self._callers: OrderedDict[str, Tries] = OrderedDict()

    @asynccontextmanager
    async def turn(self, caller_id: str) -> AsyncIterator[Tries]:
        """Inside the block the caller makes one try and sets `wrong` from its result. Raises RateLimited."""
        tries = self._callers.pop(caller_id, None) or Tries()
        self._callers[caller_id] = tries
        while len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)
        if tries.waiting >= MOST_WAITING and tries.delay_s:
            raise RateLimited("too many wrong PINs from this caller", retry_after_s=LONGEST_S)
        tries.waiting += 1
        try:
            async with tries.turn:
                await asyncio.sleep(tries.delay_s)
                yield tries
        finally:
            tries.waiting -= 1
