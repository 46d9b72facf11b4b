"""Which tests are quick, and the order and the limits that all tests share. It starts nothing.

A test is quick when it isn't marked (SLOW), stands in none of the folders whose tests start processes (WHOLE), and
neither it nor a fixture or a helper of its own reaches for what starts a process, a browser or a database, or loads the
model of meaning (STARTERS).
`make quick` runs these alone; one that starts a process after all fails, in `make test` too.
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

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each compile their libraries again
sys.dont_write_bytecode = False
gc.disable()  # until all tests are there; see pytest_runtestloop

AUTHORITIES = os.environ.get("SSL_CERT_FILE")
"""What the machine says of whom it trusts, for tests that fetch packages."""
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("authority.pem"))  # to read 140 takes 40 ms a connection
MEMORY = Path("/dev/shm")
ROOM = 8_000_000_000
"""Bytes of memory that must be free for the tests' files to be kept in it."""
if (
    "TMPDIR" not in os.environ
    and os.access(MEMORY, os.W_OK)
    and shutil.disk_usage(MEMORY).free > ROOM
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)  # on a disk, each commit of a database waits milliseconds

STARTERS = (
    *("subprocess", "multiprocessing", "mcp.client.stdio", "playwright", "nbclient"),
    *("tests.daemon", "tests.warm", "tests.mariadb", "tests.postgresql", "tests.weights", "tests.web"),
    *("bridges.mcp", "bridges.llamacpp.weights", "lab.drill", "lab.eval.text2cypher.asking"),
    *("lab.figures.commits", "lab.figures.__main__"),
    *("servers.common.database", "servers.common.sqlite_process"),
    *("servers.graphiti.graph", "servers.graphiti.embedding", "bridges.meaning"),  # a database, a model of meaning
    *(f"servers.text2cypher.{part}" for part in ("graph", "experiment", "cli", "server")),
)
"""Modules, with all below them, whose users start processes."""
WITHIN = tuple(f"{module}." for module in STARTERS)
NAMES = {"create_subprocess_exec", "create_subprocess_shell", "subprocess", "StdioServerParameters", "TOOL_HOSTS"}
"""Names within a function, imported there or another module's, that tell the same."""
STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec"}
"""Python's audit events of a new process."""
STARTED: list[str] = []
"""What the test that runs now has started."""
WHOLE = tuple(Path(__file__).with_name(name) for name in ("conformance", "e2e", "web"))
"""Folders of which `--quick` imports no file: what they import alone takes as long as a quarter of the quick tests."""
ALL_SLOW = "\npytestmark = pytest.mark.slow"
"""The line of a file whose every test is slow."""
SLOW = ("slow", "model")
"""Marks of tests that are not quick, whatever they name."""
PARAMETERS = {"mariadb", "postgresql", "sqlite"}
"""Parameters by which a test asks for a fixture with a process while it runs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only quick tests")
    parser.addoption("--cold", action="store_true", help="start every process from the disk, none as a fork")


def pytest_runtest_setup(item: pytest.Item) -> None:
    warm.allowed = item.get_closest_marker("cold") is None and not item.config.getoption("--cold")


def pytest_configure() -> None:
    importlib.import_module("croniter")  # which starts `file` when it's imported, by the first test with DBOS
    assert platform.uname().processor is not None  # by `uname -p`, once a process; the first OpenAI client asks
    sys.addaudithook(_note)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Imports no file for nothing, which takes longer than most tests.

    `-m model` takes only the files that name the mark, `--quick` no folder of WHOLE and no file with ALL_SLOW.
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
    """Thousands of tests and what they import stay to the end: the collector need not look through them each time."""
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
    """What a test runs in this process sets up the process's logging; the next test must not inherit it.

    DBOS keeps a handler on the standard error of its first test, which `capsys` closes.
    """
    root, dbos = logging.getLogger(), logging.getLogger("dbos")
    level, handlers, raises = root.level, list(root.handlers), logging.raiseExceptions
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    for added in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(added)
    root.setLevel(level)
    dbos.handlers.clear()
    logging.raiseExceptions = raises
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    structlog.reset_defaults()


def is_slow(item: pytest.Function) -> bool:
    """True when `--quick` leaves the test out."""
    if any(map(item.get_closest_marker, SLOW)):
        return True
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if any(isinstance(value, str) and value in PARAMETERS for value in parameters):
        return True
    fixtures = [definition.func for name in item.fixturenames for definition in _definitions(item, name)]
    return any(map(_starts, (item.function, *fixtures)))


@cache
def _starts(function: Callable[..., Any]) -> bool:
    return _reaches(function, set())


def _definitions(item: pytest.Function, name: str) -> Any:
    return item._fixtureinfo.name2fixturedefs.get(name, ())  # what `--fixtures-per-test` shows; it has no public name


def _reaches(function: Callable[..., Any], seen: set[CodeType]) -> bool:
    """True when it, a method of it, or one of the tests' own functions and classes named there, names a starter."""
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
    """Whether it names a starter itself, and the tests' own functions and classes that it names."""
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
