"""The template that test processes are forked from outlives what its askers do (tests/warm)."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
from functools import cache
from pathlib import Path

import pytest

from tests import warm
from tests.waiting import until


def ask(*argv: str | Path, whole: bool = True) -> socket.socket:
    """A connection on which a process of the template is asked for; half a request holds the template until its end."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(Path(warm.python()).parent.with_name("s")))
    request = json.dumps({"argv": [*map(str, argv)], "env": dict(os.environ), "cwd": str(Path.cwd())}).encode()
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        socket.send_fds(connection, [request + b"\n" * whole], [nothing.fileno()] * 3)
    return connection


def test_a_process_that_ends_while_its_asker_hangs_up_harms_no_other(tmp_path: Path) -> None:
    script = tmp_path / "sleeps.py"
    script.write_text("import time; time.sleep(60)")
    first = ask("python3", script)
    pid = int(first.recv(64))
    second = ask("python3", script, whole=False)
    os.kill(pid, signal.SIGKILL)
    until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z", "the end of the first")
    first.close()
    second.sendall(b"\n")  # both events are read at once, the end first
    assert int(second.recv(64)) > 0
    second.close()
    third = ask("python3", script)
    assert int(third.recv(64)) > 0
    third.close()


def test_the_exit_code_of_a_process_that_ends_at_once_is_its_own() -> None:
    ours, template = socket.socketpair()
    with ours, template:
        template.sendall(b"123\n7\n")
        template.close()
        process = warm.Forked(ours, io.StringIO())
        assert (process.pid, process.wait(300), process.poll()) == (123, 7, 7)


def test_a_request_that_can_not_be_run_harms_no_other(tmp_path: Path) -> None:
    before = warm.python()
    with ask("agentd") as asked:  # no command
        assert asked.makefile().read() == "0\n1\n"
    (tmp_path / "ends.py").write_text("")
    with ask("python3", tmp_path / "ends.py") as asked:
        pid, code = asked.makefile().read().split()
        assert (int(pid) > 0, code, warm.python()) == (True, "0", before)


def test_where_a_template_has_ended_another_one_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(warm.SHARED, raising=False)
    monkeypatch.setattr(warm, "_started", cache(warm._started.__wrapped__))
    folder, process = warm._started()
    process.kill()
    process.wait(300)
    assert Path(warm.python()).parent.parent != folder
    assert warm._started()[1].poll() is None
