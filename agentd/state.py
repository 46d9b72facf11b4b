"""The state folder: private to its owner, used by one daemon at a time and never during a restore.

It does not know what the files mean.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from hardening.files import give

LOCKS = IN_USE, DAEMON = ".in-use", ".daemon"
UNFINISHED = ".restoring"
OTHERS = 0o077
"""The permission bits of group and others."""


class StateError(OSError):
    """The state folder can't be used now; the text says why and what to do."""


@contextmanager
def in_use(state: Path) -> Iterator[None]:
    """Hold the folder for a daemon: create it if necessary, make it private and keep restores from starting.

    Raises StateError if it can't be created, a restore is running, or one was interrupted.
    """
    os.umask(OTHERS)
    try:
        state.mkdir(parents=True, exist_ok=True)
        _make_private(state)
    except OSError as error:
        raise _unusable(state, error) from None
    with _lock(state, IN_USE, fcntl.LOCK_SH, "a restore is under way"):
        if (state / UNFINISHED).exists():
            raise StateError(f"state folder {state}: a restore was cut off; run `agentd restore` again")
        yield


def alone(state: Path) -> AbstractContextManager[None]:
    """Hold the folder for a restore. Raises StateError while a daemon uses it."""
    return _lock(state, IN_USE, fcntl.LOCK_EX, "a daemon works in it: stop it first")


def one_daemon(state: Path) -> AbstractContextManager[None]:
    """Lock the folder for one daemon, since a second would continue the same runs. Raises StateError."""
    advice = "ask that one (AGENTD_LISTEN), or choose another folder (--state)"
    return _lock(state, DAEMON, fcntl.LOCK_EX, f"another daemon works in it, or is about to: {advice}")


def _unusable(state: Path, error: OSError) -> StateError:
    reason = error.strerror or type(error).__name__
    is_file = isinstance(error, FileExistsError | NotADirectoryError)
    first = "it is no folder;" if is_file else "make it writable for this user, or"
    advice = f"{first} name another folder with --state or AGENTD_STATE"
    return StateError(f"state folder {state} can't be used ({reason}): {advice}")


def _make_private(state: Path) -> None:
    """Make our folder private if an earlier version left it open; never a shared one such as /tmp."""
    found = state.stat()
    if found.st_mode & OTHERS and found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        state.chmod(0o700)


@contextmanager
def _lock(state: Path, name: str, how: int, held: str) -> Iterator[None]:
    try:
        opened = os.open(state / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unusable(state, error) from None
    with os.fdopen(opened, "r+b") as lock:
        give(lock.fileno(), state.stat())
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(f"state folder {state}: {held}") from None
        yield
