"""Examines files that the register doesn't know, in a process that can be killed.

Anybody may send a file to /verify, and a PDF of 170 bytes can keep its reader busy for ever.
"""

from __future__ import annotations

import functools
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from servers.common.sqlite_worker import receive, send

if TYPE_CHECKING:  # it imports pyHanko, which takes a third of the server's start
    from servers.certificate.signing.signing import Finding

LIMIT_S = 5.0
"""Time limit for one file, after the process has started."""
START_S = 60.0
WAITING = 4
"""Files at once, including the one being read: each occupies one of the server's threads."""
_FROM = "servers.certificate.verifying.stranger_worker"
START = f"import sys; sys.path.insert(0, sys.argv[1]); from {_FROM} import main; main()"
ROOT = Path(__file__).parents[3]


class Busy(Exception):
    """Too many unknown files are waiting."""


class Strangers:
    """One process that reads one file at a time; a file that exceeds time or memory counts as broken."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(WAITING)
        self._process: subprocess.Popen[bytes] | None = None

    def examine(self, pdf: bytes, roots: Sequence[Any]) -> Finding:
        """Return the finding of `signing.examine`, or `unreadable` if the process had to be killed. Raises Busy."""
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            with self._turn:
                return self._asked(pdf, [ssl.DER_cert_to_PEM_cert(root.dump()) for root in roots])
        finally:
            self._places.release()

    def close(self) -> None:
        """End the process; the next file starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                with suppress(BrokenPipeError):  # input that it didn't read
                    stream.close()

    def _asked(self, pdf: bytes, roots: list[str]) -> Finding:
        process = self._process
        if process is None or process.poll() is not None:
            self.close()
            process = self._process = self._started()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Timer(LIMIT_S, process.kill)
        late.start()
        try:
            send(process.stdin, (pdf, roots))
            found = receive(process.stdout)
        except OSError:
            found = None
        finally:
            late.cancel()
        if found is None:
            process.kill()
            process.wait()
        return "unreadable" if found is None else cast("Finding", found)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-c", START, str(ROOT), str(os.getpid())]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, env={})
        late = threading.Timer(START_S, process.kill)
        late.start()
        assert process.stdout is not None
        receive(process.stdout)  # wait for "ready"
        late.cancel()
        return process


@functools.cache
def shared() -> Strangers:
    """Return the program's shared instance; its process ends with the program."""
    return Strangers()
