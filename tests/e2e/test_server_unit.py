"""systemd/agentd-server@.service started as its text says, by its own command, environment and credentials folder; a
daemon reaches the server by URL with the token. Its sandbox is analysed in test_systemd.py.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.daemon import HEAD, final, running
from tests.ports import free_port

UNIT = Path(__file__).parents[2] / "systemd" / "agentd-server@.service"
NAME = "time"
HTTP_TOKEN = "token-of-the-servers-http-door"


def words(text: str, key: str) -> list[str]:
    """The values of a key, in order."""
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


@contextmanager
def started(folder: Path, listen: str) -> Iterator[str]:
    """The unit's process as the manager would start it, with what docs/operations.md puts beside it; its address."""
    text = UNIT.read_text().replace("%i", NAME).replace("%S", str(folder / "state"))
    settings = folder / "server"
    settings.write_text(f"LISTEN={listen}\n")
    assert words(text, "EnvironmentFile") == [f"/etc/agentd/servers/{NAME}"]
    environ: dict[str, str] = {"PATH": os.environ["PATH"]}
    environ |= dict(line.split("=", 1) for line in settings.read_text().splitlines())
    environ |= dict(word.split("=", 1) for line in words(text, "Environment") for word in shlex.split(line))
    credentials = folder / "credentials"
    credentials.mkdir(mode=0o700)
    for loaded in words(text, "LoadCredential"):
        (credentials / loaded.partition(":")[0]).write_text(HTTP_TOKEN + "\n")
    environ["CREDENTIALS_DIRECTORY"] = str(credentials)
    (folder / "state" / f"agentd-{NAME}").mkdir(parents=True, mode=0o700)
    command = expanded(words(text, "ExecStart")[0], environ)
    assert command[0] == "/opt/agentd/.venv/bin/python"
    command[0] = sys.executable
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True, cwd="/") as process:
        assert process.stderr is not None
        try:
            yield next(line for line in process.stderr if "listens at" in line).split()[-1]
        finally:
            process.terminate()


def expanded(command: str, environ: Mapping[str, str]) -> list[str]:
    return [re.sub(r"\$\{(\w+)\}", lambda found: environ[found[1]], word) for word in shlex.split(command)]


def refused(url: str) -> int:
    try:
        urllib.request.urlopen(urllib.request.Request(url, b"{}", {"Content-Type": "application/json"}), timeout=300)
    except urllib.error.HTTPError as error:
        return error.code
    return 0


def test_a_server_of_its_own_unit_answers_the_daemon_and_nobody_without_its_token(tmp_path: Path) -> None:
    with started(tmp_path, f"127.0.0.1:{free_port()}") as url:
        assert refused(url) == 401
        entry = f'[[servers]]\nname = "{NAME}"\nurl = "{url}"\n'
        entry += 'headers = { Authorization = "Bearer ${time_token}" }\n'
        (tmp_path / "daemon").mkdir()
        with running(
            tmp_path / "daemon", final("Halo."), config=HEAD + entry, env={"time_token": HTTP_TOKEN}
        ) as daemon:
            step = daemon.call("Tools.call", tool="get_current_time", input={"city": "Jakarta"})
            assert step["success"]
            assert HTTP_TOKEN not in str(daemon.call("Tools.list"))
    assert not list((tmp_path / "state" / f"agentd-{NAME}").iterdir()), "a given token is written nowhere"
