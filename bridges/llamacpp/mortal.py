"""Lets signals end the process while native code holds the GIL, when no Python handler can run. It loads nothing.

xllamacpp's constructor keeps the GIL while the weights load (seconds; on a busy machine a quarter of a minute), and a
Python handler would run only after that. A kill loses no runs: they continue at the next start.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_STOPS = (signal.SIGTERM, signal.SIGINT)
_DEFAULT = None
"""SIG_DFL as a pointer."""


@contextmanager
def mortal() -> Iterator[None]:
    """Make SIGTERM and SIGINT end the process at once within the block; restore their handlers afterwards.

    It uses the C library: Python sets handlers only on its main thread, and this runs on another.
    """
    set_handler = ctypes.CDLL(None).signal
    set_handler.argtypes, set_handler.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    before = {number: set_handler(number, _DEFAULT) for number in _STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            set_handler(number, handler)
