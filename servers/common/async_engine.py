"""SQLAlchemy's asynchronous engine without its object mapper, whose import takes a third of a server's start.

`sqlalchemy.ext.asyncio` imports both. Here its own code runs only if somebody needs another of its names.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

PACKAGE = "sqlalchemy.ext.asyncio"


def _postpone() -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.loader is not None
    package, loader = module_from_spec(spec), spec.loader

    def whole(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if find_spec(f"{PACKAGE}.{name}") is not None:
            return import_module(f"{PACKAGE}.{name}")
        vars(package).pop("__getattr__", None)
        loader.exec_module(package)
        return getattr(package, name)

    vars(package)["__getattr__"] = whole
    sys.modules[PACKAGE] = package
    parent, _, own = PACKAGE.rpartition(".")
    setattr(import_module(parent), own, package)


if PACKAGE not in sys.modules:
    _postpone()

from sqlalchemy.ext.asyncio.engine import AsyncConnection, AsyncEngine, create_async_engine  # noqa: E402

__all__ = ["AsyncConnection", "AsyncEngine", "create_async_engine"]
