"""The state folder: private to its owner, one daemon's at a time, not used while a restore is under way.

It knows no file's meaning.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCKS = IN_USE, DAEMON = ".in-use", ".daemon"
UNFINISHED = ".restoring"
OTHERS = 0o077
"""The rights of group and others."""


class StateError(OSError):
    """The state folder can't be worked in now; the text says why and what to do."""


@contextmanager
def in_use(state: Path) -> Iterator[None]:
    """While a daemon works in this folder: made if need be, closed to others, and no restore can begin.

    Raises StateError where it can't be made, while a restore is under way, or when one was cut off.
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


@contextmanager
def alone(state: Path) -> Iterator[None]:
    """While a restore works in this folder. Raises StateError when a daemon does."""
    with _lock(state, IN_USE, fcntl.LOCK_EX, "a daemon works in it: stop it first"):
        yield


@contextmanager
def one_daemon(state: Path) -> Iterator[None]:
    """Lock the folder for a daemon: a second daemon would continue the same runs. Raises StateError."""
    other = (
        "another daemon works in it, or is about to: ask that one (AGENTD_LISTEN), or choose another folder (--state)"
    )
    with _lock(state, DAEMON, fcntl.LOCK_EX, other):
        yield


def give(made: int | Path, owner: os.stat_result) -> None:
    """What root made, a descriptor or a folder, for a daemon that runs as the state folder's owner."""
    if os.geteuid() == 0:
        os.chown(made, owner.st_uid, owner.st_gid)


def replace(file: Path, content: bytes) -> None:
    """Write a file of the state folder whole or not at all; it is on the disk then, its owner's alone."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(handle, "wb") as made:
            give(made.fileno(), file.parent.stat())
            made.write(content)
            made.flush()
            os.fsync(made.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _unusable(state: Path, error: OSError) -> StateError:
    reason = error.strerror or type(error).__name__
    advice = "make it writable for this user, or name another folder with --state or AGENTD_STATE"
    return StateError(f"state folder {state} can't be used ({reason}): {advice}")


def _make_private(state: Path) -> None:
    """A folder of ours that an earlier version left open; never one like /tmp that many share."""
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
