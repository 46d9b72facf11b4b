"""Examines files that the register doesn't know, in a process that can be killed.

Anybody may send a file to /verify, and a PDF of 170 bytes can keep its reader busy for ever.
"""

from __future__ import annotations

import functools
import ssl
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from servers.common.child_process import ChildProcess

if TYPE_CHECKING:  # it imports pyHanko, which takes a third of the server's start
    from servers.certificate.signing.signing import Finding

LIMIT_S = 5.0
"""Time limit for one file, after the process has started."""
START_S = 60.0
WAITING = 4
"""Files at once, including the one being read: each occupies one of the server's threads."""


class Busy(Exception):
    """Too many unknown files are waiting."""


class UnknownFiles:
    """One process that reads one file at a time; a file that exceeds time or memory counts as broken."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._slots = threading.BoundedSemaphore(WAITING)
        self._process: ChildProcess | None = None

    def examine(self, pdf: bytes, roots: Sequence[Any]) -> Finding:
        """Return the finding of `signing.examine`, or `unreadable` if the process had to be killed. Raises Busy."""
        if not self._slots.acquire(blocking=False):
            raise Busy
        try:
            with self._turn:
                return self._asked(pdf, [ssl.DER_cert_to_PEM_cert(root.dump()) for root in roots])
        finally:
            self._slots.release()

    def close(self) -> None:
        """End the process; the next file starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _asked(self, pdf: bytes, roots: list[str]) -> Finding:
        if self._process is None or not self._process.alive:
            self.close()
            self._process = ChildProcess("servers.certificate.verifying.unknown_file_worker")
            _answer(self._process, (b"", []), START_S)  # it has started
        return _answer(self._process, (pdf, roots), LIMIT_S)


def _answer(process: ChildProcess, question: tuple[bytes, list[str]], limit_s: float) -> Finding:
    late = threading.Timer(limit_s, process.kill)
    late.start()
    try:
        found = process.exchange(question)
    finally:
        late.cancel()
    if found is None:
        process.kill()
    return "unreadable" if found is None else cast("Finding", found)


@functools.cache
def shared() -> UnknownFiles:
    """Return the program's shared instance; its process ends with the program."""
    return UnknownFiles()
