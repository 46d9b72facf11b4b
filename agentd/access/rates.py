"""Limits how many calls a caller may make. It counts in memory only."""

from __future__ import annotations

import time
from collections import OrderedDict

from agentd.access.tokens import OWN_SERVER, TokenStore
from agentd.errors import RateLimited
from agentd.messages import Caller
from agentd.ports import Clock

FAILED_A_MINUTE = 10
_KEYS = 4096


class FailedTries:
    """Wrong tokens and codes of the last minute by address; the least recently failed addresses are dropped first."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, address: str) -> list[float]:
        """When the address has failed of late. Raises RateLimited with retry_after_s if that was too often."""
        now = time.monotonic()
        recent = [at for at in self._failed.get(address, ()) if at > now - 60]
        if len(recent) >= FAILED_A_MINUTE:
            wait = round(recent[0] + 60 - now, 1)
            raise RateLimited(
                f"{FAILED_A_MINUTE} wrong tokens or codes came from this address within a minute; wait {wait} s",
                retry_after_s=wait,
            )
        return recent

    def failed(self, address: str) -> None:
        """Count one more failure. Raises RateLimited if there were too many already."""
        self._failed[address] = [*self.check(address), time.monotonic()]
        self._failed.move_to_end(address)
        while len(self._failed) > _KEYS:
            self._failed.popitem(last=False)


class Buckets:
    """Token buckets by key, each holding one minute's calls; the least recently used are dropped."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, per_minute: float, calls: int = 1) -> float:
        """Take this many calls and return 0.0, or take none and return the seconds to wait."""
        now = self._clock.monotonic()
        level, at = self._buckets.pop(key, (per_minute, now))
        level = min(per_minute, level + (now - at) * per_minute / 60)
        wait = max(0.0, (calls - level) * 60 / per_minute)
        self._buckets[key] = (level if wait else level - calls, now)
        while len(self._buckets) > _KEYS:
            self._buckets.popitem(last=False)
        return wait


class RateLimiter:
    """Limits calls with a bucket for each caller. Admins are unlimited by default."""

    def __init__(self, tokens: TokenStore, default_per_minute: float | None, clock: Clock) -> None:
        self._tokens = tokens
        self._default = default_per_minute
        self._buckets = Buckets(clock)

    def charge(self, caller: Caller, calls: int = 1) -> None:
        """Take `calls` from the caller's bucket. Raises RateLimited with retry_after_s."""
        rate = self._tokens.rate_of(caller.id)
        if rate is None:
            if "admin" in caller.scopes or caller == OWN_SERVER or self._default is None:
                return
            rate = self._default
        if calls > rate:
            raise RateLimited(
                f"{caller.id} may make {rate:g} calls a minute, so never {calls} at once; send fewer in a batch",
                retry_after_s=60.0,
            )
        if wait := self._buckets.take(caller.id, rate, calls):
            text = f"{caller.id} may make {rate:g} calls a minute; try again in {wait:.1f} s"
            raise RateLimited(text, retry_after_s=round(wait, 1))
