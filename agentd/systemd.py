"""Communicates with systemd: readiness, liveness, passed sockets. Without systemd it does nothing."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

FIRST_PASSED = 3
"""The file descriptor of the first socket that systemd passes."""


def notify(*lines: str) -> None:
    """sd_notify: send these lines (READY=1, STOPPING=1 …) to NOTIFY_SOCKET, if that is set."""
    if address := os.environ.get("NOTIFY_SOCKET"):
        kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
        with suppress(OSError), socket.socket(socket.AF_UNIX, kind) as speaker:  # who is gone or full hears nothing
            speaker.connect("\0" + address[1:] if address.startswith("@") else address)
            speaker.sendall("\n".join(lines).encode())


def watchdog_s() -> float | None:
    """The seconds within which systemd expects each WATCHDOG=1 from this process; None if it expects none."""
    watchdog, owner = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    return int(watchdog) / 1e6 if watchdog.isdigit() and owner in ("", str(os.getpid())) else None


def passed_sockets() -> list[socket.socket]:
    """The listening sockets that systemd opened for this process (LISTEN_FDS)."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return []
    count = int(os.environ.get("LISTEN_FDS", "0"))
    return [socket.socket(fileno=FIRST_PASSED + index) for index in range(count)]
