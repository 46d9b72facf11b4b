"""SQLAlchemy's asynchronous engine without its object mapper, whose import takes a third of a server's start.

`sqlalchemy.ext.asyncio` imports both: while its engine is imported, the package stands there unrun. Who imports the
package later gets it whole, with the same engine.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec

PACKAGE = "sqlalchemy.ext.asyncio"

if not (whole := PACKAGE in sys.modules):
    spec = find_spec(PACKAGE)
    assert spec is not None
    sys.modules[PACKAGE] = module_from_spec(spec)

from sqlalchemy.ext.asyncio.engine import AsyncConnection, AsyncEngine, create_async_engine  # noqa: E402

if not whole:
    del sys.modules[PACKAGE]

__all__ = ["AsyncConnection", "AsyncEngine", "create_async_engine"]
