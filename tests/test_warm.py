"""The template that test processes are forked from outlives what its askers do (tests/warm)."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path

from tests import warm


def ask(script: Path, *, whole: bool = True) -> socket.socket:
    """A connection on which a process of the template is asked for; half a request holds the template until its end."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(Path(warm.python()).parent.with_name("s")))
    request = json.dumps({"argv": ["python3", str(script)], "env": dict(os.environ), "cwd": str(Path.cwd())}).encode()
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        socket.send_fds(connection, [request + b"\n" * whole], [nothing.fileno()] * 3)
    return connection


def test_a_process_that_ends_while_its_asker_hangs_up_harms_no_other(tmp_path: Path) -> None:
    script = tmp_path / "sleeps.py"
    script.write_text("import time; time.sleep(60)")
    first = ask(script)
    pid = int(first.recv(64))
    second = ask(script, whole=False)
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z":
        pass
    first.close()
    second.sendall(b"\n")  # both events are read at once, the end first
    assert int(second.recv(64)) > 0
    second.close()
    third = ask(script)
    assert int(third.recv(64)) > 0
    third.close()
