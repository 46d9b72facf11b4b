"""What the bridge allows a server, in bytes and seconds. Numbers only: the modules that keep them say what happens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerLimits:
    """Every bound in one place, so that tests and drills can tighten them."""

    message_bytes: int = 8 * 1024 * 1024
    """The longest message a server may send. A longer one fails the call it answers and nothing else."""
    runaway_bytes: int = 256 * 1024 * 1024
    """A message that is still not ended by then never will be: the server is stopped."""
    noise_lines: int = 1000
    """So many lines in a row that aren't MCP, and the server is stopped."""
    unread_bytes: int = 32 * 1024 * 1024
    """So much waiting to be read by the server, and it is stopped: it no longer reads."""
    stderr_bytes: int = 4096
    """How much of the end of a server's standard error is remembered."""
    artifact_bytes: int = 256 * 1024 * 1024
    """The largest file that is taken as an artifact."""
    description_chars: int = 4000
    """The most characters of a tool's description, or of a server's instructions, that are taken."""
    tools: int = 2000
    """The most tools taken from one server, and the most pages read to find them."""

    retry_first_s: float = 0.5
    """The wait before the second attempt (the first comes at once); each further wait doubles."""
    retry_most_s: float = 30.0
    """The longest wait between two attempts."""
    steady_s: float = 10.0
    """A server that was up so long starts again from the shortest wait."""
    grace_s: float = 1.5
    """How long a server may take to end by itself once its standard input is closed."""
    drain_s: float = 10.0
    """How long a server that a reload replaces or removes may take to answer the calls under way."""
    settle_s: float = 0.1
    """Changes announced within this time are read together."""
    probe_s: float = 5.0
    """How long a server that let a call run out of time may take to show that it lives."""
    heartbeat_s: float = 20.0
    """How often a server behind a URL is asked whether it is still there, and the same one."""
