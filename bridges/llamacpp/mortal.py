"""Signals while native code holds the interpreter: they end the process, as no handler of Python's can run. No loading.

xllamacpp's constructor keeps the GIL for as long as the weights load (seconds; on a busy machine a quarter of a
minute). A stop would wait for it, and only then begin. Runs lose nothing by a kill: they go on at the next start.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_STOPS = (signal.SIGTERM, signal.SIGINT)
_DEFAULT = None
"""SIG_DFL, as a pointer."""


@contextmanager
def mortal() -> Iterator[None]:
    """SIGTERM and SIGINT end the process at once; what handled them before does so again afterwards.

    By the C library, since Python sets handlers on its main thread only, and this is another.
    """
    set_handler = ctypes.CDLL(None).signal
    set_handler.argtypes, set_handler.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    before = {number: set_handler(number, _DEFAULT) for number in _STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            set_handler(number, handler)
