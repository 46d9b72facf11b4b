"""Says which optional packages a server lacks and the command that installs them. It imports none of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def require(extra: str, *modules: str) -> None:
    """Do nothing when all are there.

    Else `python -m servers.NAME` ends with one line and status 1, and an import raises ModuleNotFoundError with it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return
    lacking = f"not installed: {', '.join(missing)}; run: pip install 'agentd[{extra}]'"
    if sys.argv[0] == "-m":  # what Python has there while it looks for the module to run
        sys.exit(lacking)
    raise ModuleNotFoundError(lacking, name=missing[0])
