"""Finds a port for a server that a test starts next. It reserves nothing."""

from __future__ import annotations

import random
import socket

UNASSIGNED = range(20_000, 32_000)
"""Below Linux's range for outgoing connections, which could take a port before the server binds it."""


def free_port() -> int:
    """A port on 127.0.0.1 that is currently free."""
    for port in random.Random().sample(UNASSIGNED, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("of a hundred ports none is free")
