"""Starts `agentd` and the MCP servers as forks of a process that has imported their code: a tenth of a start's work.

Each is a separate process with real pipes and sockets and with its own environment, arguments and exit code; only the
import of libraries is skipped. Tests of the start itself, and of how a process appears to others, are marked `cold`;
`pytest --cold` starts everything from the disk.
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
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

TEMPLATE = Path(__file__).with_name("template.py")
LAUNCHER = Path(__file__).with_name("launcher.py")
AGENTD = Path(sys.executable).with_name("agentd")
START_S = 300
SHARED = "AGENTD_TESTS_TEMPLATE"
"""The environment variable with the folder of the template that all workers of a test run share."""
allowed = False
"""Set by tests/conftest.py for each test; programs outside pytest (the drill) start everything from the disk."""


class Forked:
    """A process with the parts of subprocess.Popen that tests use."""

    def __init__(self, connection: socket.socket, stdout: IO[str]) -> None:
        self._connection, self.stdout = connection, stdout
        self._answers = b""
        """Bytes read but not used yet: when a process ends at once, its pid and exit code arrive together."""
        pid = self._answer(START_S)
        if not pid:
            raise AssertionError("the template of test processes has ended; its standard error says why")
        self.pid = int(pid)
        self.returncode: int | None = None

    def _answer(self, timeout: float | None) -> bytes:
        """The template's next line; empty when it has ended. Raises TimeoutError."""
        self._connection.settimeout(timeout)
        while b"\n" not in self._answers:
            more = self._connection.recv(64)
            if not more:
                return b""
            self._answers += more
        line, _, self._answers = self._answers.partition(b"\n")
        return line

    def poll(self) -> int | None:
        """The exit code as in Popen, or None while the process runs."""
        try:
            return self.wait(0.001)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            try:
                code = self._answer(timeout)
            except TimeoutError:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
            self.returncode = int(code) if code else -signal.SIGKILL
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal; does nothing when the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def agentd(
    words: Sequence[str | Path], *, program: Path, stderr: IO[str], env: Mapping[str, str], cwd: Path | None = None
) -> Forked | subprocess.Popen[str]:
    """Start `agentd WORDS` with stdout as a text pipe. A `program` that isn't ours starts from the disk."""
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
    """The `agentd` to use in a command line, also with standard input; a fork where allowed."""
    return _template().with_name("bin") / "agentd" if allowed else AGENTD


def python() -> str:
    """The Python to use in a command line; our servers and the tests' own are forks where allowed."""
    return str(_template().with_name("bin") / "python3") if allowed else sys.executable


def share() -> None:
    """Start one template for this process and its children, because each would import the same."""
    os.environ[SHARED] = str(_started()[0])


def _template() -> Path:
    """The address of the shared template or this process's own. One that has ended is replaced by another."""
    if SHARED in os.environ:
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.connect(str(shared := Path(os.environ[SHARED], "s")))
            return shared
    folder, process = _started()
    if process.poll() is not None:
        _started.cache_clear()
        folder, process = _started()
    return folder / "s"


def interpreter() -> str:
    """A value for `sys.executable`: the `python3` beside it starts forks where allowed."""
    return str(_template().with_name("bin") / "python") if allowed else sys.executable


@cache
def _started() -> tuple[Path, subprocess.Popen[str]]:
    """The template's folder and process: started at the first request, ended with this process."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))  # short, because a socket's path has at most 107 characters
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _environment(folder)
    process = subprocess.Popen(
        [sys.executable, TEMPLATE, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    assert process.stdin is not None and process.stdout is not None
    atexit.register(process.wait, START_S)
    atexit.register(process.stdin.close)
    if process.stdout.readline() != "ready\n":
        raise AssertionError("the template of test processes did not start; its standard error says why")
    return folder, process


def _environment(folder: Path) -> None:
    """Create a virtual environment like ours, except that `python3` and `agentd` request forks from the template."""
    ours = Path(sys.prefix)
    (folder / "bin").mkdir()
    (folder / "lib").symlink_to(ours / "lib")
    shutil.copy(ours / "pyvenv.cfg", folder)
    (folder / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    launcher = f"#!{sys.executable} -IS\n" + LAUNCHER.read_text().replace("@TEMPLATE@", str(folder / "s"))
    for program in (folder / "bin" / "python3", folder / "bin" / "agentd"):
        program.write_text(launcher)
        program.chmod(0o700)
