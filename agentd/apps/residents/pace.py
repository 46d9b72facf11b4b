"""Slows down a screen where one PIN after the other is wrong: a NIK is locked by the register, a screen is not.

It counts by caller, in this process: the lock of a NIK is what lasts. It knows no PIN and no NIK.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agentd.errors import RateLimited

FREE = 6
"""Wrong tries in a row that cost nothing: two people who mistype."""
LONGEST_S = 10.0
MOST_WAITING = 4
MOST_CALLERS = 1024


@dataclass(slots=True)
class Tries:
    """The wrong tries of one caller in a row, and who waits for a turn."""

    wrong: int = 0
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def delay_s(self) -> float:
        return 0.0 if self.wrong < FREE else min(0.5 * 2.0 ** min(self.wrong - FREE, 10), LONGEST_S)


class Pace:
    """One try at a time for each caller, the later the more were wrong."""

    def __init__(self) -> None:
        self._callers: OrderedDict[str, Tries] = OrderedDict()

    @asynccontextmanager
    async def turn(self, caller_id: str) -> AsyncIterator[Tries]:
        """Within it the caller's one try is made; set `wrong` by what it came to. Raises RateLimited."""
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
