"""Who runs a command, for the audit trail. It checks no rights."""

from __future__ import annotations

import getpass
import os


def operator() -> str:
    """The actor of a command: the person's account on this machine, also behind sudo."""
    account = os.environ.get("SUDO_USER")
    if not account:
        try:
            account = getpass.getuser()
        except (KeyError, OSError):  # a user id without an account, as in a container
            account = str(os.getuid())
    return f"shell:{account}"
