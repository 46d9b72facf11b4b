"""Stands between the daemon and one server, so that nothing the server starts outlives the daemon. Speaks no MCP.

    python -I -S guardian.py GRACE_SECONDS [--remove FOLDER] -- COMMAND [ARG …]

The server inherits standard input, output and error. The guardian doesn't read them: it watches standard input for the
hang-up when the daemon closes it or dies. At the hang-up, at SIGTERM, or when the server ends by itself, the guardian
ends all processes below it. The server first gets GRACE_SECONDS to leave; then everything left is killed, including
daemonised grandchildren, since the guardian is their subreaper. Finally it removes FOLDER, the server's credentials.
Its exit code is the server's, 128 + N for signal N. It imports little, since every server waits for its start. Other
programs of the same user can't read its memory and environment.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # what `typing` would provide, which takes longer to import than everything else here
    from collections.abc import Callable

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
HANG_UP = select.POLLHUP | select.POLLERR | select.POLLNVAL
KILL_SECONDS = 5.0


def main(argv: list[str]) -> int:
    """Guard the command and then remove the folder; return the server's exit code."""
    grace, *words = argv
    folder = words[1] if words[:1] == ["--remove"] else None
    dashes, *command = words if folder is None else words[2:]
    if dashes != "--" or not command:
        print("usage: guardian.py GRACE_SECONDS [--remove FOLDER] -- COMMAND [ARG …]", file=sys.stderr)  # noqa: T201
        return 2
    try:
        return guard(float(grace), command)
    finally:
        if folder is not None:
            _remove(folder)


def guard(grace: float, command: list[str]) -> int:
    """Start the command, watch it, end everything below it; return its exit code."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, stops = _hear_signals()
    server = _start(command, libc)
    os.close(1)  # lets the daemon notice when the server closes its standard output
    watch = select.poll()
    watch.register(0, 0)
    watch.register(wake, select.POLLIN)
    leave_by = terminate_at = float("inf")
    status: int | None = None
    while status is None:
        now = time.monotonic()
        if now >= leave_by:
            break
        if now >= terminate_at:
            terminate_at = float("inf")
            _send(os.killpg, server, signal.SIGTERM)
        next_at = min(leave_by, terminate_at)
        events = watch.poll(None if next_at == float("inf") else max(1, int((next_at - now) * 1000)))
        try:
            os.read(wake, 4096)
        except BlockingIOError:
            pass
        if leave_by == float("inf") and (stops or any(fd == 0 and event & HANG_UP for fd, event in events)):
            watch.unregister(0)
            half = grace / 2
            terminate_at, leave_by = time.monotonic() + half, time.monotonic() + 2 * half
        status = _reap(server)
    killed = _kill_everything(server)
    status = killed if status is None else status
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _hear_signals() -> tuple[int, list[int]]:
    """Return a descriptor that becomes readable at any signal (SIGCHLD too), and a list that collects stop signals."""
    wake, alarm = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    stops: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: stops.append(received))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wake, stops


def _start(command: list[str], libc: ctypes.CDLL) -> int:
    """Fork the server with its own session and default signals; return its process id. It dies with the guardian.

    If the command can't be run, the error goes to standard error and the exit code is 127.
    """
    guardian = os.getpid()
    server = os.fork()
    if server:
        return server
    try:
        os.setsid()
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        if os.getppid() == guardian:
            os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)


def _reap(server: int) -> int | None:
    """Reap all children that ended, adopted ones too; return the server's wait status once it is among them."""
    status = None
    try:
        while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
            if reaped[0] == server:
                status = reaped[1]
    except ChildProcessError:
        pass
    return status


def _kill_everything(server: int) -> int | None:
    """Kill all children until none is left, adopted ones too; return the server's wait status if it was among them."""
    status = None
    give_up_at = time.monotonic() + KILL_SECONDS
    while time.monotonic() < give_up_at:
        for pid in _children():
            _send(os.kill, pid, signal.SIGKILL)
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == server:
            status = ended
        elif pid == 0:
            time.sleep(0.002)
    return status


def _send(by: Callable[[int, int], None], to: int, number: int) -> None:
    """Send a signal, ignoring a process that has ended."""
    try:
        by(to, number)
    except ProcessLookupError:
        pass


def _remove(folder: str) -> None:
    try:
        for name in os.listdir(folder):
            os.unlink(f"{folder}/{name}")
        os.rmdir(folder)
    except OSError:
        pass


def _children() -> list[int]:
    found: list[int] = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children") as children:
                found += map(int, children.read().split())
        except FileNotFoundError:
            pass
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
