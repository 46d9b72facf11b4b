"""A private PostgreSQL for tests: started on a free port with its own folder, ended surely. Not a fixture by itself.

with postgresql() as url:       # postgresql://postgres@127.0.0.1:PORT/postgres
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

DEADLINE_SECONDS = 60


@contextmanager
def postgresql() -> Iterator[str]:
    """A fresh server; yields its URL. Raises RuntimeError with the command that installs it."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        raise RuntimeError("PostgreSQL isn't installed; run: apt-get install -y postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    account = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    if account:  # PostgreSQL refuses to run as root
        shutil.chown(folder, **account)
    server = None
    try:
        subprocess.run(
            [
                programs[-1] / "initdb",
                "-D",
                folder / "data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=DEADLINE_SECONDS,
            cwd=folder,
            **account,
        )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            [
                *(programs[-1] / "postgres", "-D", folder / "data", "-k", folder, "-h", "127.0.0.1", "-p", str(port)),
                *("-c", "fsync=off", "-c", "shared_buffers=16MB"),
            ],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            **account,
        )
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        _wait(url, server)
        yield url
    finally:
        if server is not None and server.poll() is None:
            server.send_signal(signal.SIGQUIT)
            server.wait(DEADLINE_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL did not start") from None
            time.sleep(0.05)  # a poll of another process, which announces nothing
