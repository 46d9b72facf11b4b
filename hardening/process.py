"""Closes this process to the other programs of its user: environment, memory, dumps. It reads no setting."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

PR_SET_DUMPABLE = 4
SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|DSN|URL|PROXY", re.IGNORECASE)
"""Variables that no child gets by inheritance. What a child needs of them is given to it by name."""
ENV_START, ENV_END = 50, 51
"""Fields of /proc/self/stat, as proc(5) counts them."""


def close_to_others() -> None:
    """Empty /proc/PID/environ, and let nobody but root read the rest of /proc/PID or get a core dump. A standard stream
    that is closed becomes /dev/null: else a database would get its number, and what is printed.

    `os.environ` stays as it is; of the C library's copy, which children inherit, what may be a secret goes.
    To be called before threads are started. A child is open to others again, and must call this itself.
    """
    while (null := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest number that is free
        os.set_inheritable(null, True)
    os.close(null)
    sys.stdout, sys.stderr = sys.stdout or os.fdopen(1, "w"), sys.stderr or os.fdopen(2, "w")
    _empty_environ()
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    with suppress(OSError, ValueError):  # the unit's LimitCORE= has done it already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _empty_environ() -> None:
    """The kernel shows the memory in which the process was given its variables: copy them out of it, then clear it."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()  # the first of them is field 3
    start, end = int(fields[ENV_START - 3]), int(fields[ENV_END - 3])
    for name, value in os.environ.items():
        if SECRET.search(name):
            os.unsetenv(name)
        else:
            os.putenv(name, value)
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
