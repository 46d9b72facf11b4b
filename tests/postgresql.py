"""A private PostgreSQL for tests, started on a free port with its own folder and always stopped. Not a fixture itself.

with postgresql() as url:       # postgresql://postgres@127.0.0.1:PORT/postgres
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

from tests.ports import free_port

DEADLINE_SECONDS = 300


class PostgreSQL:
    """A server with its own folder and port; it can be stopped and restarted."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._account = _account(folder)
        subprocess.run(["cp", "-a", _initialized(programs), folder / "data"], check=True, timeout=DEADLINE_SECONDS)
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self._server = subprocess.Popen(
            [
                *(self._programs / "postgres", "-D", self._folder / "data", "-k", self._folder),
                *("-h", "127.0.0.1", "-p", str(self._port), "-c", "fsync=off", "-c", "shared_buffers=16MB"),
            ],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
            **self._account,
        )
        _wait(self.url, self._server)

    def stop(self) -> None:
        """Stop the server at once, as in a crash."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait(DEADLINE_SECONDS)


@contextmanager
def postgresql_server() -> Iterator[PostgreSQL]:
    """A fresh running server. Raises RuntimeError with the install command when PostgreSQL is missing."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        raise RuntimeError("PostgreSQL isn't installed; run: apt-get install -y postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    server = None
    try:
        server = PostgreSQL(programs[-1], folder)
        server.start()
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a fresh running server."""
    with postgresql_server() as server:
        yield server.url


@cache
def _initialized(programs: Path) -> Path:
    """The data folder of a server that never ran; each server of this process starts from a copy."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    account = _account(folder)
    subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=DEADLINE_SECONDS,
        cwd=folder,
        **account,
    )
    return folder / "data"


def _account(folder: Path) -> dict[str, Any]:
    """The account that runs the server and owns the folder: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    shutil.chown(folder, "postgres", "postgres")
    return {"user": "postgres", "group": "postgres"}


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL did not start") from None
            time.sleep(0.05)  # the other process does not announce that it is ready
