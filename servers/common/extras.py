"""Reports a server's missing optional packages and the command to install them. It imports none of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

COMMANDS = ("-m", "text2cypher")
"""Names in `sys.argv[0]` when a server is run, not imported: Python sets `-m` while it looks for the module."""


def require(extra: str, *modules: str) -> None:
    """Return if all modules are installed.

    Otherwise a command exits with one line and status 1, and an import raises ModuleNotFoundError with that line.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return
    lacking = f"not installed: {', '.join(missing)}; run: pip install 'agentd[{extra}]'"
    if Path(sys.argv[0]).name in COMMANDS:
        sys.exit(lacking)
    raise ModuleNotFoundError(lacking, name=missing[0])
