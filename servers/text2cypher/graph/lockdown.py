"""Restricts file and memory access of the process that runs queries. Full effect on Linux; elsewhere only limits.

A database opened read-only still reads and writes files for a query. After `deny_files` no thread started by this one
can open a file outside the allowed folder, even for reading (Landlock). After `limit` the process can't write to files
(size 0), open new ones if the kernel has no Landlock, or use more memory than MEMORY_BYTES.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from pathlib import Path

MEMORY_BYTES = 4 << 30
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS, _PR_SET_PDEATHSIG, _SIGKILL = 38, 1, 9
_FILE_RIGHTS = (1 << 13) - 1  # all rights of Landlock's first version
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def die_with_parent() -> None:
    """Kills this process when its parent dies, so that no engine is left behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def deny_files(allowed: Path) -> bool:
    """Irrevocably lets this thread and those it starts only read `allowed` and open nothing else. False: no Landlock.

    Call it before the engine starts its threads and after the last import.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_CREATE_RULESET, None, 0, 1) < 1:
        return False
    rights = ctypes.c_uint64(_FILE_RIGHTS)
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rights), ctypes.sizeof(rights), 0)
    folder = os.open(allowed, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(_READ_FILE | _READ_DIR, folder)
        added = libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0) == 0
        alone = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        return bool(added and alone and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(folder)
        os.close(ruleset)


def limit(*, files: bool) -> None:
    """Irrevocable. With `files`, no more descriptors can be opened. Call it when everything needed is open."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    if files:
        highest = max(int(entry.name) for entry in Path("/dev/fd").iterdir())
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest, highest))
