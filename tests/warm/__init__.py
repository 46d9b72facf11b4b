"""Starts `agentd` and the MCP servers as forks of a process that has imported them: a tenth of a start's work.

Each is a process of its own over real pipes and sockets, with its own environment, arguments and exit code. What it
does not do again is to import its libraries. Tests of the start itself, and of what a process shows to others, are
marked `cold`; `pytest --cold` starts everything from the disk.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

TEMPLATE = Path(__file__).with_name("template.py")
LAUNCHER = Path(__file__).with_name("launcher.py")
AGENTD = Path(sys.executable).with_name("agentd")
START_S = 120
allowed = False
"""Set by tests/conftest.py for each test; programs outside of pytest (the drill) start everything from the disk."""


class Forked:
    """One process, with what tests use of subprocess.Popen."""

    def __init__(self, connection: socket.socket, stdout: IO[str]) -> None:
        self._connection, self.stdout = connection, stdout
        self._answers = connection.makefile("r")
        self.pid = int(self._answers.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, as Popen's, or None while it lives."""
        try:
            return self.wait(0.001)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, when it has ended. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            self._connection.settimeout(timeout)
            try:
                ready = self._connection.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
            self._connection.settimeout(None)
            self.returncode = int(self._answers.readline()) if ready else -signal.SIGKILL
            self._answers.close()
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing where it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def agentd(
    words: Sequence[str | Path], *, program: Path, stderr: IO[str], env: Mapping[str, str], cwd: Path | None = None
) -> Forked | subprocess.Popen[str]:
    """`agentd WORDS`, its standard output as text in a pipe. Another program than ours is started from the disk."""
    if not allowed or program != AGENTD:
        return subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=stderr, text=True, env=env, cwd=cwd)
    request = {"argv": [str(word) for word in (program, *words)], "env": dict(env), "cwd": str(cwd or Path.cwd())}
    ours, theirs = os.pipe()
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(_template()))
        message = json.dumps(request).encode() + b"\n"
        with Path(os.devnull).open("rb") as nothing:
            socket.send_fds(connection, [message[:1]], [nothing.fileno(), theirs, stderr.fileno()])
            connection.sendall(message[1:])
            return Forked(connection, os.fdopen(ours))
    finally:
        os.close(theirs)


def command() -> Path:
    """`agentd` for a command line, standard input too: a fork where that is allowed."""
    return _template().with_name("bin") / "agentd" if allowed else AGENTD


def python() -> str:
    """A Python for a command line: our servers and the tests' own are forks where that is allowed."""
    return str(_template().with_name("bin") / "python3") if allowed else sys.executable


@cache
def _template() -> Path:
    """The address of this test process's template, started with the first request and ended with this process."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))  # short: a socket's path has 107 characters at most
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _environment(folder)
    process = subprocess.Popen(
        [sys.executable, TEMPLATE, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    assert process.stdin is not None and process.stdout is not None
    atexit.register(process.wait, START_S)
    atexit.register(process.stdin.close)
    if process.stdout.readline() != "ready\n":
        raise AssertionError("the template of test processes did not start")
    return folder / "s"


def _environment(folder: Path) -> None:
    """A virtual environment like ours but for `python3` and `agentd`, which ask the template for their imports."""
    ours = Path(sys.prefix)
    (folder / "bin").mkdir()
    (folder / "lib").symlink_to(ours / "lib")
    shutil.copy(ours / "pyvenv.cfg", folder)
    (folder / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    launcher = f"#!{sys.executable} -IS\n" + LAUNCHER.read_text().replace("@TEMPLATE@", str(folder / "s"))
    for program in (folder / "bin" / "python3", folder / "bin" / "agentd"):
        program.write_text(launcher)
        program.chmod(0o700)
