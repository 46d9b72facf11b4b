"""What a start leaves out: modules that our libraries import and this process never uses, libraries' docstrings, a heap
for each thread, and the certificates of the world's authorities until something is asked over TLS.

Stand-ins are there while our libraries are imported, and no longer: an app or a plugin that imports such a module gets
it. What a stand-in gives is a class of which nothing is an instance, for annotations and `isinstance`.
"""

from __future__ import annotations

import ctypes
import ssl
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

UNUSED = (
    "click",  # DBOS's command line
    "croniter",  # DBOS's schedules; importing it starts a process
    "dateutil",  # DBOS, for times among a workflow's arguments; ours are texts and numbers
    "mcp.client.session_group",
    "mcp.client.sse",
    "mcp.server",  # the client imports it for servers in its own process; ours are others
    "sqlalchemy.ext.asyncio",  # DBOS and its sessions of an application's database: we give it none
    "sqlalchemy.orm",
    "yaml",  # DBOS's configuration file
)
OF_POSTGRESQL = "psycopg"  # DBOS, for its errors
OF_HTTP = ("httpx2", "mcp.client.streamable_http")  # MCP's client, for servers behind a URL
LEAN = ("aiohttp", "attr", "dbos", "mcp", "prometheus_client", "pydantic", "sqlalchemy", "structlog")
"""Loaded as `python -OO` has compiled them, where it has (`make install`): their docstrings take 2 MB."""
M_ARENA_MAX = -8
ABSENT = ("colorama", "rich")  # structlog draws tracebacks with them where they are installed; our log is JSON


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = type(name, (Exception,), {"__class_getitem__": classmethod(lambda cls, _: cls)})
        setattr(self, name, kind)
        return kind


class _StandIns(MetaPathFinder, Loader):
    """Finds stand-ins for these modules and all in them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """A stand-in, or nothing: then it is found as usual."""
        if _within(name, ABSENT):
            raise ModuleNotFoundError(name, name=name)
        return ModuleSpec(name, self, is_package=True) if _within(name, self._names) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Empty."""
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Lean(SourceFileLoader):
    """Finds and loads the modules of LEAN; those that are not compiled so, as usual."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, *_: object) -> ModuleSpec | None:
        """The module's own, with this loader where Python's would compile it."""
        spec = PathFinder.find_spec(name, path) if _within(name, LEAN) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = cls(spec.loader.name, spec.loader.path)
        return spec

    def get_data(self, path: str) -> bytes:
        """The source or what was compiled."""
        lean = path.replace(".pyc", ".opt-2.pyc")
        return super().get_data(lean if Path(lean).exists() else path)


def without_docstrings() -> None:
    """From now on, for the modules of LEAN."""
    sys.meta_path.insert(0, _Lean)


def one_heap() -> None:
    """Let all threads share one heap: of those that glibc gives each, most stays empty. Before threads are started."""
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _within(name: str, packages: Sequence[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@contextmanager
def late_certificates() -> Iterator[None]:
    """Contexts of TLS that are made within read the authorities' certificates at their first connection: aiohttp makes
    two as it is imported, and reading them takes as long as the rest of it."""
    read = ssl.SSLContext.set_default_verify_paths

    def later(context: ssl.SSLContext) -> None:
        def wrap_bio(*given: Any, **more: Any) -> Any:
            del vars(context)["wrap_bio"]
            read(context)
            return context.wrap_bio(*given, **more)

        vars(context)["wrap_bio"] = wrap_bio  # what an event loop's connection begins with

    ssl.SSLContext.set_default_verify_paths = later  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        del ssl.SSLContext.set_default_verify_paths  # which it inherits


def put(*, postgresql: bool, http: bool) -> None:
    """Before our libraries are imported; those that are imported already stay. True for what this start does need."""
    names = [*UNUSED, *(() if postgresql else (OF_POSTGRESQL,)), *(() if http else OF_HTTP)]
    sys.meta_path.insert(0, _StandIns([name for name in names if name not in sys.modules]))


def remove() -> None:
    """Remove the stand-ins, once the libraries are imported. Does nothing if there are none."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _StandIns)]
    for name, module in list(sys.modules.items()):
        if isinstance(module, _StandIn):
            del sys.modules[name]
            parent, _, own = name.rpartition(".")
            vars(sys.modules.get(parent, module)).pop(own, None)
