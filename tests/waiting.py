"""Waiting for what nothing announces to a test: another process's file, row or answer. Not a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")
WITHIN_S = 300
"""However busy the machine is, what takes longer has failed."""
PAUSE_S = 0.05


def until(asked: Callable[[], Answer], what: str) -> Answer:
    """Its answer, once that is true. Fails, saying `what` was waited for."""
    end = time.monotonic() + WITHIN_S
    while not (answer := asked()):
        assert time.monotonic() < end, f"not within {WITHIN_S} s: {what}"
        time.sleep(PAUSE_S)
    return answer
