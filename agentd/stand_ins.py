"""Saves time and memory at the start: skips modules that libraries import but this process never uses, libraries'
docstrings and a heap per thread, and reads the authorities' certificates only at the first TLS connection.

Stand-ins exist only while the libraries are imported; an app or plugin that imports such a module later gets the real
one. Every attribute of a stand-in is a class without instances, for annotations and `isinstance`.
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
    "dateutil",  # for times in a DBOS workflow's arguments; ours are only texts and numbers
    "mcp.client.session_group",
    "mcp.client.sse",
    "mcp.server",  # the client imports it for servers in its own process; ours run in others
    "sqlalchemy.ext.asyncio",  # for DBOS's sessions of an application database, which we don't have
    "sqlalchemy.orm",
    "yaml",  # DBOS's configuration file
)
OF_POSTGRESQL = "psycopg"  # DBOS, for its errors
OF_HTTP = ("httpx2", "mcp.client.streamable_http")  # MCP's client, for servers behind a URL
LEAN = ("aiohttp", "attr", "dbos", "mcp", "prometheus_client", "pydantic", "sqlalchemy", "structlog")
"""Loaded as compiled by `python -OO`, if they are (`make install`), because their docstrings take 2 MB."""
M_ARENA_MAX = -8
ABSENT = ("colorama", "rich")  # structlog would format tracebacks with them, but our log is JSON


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = type(name, (Exception,), {"__class_getitem__": classmethod(lambda cls, _: cls)})
        setattr(self, name, kind)
        return kind


class _StandIns(MetaPathFinder, Loader):
    """Finds stand-ins for these modules and their submodules."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """The spec of a stand-in, or None to import as usual. Raises ModuleNotFoundError for ABSENT modules."""
        if _within(name, ABSENT):
            raise ModuleNotFoundError(name, name=name)
        return ModuleSpec(name, self, is_package=True) if _within(name, self._names) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing."""


class _Lean(SourceFileLoader):
    """Finds and loads the modules of LEAN without docstrings if they are compiled so, else as usual."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, *_: object) -> ModuleSpec | None:
        """The module's spec, with this loader in place of Python's source loader; None outside LEAN."""
        spec = PathFinder.find_spec(name, path) if _within(name, LEAN) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = cls(spec.loader.name, spec.loader.path)
        return spec

    def get_data(self, path: str) -> bytes:
        """The file's content, from the `.opt-2.pyc` file if there is one."""
        lean = path.replace(".pyc", ".opt-2.pyc")
        return super().get_data(lean if Path(lean).exists() else path)


def without_docstrings() -> None:
    """Load the modules of LEAN without docstrings from now on."""
    sys.meta_path.insert(0, _Lean)


def one_heap() -> None:
    """Let all threads share one heap, since glibc's heaps per thread stay mostly empty. Call before threads start."""
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _within(name: str, packages: Sequence[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


@contextmanager
def late_certificates() -> Iterator[None]:
    """Make TLS contexts created within read the authorities' certificates only at their first connection: aiohttp
    creates two at its import, and reading the certificates takes as long as the rest of the import."""
    read = ssl.SSLContext.set_default_verify_paths

    def later(context: ssl.SSLContext) -> None:
        def wrap_bio(*given: Any, **more: Any) -> Any:
            del vars(context)["wrap_bio"]
            read(context)
            return context.wrap_bio(*given, **more)

        vars(context)["wrap_bio"] = wrap_bio  # the first call of an event loop's TLS connection

    ssl.SSLContext.set_default_verify_paths = later  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        del ssl.SSLContext.set_default_verify_paths  # the inherited one is used again


def put(*, postgresql: bool, http: bool) -> None:
    """Install the stand-ins before the libraries are imported. `postgresql`, `http`: this start needs their modules."""
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
