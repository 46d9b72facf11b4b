"""Runs an MCP server as its child; when the child is killed with -9, kills the daemon with -9 at the same point.

    python3 -m lab.drill.fuse -m servers.certificate      DAEMON_PID_FILE names the file that holds the daemon's pid

The child uses this process's standard input and output, so the daemon dies before it can notice the child's death.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def main() -> int:
    """Run the child and return its exit code."""
    daemon = os.pidfd_open(int(Path(os.environ["DAEMON_PID_FILE"]).read_text()))
    code = subprocess.call([Path(sys.executable).with_name("python3"), *sys.argv[1:]])
    if code == -signal.SIGKILL:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(daemon, signal.SIGKILL)
    return abs(code)


if __name__ == "__main__":
    sys.exit(main())
