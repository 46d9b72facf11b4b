"""Who runs a command, and its entries in the audit trail. It checks no rights."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from agentd.audit import AuditTrail, Fact
from agentd.clock import SystemClock
from agentd.ports import Clock


def operator() -> str:
    """The actor of a command: the person's account on this machine, also behind sudo."""
    account = os.environ.get("SUDO_USER")
    if not account:
        try:
            account = getpass.getuser()
        except (KeyError, OSError):  # a user id without an account, as in a container
            account = str(os.getuid())
    return f"shell:{account}"


def record(state: Path, action: str, clock: Clock | None = None, *, subject: str = "", **facts: Fact) -> None:
    """Add an entry to the state folder's audit trail, with the operator as its actor. Raises OSError."""
    AuditTrail(state, clock or SystemClock()).record(action, actor=operator(), subject=subject, **facts)
