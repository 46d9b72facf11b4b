"""Measures how the cost of reading a text grows with its length. Not a test.

Time is the thread's CPU time for texts long enough to outweigh a call's overhead; the garbage collector is off, because
other work triggers it. Other load can only increase a measured time, so the long text's minimum and the short text's
maximum are compared, over as many readings as needed to get below the bound. A text that outgrows a CPU cache costs
more at one length only; a quadratic reader is steep at every longer length.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from math import floor, log2

MOST = 2.5
"""Maximum cost ratio for a text of double length."""
TRIES = 10
LENGTHS = 3
"""Number of lengths, each twice the last, at which a reader must be steep to fail."""
ENOUGH_S = 0.004
FIRST, LAST = 1_000, 32_000
"""Characters. If reading LAST characters takes no measurable time, the reader is fast enough whatever its curve."""


def grows(read: Callable[[str], object], family: Callable[[int], str]) -> float:
    """The cost ratio of doubling the length: the smallest over LENGTHS measurable lengths."""
    size = FIRST
    while (small := _cost(read, family(size))) < ENOUGH_S and size < LAST:
        doublings = max(1, floor(log2(ENOUGH_S / max(small, 1e-6))))
        size = min(LAST, size << doublings)
    if small < ENOUGH_S:
        return 2.0
    least = float("inf")
    for _ in range(LENGTHS):
        big = _cost(read, family(2 * size))
        for _ in range(TRIES):
            if big <= MOST * small:
                return big / small
            small = max(small, _cost(read, family(size)))
            big = min(big, _cost(read, family(2 * size)))
        least = min(least, big / small)
        size, small = 2 * size, big
    return least


def _cost(read: Callable[[str], object], words: str) -> float:
    gc.collect(0)
    gc.disable()
    try:
        began = time.thread_time()
        read(words)
        return time.thread_time() - began
    finally:
        gc.enable()
