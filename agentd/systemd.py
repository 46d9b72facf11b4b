"""What systemd and a daemon tell each other: readiness, liveness, passed sockets. Without systemd it says nothing."""

from __future__ import annotations

import os
import socket
import time

FIRST_PASSED = 3
"""Where systemd puts the first socket it passes."""


class Notifier:
    """sd_notify over NOTIFY_SOCKET; every call is silent where there is none."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        watchdog = os.environ.get("WATCHDOG_USEC", "")
        owner = os.environ.get("WATCHDOG_PID", "")
        mine = not owner or owner == str(os.getpid())
        self.watchdog_s = int(watchdog) / 1e6 if watchdog.isdigit() and mine else None

    def ready(self) -> None:
        """Start-up, or a reload, is done."""
        self._send("READY=1")

    def reloading(self) -> None:
        """A reload begins; `ready` ends it."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    def stopping(self) -> None:
        """The stop begins."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """The loop turns: feeds the watchdog."""
        self._send("WATCHDOG=1")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as speaker:
            speaker.connect(address)
            speaker.sendall("\n".join(lines).encode())


def passed_sockets() -> list[socket.socket]:
    """The listening sockets that systemd opened for this process (LISTEN_FDS)."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return []
    count = int(os.environ.get("LISTEN_FDS", "0"))
    return [socket.socket(fileno=FIRST_PASSED + index) for index in range(count)]
