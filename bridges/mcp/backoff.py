"""Computes how long to wait before restarting a lost server. No I/O."""

from __future__ import annotations

import random

from bridges.mcp.limits import ServerLimits


class Backoff:
    """Counts failed attempts. After a connection that lasted long enough the count starts again."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._failures = 0

    def after(self, lasted_s: float | None) -> float:
        """Return the seconds to wait after a connection of `lasted_s` seconds (None if it never came up).

        0 after the first loss of a server that was up; then `retry_first_s`, doubling up to `retry_most_s`, ± 20 %.
        """
        if lasted_s is not None and (self._failures == 0 or lasted_s >= self._limits.steady_s):
            self._failures = 1
            return 0.0
        wait = min(self._limits.retry_first_s * 2.0 ** min(self._failures, 30), self._limits.retry_most_s)
        self._failures += 1
        return wait * random.uniform(0.8, 1.2)

    def reset(self) -> None:
        """Forget the failures, after a requested restart."""
        self._failures = 0
