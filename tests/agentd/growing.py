"""How the cost of reading a text grows with its length. Not a test.

Time is the thread's own CPU time, over texts long enough to outweigh what a call costs, without the collector of
garbage, which runs when other work has filled it. What is measured beside other work is only ever too much: so the long
text's least and the short text's most count, of as many readings as it takes to come below the bound. A text that no
longer fits a cache of the machine costs more once, at one length; a quadratic reader is steep at every longer length.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

MOST = 2.5
"""What twice the text may cost."""
TRIES = 10
LENGTHS = 3
"""How many lengths, each twice the last, a reader must be steep at."""
ENOUGH_S = 0.004
FIRST, LAST = 4_000, 32_000
"""Characters; a text of LAST that is read in no time is quick enough, whatever its curve."""
SHORTER = 2_000
"""Of what letters read, which is read long enough."""


def grows(read: Callable[[str], object], family: Callable[[int], str], first: int = FIRST) -> float:
    """How many times dearer the double length is, at the least steep of LENGTHS from `first` that can be measured."""
    size = first
    while (small := _cost(read, family(size))) < ENOUGH_S and size < LAST:
        size *= 2
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
