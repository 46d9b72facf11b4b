"""A process of ours that answers messages, one at a time. Any thread may kill it. Knows no messages."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from servers.common.sqlite_worker import receive, send

ROOT = Path(__file__).parents[2]


class ChildProcess:
    """Runs `main(PID)` of a module: it ends with this process, PID, and sees nothing of its environment."""

    def __init__(self, module: str, *flags: str) -> None:
        """`flags`: Python's own, besides `-I`."""
        start = f"import sys; sys.path.insert(0, sys.argv[1]); from {module} import main; main(int(sys.argv[2]))"
        command = [sys.executable, "-I", *flags, "-c", start, str(ROOT), str(os.getpid())]
        self.killed = False
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Return whether the process can take messages."""
        return not self.killed and self._process.poll() is None

    def exchange(self, message: Any) -> Any:
        """Return the answer to a message; None if the process has ended. Raises ValueError (see `send`)."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            send(self._process.stdin, message)
            return receive(self._process.stdout)
        except OSError:
            return None

    def kill(self) -> None:
        self.killed = True
        self._process.kill()

    def end(self) -> None:
        """Kill the process, wait for it and close its streams."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # input that it didn't read
                stream.close()
