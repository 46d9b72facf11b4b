"""What another program of the daemon's own user can read of it and of its servers in /proc: no secret, no memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from agentd.apps.setup.rights import open_to_others
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, final

KEY, PASSPHRASE, ADDRESS = (
    "key-of-the-provider-0123",
    "passphrase-of-the-office",
    "mysql://reader:pass-of-the-books@127.0.0.1:9/erp",
)
SECRETS = (TOKEN, KEY, PASSPHRASE, ADDRESS)
CONFIG = (
    HEAD.replace('type = "scripted"', 'type = "scripted"\napi_key = "OFFICE_KEY"')
    + SERVERS["time"]
    + SERVERS["certificate"]
    + 'credentials = ["office_key_passphrase"]\n'
    + SERVERS["time"].replace('"time"', '"mysql_mcp_server"').replace("servers.time", "servers.mysql")
    + 'pass_env = ["DATABASE_URL"]\n'
)
PRIVATE = ("environ", "maps", "mem", "auxv")
READ = "import sys\nfor path in sys.argv[1:]:\n try: open(path,'rb').close(); print(path)\n except OSError: pass\n"


def as_ordinary_user(*command: str | Path) -> list[str]:
    """The command without root's rights to look into every process; same user, as a server is to its daemon."""
    words = [str(word) for word in command]
    return words if os.geteuid() else ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *words]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("closed")
    made = Daemon(
        folder,
        [final("Halo")],
        CONFIG,
        {"OFFICE_KEY": KEY, "OFFICE_KEY_PASSPHRASE": PASSPHRASE, "DATABASE_URL": ADDRESS},
    )
    starter = folder / "agentd"
    starter.write_text(f'#!/bin/sh\nexec {" ".join(as_ordinary_user(made.program))} "$@"\n')
    starter.chmod(0o700)
    made.program = starter
    try:
        yield made.start()
    finally:
        made.kill()


def tree(pid: int) -> list[int]:
    """The process and all below it."""
    return [pid, *(each.pid for each in psutil.Process(pid).children(recursive=True))]


def test_no_secret_stands_in_an_environment_and_no_memory_can_be_read(daemon: Daemon) -> None:
    assert daemon.process is not None
    servers = {server["name"]: server for server in daemon.call("Tools.list")["servers"]}
    assert {server["state"] for server in servers.values()} == {"up"}, servers
    pids = tree(daemon.process.pid)
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in pids}
    guardians = {pid for pid, command in commands.items() if "guardian.py" in command}
    assert (len(pids), len(guardians)) == (7, 3), commands

    if not os.geteuid():  # root can look; a guardian keeps what its server was given by `env` and `pass_env`
        shown = {pid: Path(f"/proc/{pid}/environ").read_bytes() for pid in pids}
        assert {pid for pid in pids if any(secret.encode() in shown[pid] for secret in SECRETS[:3])} == set()
        assert {pid for pid in pids if ADDRESS.encode() in shown[pid]} <= guardians

    with subprocess.Popen(as_ordinary_user("sleep", "60")) as open_one:
        looked_at = [f"/proc/{pid}/{name}" for pid in (open_one.pid, *pids) for name in PRIVATE]
        reading = as_ordinary_user(sys.executable, "-c", READ, *looked_at)
        tried = subprocess.run(reading, capture_output=True, text=True, timeout=300)
        open_one.kill()
    assert tried.stdout.split() == looked_at[: len(PRIVATE)], tried.stderr
    assert open_to_others(daemon.state) == []


def test_a_reload_still_finds_what_left_the_environment(daemon: Daemon) -> None:
    changed = daemon.call("Config.reload")
    assert changed["servers"] == {"added": [], "removed": [], "changed": []}
    assert changed["providers"]["changed"] == []
