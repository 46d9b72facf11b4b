"""Decides which tests are quick, and sets the order and limits that all tests share. It starts nothing.

A test is quick when it isn't marked (SLOW), is in no folder whose tests start processes (WHOLE), and neither it nor its
fixtures and helpers use anything that starts a process, browser or database, or loads the embedding model (STARTERS).
`make quick` runs only these. A quick test that starts a process fails, in `make test` too.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import logging
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
import structlog

from tests import warm

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each recompile libraries
sys.dont_write_bytecode = False
gc.disable()  # until all tests are collected; see pytest_runtestloop

AUTHORITIES = os.environ.get("SSL_CERT_FILE")
"""The machine's own SSL_CERT_FILE, for tests that fetch packages."""
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("authority.pem"))  # 140 take 40 ms per connection
MEMORY = Path("/dev/shm")
ROOM = 8_000_000_000
"""Free bytes of memory required to keep the tests' files in it."""
if (
    "TMPDIR" not in os.environ
    and os.access(MEMORY, os.W_OK)
    and shutil.disk_usage(MEMORY).free > ROOM
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)  # on a disk, each database commit takes milliseconds

STARTERS = (
    *("subprocess", "multiprocessing", "mcp.client.stdio", "playwright", "nbclient"),
    *(
        "tests.daemon",
        "tests.warm",
        "tests.mariadb",
        "tests.postgresql",
        "tests.weights",
        "tests.web",
        "tests.servers.process",
    ),
    *("bridges.mcp", "bridges.llamacpp.weights", "lab.drill", "lab.eval.text2cypher.asking"),
    *("lab.figures.commits", "lab.figures.__main__", "tests.servers.process"),
    *("servers.common.database", "servers.common.sqlite_process"),
    *("servers.graphiti.graph", "servers.graphiti.embedding", "bridges.meaning"),  # a database, an embedding model
    *(f"servers.text2cypher.{part}" for part in ("graph", "experiment", "cli", "server")),
)
"""Modules whose users start processes; submodules are included."""
WITHIN = tuple(f"{module}." for module in STARTERS)
NAMES = {"create_subprocess_exec", "create_subprocess_shell", "subprocess", "StdioServerParameters", "TOOL_HOSTS"}
"""Names in a function, imported there or used from another module, that also start processes."""
STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec"}
"""Python's audit events for a new process."""
STARTED: list[str] = []
"""Processes started by the current test."""
WHOLE = tuple(Path(__file__).with_name(name) for name in ("conformance", "e2e", "web"))
"""Folders that `--quick` does not import: their imports alone take a quarter of the quick tests' time."""
ALL_SLOW = "\npytestmark = pytest.mark.slow"
"""The line that marks a file as slow as a whole."""
SLOW = ("slow", "model")
"""Marks that make a test slow, whatever it uses."""
PARAMETERS = {"mariadb", "postgresql", "sqlite"}
"""Parameter values with which a test requests, while it runs, a fixture that starts a process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only quick tests")
    parser.addoption("--cold", action="store_true", help="start every process from the disk, none as a fork")


def pytest_runtest_setup(item: pytest.Item) -> None:
    warm.allowed = item.get_closest_marker("cold") is None and not item.config.getoption("--cold")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("numprocesses", None) and not config.getoption("--quick"):  # not in a worker
        warm.share()
    importlib.import_module("croniter")  # its import, otherwise by the first DBOS test, starts `file`
    assert platform.uname().processor is not None  # runs `uname -p` once; the first OpenAI client needs it
    sys.addaudithook(_note)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Avoid importing files without need, because an import takes longer than most tests.

    `-m model` imports only files that contain the mark, `--quick` neither folders of WHOLE nor files with ALL_SLOW.
    """
    if config.getoption("--quick") and collection_path in WHOLE:
        return True
    if not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    without_model = config.option.markexpr == "model" and "mark.model" not in text
    return without_model or (config.getoption("--quick") and ALL_SLOW in text) or None


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Freeze the collected tests and their imports, which live to the end, so that the collector skips them."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        slow = [item for item in items if isinstance(item, pytest.Function) and is_slow(item)]
        config.hook.pytest_deselected(items=slow)
        chosen = set(items) - set(slow)
        items[:] = [item for item in items if item in chosen]


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """Restore the process's logging after each test, because code that a test runs may reconfigure it.

    DBOS keeps a handler on its first test's standard error, which `capsys` closes.
    """
    root, dbos = logging.getLogger(), logging.getLogger("dbos")
    level, handlers, raises = root.level, list(root.handlers), logging.raiseExceptions
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    for added in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(added)
    if root.level != level:  # setting it makes every logger forget what it is enabled for
        root.setLevel(level)
    dbos.handlers.clear()
    logging.raiseExceptions = raises
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    structlog.reset_defaults()


def is_slow(item: pytest.Function) -> bool:
    """True when `--quick` skips the test."""
    if any(map(item.get_closest_marker, SLOW)):
        return True
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if any(isinstance(value, str) and value in PARAMETERS for value in parameters):
        return True
    known = item._fixtureinfo.name2fixturedefs  # as `--fixtures-per-test` shows; it has no public API
    fixtures = [definition.func for name in item.fixturenames for definition in known.get(name, ())]
    return any(map(_starts, (item.function, *fixtures)))


@cache
def _starts(function: Callable[..., Any]) -> bool:
    return _reaches(function, set())


def _reaches(function: Callable[..., Any], seen: set[CodeType]) -> bool:
    """True when the function, its methods, or the tests' own functions and classes that it uses, name a starter."""
    if isinstance(function, type):
        return any(_reaches(each, seen) for each in vars(function).values() if callable(each))
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or function.__code__ in seen:
        return False
    seen.add(function.__code__)
    starts, ours = _named(function)
    return starts or any(_reaches(each, seen) for each in ours)


@cache
def _named(function: FunctionType) -> tuple[bool, list[Callable[..., Any]]]:
    """(whether it names a starter itself, the tests' own functions and classes that it names)."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    named = [function.__globals__[name] for name in names if name in function.__globals__]
    ours = [each for each in named if callable(each) and str(getattr(each, "__module__", "")).startswith("tests.")]
    return bool(names & NAMES) or any(map(_starter, named)), ours


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _starter(named: object) -> bool:
    module = named.__name__ if isinstance(named, ModuleType) else getattr(named, "__module__", None)
    return isinstance(module, str) and f"{module}.".startswith(WITHIN)


def _note(event: str, _: object) -> None:
    if event in STARTS and "PYTEST_CURRENT_TEST" in os.environ:
        STARTED.append(f"{os.environ['PYTEST_CURRENT_TEST']}: {event}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield
    started = [*STARTED]
    STARTED.clear()
    if started and isinstance(item, pytest.Function) and not any(map(item.path.is_relative_to, WHOLE)):
        assert is_slow(item), f"not quick; mark it `slow`, or let STARTERS of tests/conftest.py see it: {started}"
