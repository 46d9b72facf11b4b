"""How long to wait before a lost server is started again. Pure."""

from __future__ import annotations

import random

from bridges.mcp.limits import ServerLimits


class Backoff:
    """Counts attempts that failed. A server that stayed up for a while starts with a clean sheet."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._failures = 0

    def after(self, lasted_s: float | None) -> float:
        """Seconds to wait after a connection that lasted so long, None if it never came up.

        Nothing after the first loss of a server that was up; then first, twice that, … up to the most, ± 20 %.
        """
        if lasted_s is not None and (self._failures == 0 or lasted_s >= self._limits.steady_s):
            self._failures = 1
            return 0.0
        wait = min(self._limits.retry_first_s * 2.0 ** min(self._failures, 30), self._limits.retry_most_s)
        self._failures += 1
        return wait * random.uniform(0.8, 1.2)

    def reset(self) -> None:
        """Forget the failures: somebody asked for a fresh start."""
        self._failures = 0
