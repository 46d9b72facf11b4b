"""A private MariaDB for tests, started on a free port with its own folder and always stopped. Not a fixture itself.

with mariadb() as server:
    server.execute("CREATE TABLE erp.t (id INT)")
    url = server.url()                       # root, database erp
    url = server.url(user="reader")          # SELECT on erp.* only
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pymysql
from sqlalchemy.ext.asyncio import create_async_engine

from servers.common import erp
from tests.ports import free_port

PASSWORD = "Rahasia-Sekali-42"
"""The password of both accounts; no error, log or result may contain it."""
DEADLINE_SECONDS = 300


@dataclass(frozen=True)
class MariaDB:
    """A running server: its address and its process (for tests that stop or freeze it)."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes]
    database: str = "erp"

    def url(self, user: str = "root", password: str = PASSWORD, driver: str = "mysql+aiomysql") -> str:
        return f"{driver}://{user}:{password}@127.0.0.1:{self.port}/{self.database}"

    def connect(self, user: str = "root", database: str | None = None) -> pymysql.Connection[pymysql.cursors.Cursor]:
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=user,
            password=PASSWORD,
            database=database or self.database,
            autocommit=True,
            connect_timeout=5,
            read_timeout=60,
        )

    def execute(self, *statements: str) -> list[tuple[object, ...]]:
        """Run statements as root; return the rows of the last one."""
        rows: list[tuple[object, ...]] = []
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = list(cursor.fetchall())
        return rows

    def running(self, fragment: str) -> int:
        """The number of running statements that contain `fragment`, as seen by another session."""
        rows = self.execute(
            "SELECT info FROM information_schema.processlist WHERE info IS NOT NULL AND id <> CONNECTION_ID()"
        )
        return sum(fragment in str(row[0]) for row in rows)

    def freeze(self) -> None:
        """Freeze the server: it stays connected and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the server, as in a crash."""
        self.process.kill()
        self.process.wait(DEADLINE_SECONDS)


@contextmanager
def mariadb(database: str = "erp") -> Iterator[MariaDB]:
    """A fresh server with an empty `database`, the account root, and `reader`, which may only SELECT from it."""
    install = shutil.which("mariadb-install-db")
    daemon = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin")
    if install is None or daemon is None:
        raise RuntimeError("MariaDB isn't installed; run: apt-get install -y mariadb-server")
    folder = Path(tempfile.mkdtemp(prefix="mdb-"))  # short, because a socket's path has at most 107 characters
    process = None
    try:
        user = _prepare(folder)
        subprocess.run(["cp", "-a", _installed(install), folder / "data"], check=True, timeout=DEADLINE_SECONDS)
        common = ["--no-defaults", f"--datadir={folder}/data", f"--user={user}"]
        port = free_port()
        process = _start(daemon, common, folder, port)
        server = MariaDB(port, folder, process, database)
        _wait(server)
        with pymysql.connect(unix_socket=f"{folder}/s", user="root", autocommit=True) as root, root.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE `{database}` CHARACTER SET utf8mb4")
            cursor.execute(f"CREATE OR REPLACE USER root@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
            cursor.execute("GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION")
            cursor.execute(f"CREATE OR REPLACE USER reader@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
            cursor.execute(f"GRANT SELECT ON `{database}`.* TO reader@'127.0.0.1'")
        yield server
    finally:
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGCONT)  # a test may have left it frozen
            process.kill()  # its data needs no slow, clean shutdown
            process.wait(DEADLINE_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _installed(install: str) -> Path:
    """The data folder of a server that never ran; each server of this process starts from a copy."""
    folder = Path(tempfile.mkdtemp(prefix="mdb-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    common = ["--no-defaults", f"--datadir={folder}/data", f"--user={_prepare(folder)}"]
    subprocess.run(
        [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=DEADLINE_SECONDS,
    )
    return folder / "data"


def _prepare(folder: Path) -> str:
    """Prepare the server's folders and return its account; MariaDB refuses to run as root."""
    (folder / "nofiles").mkdir()
    if os.geteuid() != 0:
        return str(os.environ.get("USER") or os.geteuid())
    for path in (folder, folder / "nofiles"):
        shutil.chown(path, "mysql", "mysql")
    return "mysql"


def _start(daemon: str, common: list[str], folder: Path, port: int) -> subprocess.Popen[bytes]:
    small = ["--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--performance-schema=0"]
    quick = ["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--skip-log-bin", "--skip-name-resolve"]
    closed = ["--local-infile=0", f"--secure-file-priv={folder}/nofiles", "--bind-address=127.0.0.1"]
    places = [f"--socket={folder}/s", f"--port={port}", f"--pid-file={folder}/pid", f"--log-error={folder}/err.log"]
    return subprocess.Popen([daemon, *common, *places, *closed, *small, *quick], stderr=subprocess.DEVNULL)


def _wait(server: MariaDB) -> None:
    """Wait until the socket accepts a login, the only sign that the server is ready."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            pymysql.connect(unix_socket=f"{server.folder}/s", user="root").close()
            return
        except pymysql.err.OperationalError:
            if server.process.poll() is not None or time.monotonic() > deadline:
                said = (server.folder / "err.log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"MariaDB did not start:\n{said}") from None
            time.sleep(0.05)  # the other process does not announce that it is ready


def load_erp(server: MariaDB) -> None:
    """Fill its database with the sample company."""

    async def load() -> None:
        engine = create_async_engine(server.url())
        async with engine.begin() as connection:
            await erp.load(connection)
        await engine.dispose()

    asyncio.run(load())
