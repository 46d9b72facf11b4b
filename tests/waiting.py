"""Polling for results that other processes don't announce: a file, a row or an answer. Not a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")
WITHIN_S = 300
"""Timeout in seconds; anything slower has failed even on a busy machine."""
PAUSE_S = 0.05


def until(asked: Callable[[], Answer], what: str) -> Answer:
    """Poll `asked` until its result is true, and return it. Fails with `what` on a timeout."""
    end = time.monotonic() + WITHIN_S
    while not (answer := asked()):
        assert time.monotonic() < end, f"not within {WITHIN_S} s: {what}"
        time.sleep(PAUSE_S)
    return answer
