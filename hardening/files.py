"""Reads a plain file, writes one whole or not at all, for its owner alone, syncs it, and tells whether one has changed.
It knows no folder."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from pathlib import Path


def give(made: int | Path, owner: os.stat_result) -> None:
    """Give a file (descriptor) or folder made by root to the owner of its folder, as whom our processes run."""
    if os.geteuid() == 0:
        os.chown(made, owner.st_uid, owner.st_gid)


def plain_text(file: Path, most: int) -> str:
    """The text of a file that somebody named, without the byte order mark of some editors: no pipe or device, which
    might never end. Raises OSError, also for one of more than `most` bytes, and UnicodeDecodeError."""
    if file.stat().st_size > most or not file.is_file():
        raise OSError(errno.EINVAL, f"should be a file of at most {most} bytes", str(file))
    return file.read_text(encoding="utf-8-sig")


def append(file: int, text: str) -> None:
    """Append the line to the open file and sync it; starts a new line after an interrupted write."""
    size = os.fstat(file).st_size
    cut_off = size > 0 and os.pread(file, 1, size - 1) != b"\n"
    rest = (("\n" if cut_off else "") + text + "\n").encode()
    while rest:
        rest = rest[os.write(file, rest) :]
    os.fsync(file)


def replace(file: Path, content: bytes) -> None:
    """Replace a file atomically: synced to disk and readable only by its owner."""
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


def sync(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(file: Path) -> tuple[int, int, int]:
    """The file's modification time, size and inode, which change when it is written; zeros while there is none, less
    while it can't be looked at."""
    try:
        there = file.stat()
    except FileNotFoundError:
        return 0, 0, 0
    except OSError:
        return -1, -1, -1
    return there.st_mtime_ns, there.st_size, there.st_ino
