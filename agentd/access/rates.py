"""How many calls a caller may make. It counts in memory and forgets at the end."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from agentd.access.callers import OWN_SERVER
from agentd.access.tokens import TokenStore
from agentd.errors import RateLimited
from agentd.messages import Caller
from agentd.ports import Clock

FAILED_A_MINUTE = 10
_ADDRESSES = 4096


class FailedTries:
    """Wrong tokens and codes by address, of the last minute; the longest unused addresses are forgotten first."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failed: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raises RateLimited with retry_after_s for an address that has failed too often."""
        now = self._monotonic()
        recent = [at for at in self._failed.get(address, ()) if at > now - 60]
        if len(recent) >= FAILED_A_MINUTE:
            wait = round(recent[0] + 60 - now, 1)
            raise RateLimited(
                f"{FAILED_A_MINUTE} wrong tokens or codes came from this address within a minute; wait {wait} s",
                retry_after_s=wait,
            )

    def failed(self, address: str) -> None:
        """Count one more. Raises RateLimited when there were too many before it."""
        self.check(address)
        now = self._monotonic()
        recent = [at for at in self._failed.pop(address, ()) if at > now - 60]
        self._failed[address] = [*recent, now]
        while len(self._failed) > _ADDRESSES:
            self._failed.popitem(last=False)


class RateLimiter:
    """A bucket of calls for each caller, filled evenly, one minute's worth deep. Admins have none by default."""

    def __init__(self, tokens: TokenStore, default_per_minute: float | None, clock: Clock) -> None:
        self._tokens = tokens
        self._default = default_per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def charge(self, caller: Caller, calls: int = 1) -> None:
        """Take `calls` from the bucket. Raises RateLimited with retry_after_s."""
        rate = self._tokens.rate_of(caller.id)
        if rate is None:
            if "admin" in caller.scopes or caller == OWN_SERVER or self._default is None:
                return
            rate = self._default
        now = self._clock.monotonic()
        level, at = self._buckets.get(caller.id, (rate, now))
        level = min(rate, level + (now - at) * rate / 60)
        if calls > rate:
            raise RateLimited(
                f"{caller.id} may make {rate:g} calls a minute, so never {calls} at once; send fewer in a batch",
                retry_after_s=60.0,
            )
        if level < calls:
            self._buckets[caller.id] = (level, now)
            wait = (calls - level) * 60 / rate
            raise RateLimited(
                f"{caller.id} may make {rate:g} calls a minute; try again in {wait:.1f} s", retry_after_s=round(wait, 1)
            )
        self._buckets[caller.id] = (level - calls, now)
