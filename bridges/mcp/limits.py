"""The limits that the bridge sets for a server, in bytes and seconds. The modules that apply them say what happens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerLimits:
    """All limits in one place, so that tests and drills can tighten them."""

    message_bytes: int = 8 * 1024 * 1024
    """The longest message a server may send. A longer one fails only the call it answers."""
    runaway_bytes: int = 256 * 1024 * 1024
    """A server is stopped when an unfinished message exceeds this size."""
    noise_lines: int = 1000
    """A server is stopped after this many consecutive lines that aren't MCP."""
    unread_bytes: int = 32 * 1024 * 1024
    """A server is stopped when this much input waits for it: it no longer reads."""
    stderr_bytes: int = 4096
    """How much of the end of a server's standard error is kept."""
    artifact_bytes: int = 256 * 1024 * 1024
    """The largest file that is accepted as an artifact."""
    description_chars: int = 4000
    """The longest tool description, and the longest instructions of a server, in characters; the rest is cut."""
    schema_bytes: int = 64 * 1024
    """The longest schema of a tool: a tool with a longer input schema is left out, results are not checked by
    a longer output schema."""
    check_s: float = 10.0
    """The longest check of a result against its output schema, in CPU seconds: enough for the longest result, not for
    references that multiply."""
    tools: int = 2000
    """The most tools taken from one server, and the most pages read to list them."""

    retry_first_s: float = 0.5
    """The wait before the second attempt (the first is immediate); each further wait doubles."""
    retry_most_s: float = 30.0
    """The longest wait between two attempts."""
    steady_s: float = 10.0
    """After being up this long, a lost server starts again from the shortest wait."""
    grace_s: float = 1.5
    """How long a server may take to exit after its standard input is closed."""
    drain_s: float = 10.0
    """How long a server that a reload replaces or removes may take to answer the calls in progress."""
    settle_s: float = 0.1
    """Changes announced within this time are read once, together."""
    probe_s: float = 5.0
    """How long a server may take to answer a probe after a call has timed out."""
    heartbeat_s: float = 20.0
    """How often a server behind a URL is probed."""
