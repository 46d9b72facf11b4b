"""agentd as a systemd service: started by systemd-socket-activate, heard on a notify socket, its units analysed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentd import config
from agentd.apps.setup.install_command import CannotInstall, check_reachable, units
from agentd.config.shipped import PROFILES
from tests.daemon import AGENTD, HEAD, SERVERS, TOKEN
from tests.ports import free_port

WAIT_S = 60.0
SLOW_MS = 1500
KEYED = HEAD.replace('type = "scripted"', 'type = "scripted"\napi_key = "OFFICE_KEY"')
NODE = '[[servers]]\nname = "everything"\ncommand = "npx"\nargs = ["some-server"]\n'


class NotifySocket:
    """The manager's end of sd_notify."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(WAIT_S)

    def hear(self, wanted: str) -> dict[str, str]:
        """The next message that has this line, as {name: value}; others are passed over."""
        while True:
            lines = self._socket.recv(4096).decode().splitlines()
            if wanted in lines:
                return dict(line.split("=", 1) for line in lines)

    def close(self) -> None:
        self._socket.close()


@dataclass
class Service:
    """The activated daemon as its manager and its callers see it."""

    port: int
    unix: Path
    manager: NotifySocket
    process: subprocess.Popen[str]
    config: Path

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole JSON-RPC answer, over TCP."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/rpc", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as refused:
            return dict(json.load(refused))


@contextmanager
def activated(folder: Path) -> Iterator[Service]:
    """Listening at once; the daemon starts at the first connection."""
    if shutil.which("systemd-socket-activate") is None:
        pytest.fail("systemd-socket-activate is missing: apt-get install systemd")
    (folder / "client.toml").write_text(HEAD + SERVERS["time"])
    slow = {"text": '{"action":"final","response":"Akhirnya"}', "after_ms": SLOW_MS}
    (folder / "script.jsonl").write_text(json.dumps(slow) + "\n")
    port = free_port()
    unix, notify = folder / "agentd.sock", folder / "notify"
    manager = NotifySocket(notify)
    environ = {"NOTIFY_SOCKET": notify, "WATCHDOG_USEC": "300000", "AGENTD_TOKEN": TOKEN, "PATH": os.environ["PATH"]}
    command = ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", "-l", str(unix)]
    command += [word for name, value in environ.items() for word in ("-E", f"{name}={value}")]
    command += [str(AGENTD), "serve", "--config", str(folder / "client.toml"), "--state", str(folder / "state")]
    with (folder / "stderr.log").open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        _until_listening(port, process)
        yield Service(port, unix, manager, process, folder / "client.toml")
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        manager.close()


def _until_listening(port: int, process: subprocess.Popen[str]) -> None:
    """Reads the kernel's table of listeners: a connection would start the daemon."""
    wanted = f"0100007F:{port:04X} 00000000:0000 0A"
    while wanted not in Path("/proc/net/tcp").read_text():
        assert process.poll() is None, "systemd-socket-activate ended"


def test_a_service_is_ready_alive_reloaded_and_stopped_as_systemd_is_told(tmp_path: Path) -> None:
    with activated(tmp_path) as service:
        assert service.call("System.health")["result"]["status"] == "ok"
        service.manager.hear("READY=1")
        service.manager.hear("WATCHDOG=1")
        assert _over_unix(service.unix).startswith("HTTP/1.1 200")

        service.config.write_text(HEAD + SERVERS["time"] + SERVERS["certificate"])
        service.process.send_signal(signal.SIGHUP)
        assert int(service.manager.hear("RELOADING=1")["MONOTONIC_USEC"]) > 0
        service.manager.hear("READY=1")
        names = [server["name"] for server in service.call("Tools.list")["result"]["servers"]]
        assert names == ["time", "certificate"]

        service.process.send_signal(signal.SIGTERM)
        service.manager.hear("STOPPING=1")
        assert service.process.wait(WAIT_S) == 0


def test_a_stop_tells_who_waits_which_run_goes_on_later_and_refuses_what_is_new(tmp_path: Path) -> None:
    with activated(tmp_path) as service:
        answers: list[dict[str, Any]] = []
        run_id = service.call("Agent.start", prompt="Halo")["result"]["run_id"]
        waiting = threading.Thread(
            target=lambda: answers.append(service.call("Agent.run", prompt="Halo", run_id=run_id))
        )
        waiting.start()
        service.process.send_signal(signal.SIGTERM)
        service.manager.hear("STOPPING=1")
        refused = service.call("Agent.run", prompt="Satu lagi")
        waiting.join(WAIT_S)
        assert refused["error"]["data"]["type"] == "draining"
        [told] = [answer["error"]["data"] for answer in answers]
        assert (told["type"], told["run_id"]) == ("draining", run_id)
        assert service.process.wait(WAIT_S) == 0


def _over_unix(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(WAIT_S)
        one.connect(str(path))
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return one.recv(4096).decode()


# ── the units ────────────────────────────────────────────────────────────────────────────────────────────────────────


def written(folder: Path, text: str, *, system: bool) -> dict[str, Path]:
    """The units for this machine, below a folder: {name: file}."""
    (folder / "client.toml").write_text(text)
    made = units(config.load(folder / "client.toml"), Path(sys.executable).with_name("agentd"), system=system)
    files = {path.name: folder / path.name for path in made}
    for path, content in made.items():
        files[path.name].write_text(content)
    return files


def analyze(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **env}
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=WAIT_S, env=environ)


@pytest.mark.parametrize("system", [True, False], ids=["system", "user"])
def test_the_units_have_no_mistake(tmp_path: Path, system: bool) -> None:
    files = written(tmp_path, KEYED + SERVERS["time"], system=system)
    whose = "--system" if system else "--user"
    for name in ("agentd.service", "agentd.socket"):
        checked = analyze(
            "verify", whose, "--man=no", "--recursive-errors=one", files[name], XDG_RUNTIME_DIR=str(tmp_path)
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_service_exposes_little(tmp_path: Path) -> None:
    files = written(tmp_path, HEAD + SERVERS["time"], system=True)
    analysed = analyze("security", "--offline=true", "--no-pager", files["agentd.service"])
    found = re.search(r"Overall exposure level for agentd.service: ([\d.]+)", analysed.stdout)
    assert found is not None, analysed.stderr
    assert float(found[1]) <= 1.3


def test_a_server_may_have_a_user_of_its_own(tmp_path: Path) -> None:
    """The template's own text, for this machine's program."""
    text = (Path(__file__).parents[2] / "systemd" / "agentd-server@.service").read_text()
    assert "DynamicUser=yes" in text and "LoadCredential=http_token:" in text
    unit = tmp_path / "agentd-server@mysql.service"
    unit.write_text(text.replace("/opt/agentd/.venv/bin/python", sys.executable))
    checked = analyze("verify", "--man=no", "--recursive-errors=one", unit, XDG_RUNTIME_DIR=str(tmp_path))
    assert (checked.returncode, checked.stderr) == (0, "")
    analysed = analyze("security", "--offline=true", "--no-pager", unit)
    found = re.search(r"Overall exposure level for agentd-server@mysql.service: ([\d.]+)", analysed.stdout)
    assert found is not None and float(found[1]) <= 1.3, analysed.stdout[-300:] + analysed.stderr


def test_each_key_that_the_configuration_names_is_a_credential(tmp_path: Path) -> None:
    service = written(tmp_path, KEYED, system=True)["agentd.service"].read_text()
    assert "LoadCredential=OFFICE_KEY:/etc/agentd/credentials/OFFICE_KEY\nSetCredential=OFFICE_KEY:\\n\n" in service
    assert "GEMINI" not in service


def test_each_servers_credential_is_the_services_too(tmp_path: Path) -> None:
    named = HEAD + SERVERS["certificate"] + 'credentials = ["office_key_passphrase"]\n'
    remote = (
        '[[servers]]\nname = "books"\nurl = "http://127.0.0.1:9/mcp"\nheaders = { Authorization = "Bearer ${books}" }\n'
    )
    service = written(tmp_path, named + remote, system=True)["agentd.service"].read_text()
    for name in ("office_key_passphrase", "books"):
        assert f"LoadCredential={name}:/etc/agentd/credentials/{name}\n" in service
        assert f"SetCredential={name}:\\n\n" in service


def test_a_server_on_node_brings_its_drop_in(tmp_path: Path) -> None:
    assert "node.conf" not in written(tmp_path, HEAD + SERVERS["time"], system=True)
    files = written(tmp_path, HEAD + NODE, system=True)
    assert "MemoryDenyWriteExecute=no" in files["node.conf"].read_text()


@pytest.mark.parametrize("hidden", ["/home/budi/agentd/.venv/bin/agentd", "/root/.venv/bin/agentd"])
def test_a_program_that_the_service_could_not_see_is_not_installed(hidden: str) -> None:
    with pytest.raises(CannotInstall, match="/opt/agentd"):
        check_reachable(Path(hidden))


def test_install_writes_below_a_root_and_says_what_comes_next(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_text(HEAD + SERVERS["time"])
    command = [AGENTD, "install", "--user", "--root", tmp_path / "image", "--config", tmp_path / "client.toml"]
    environ = {**os.environ, "HOME": "/home/budi", "XDG_CONFIG_HOME": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, env=environ)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "image" / "home" / "budi" / ".config"
    assert (folder / "agentd" / "client.toml").read_text() == HEAD + SERVERS["time"]
    assert f"ExecStart={AGENTD} serve" in (folder / "systemd" / "user" / "agentd.service").read_text()
    assert "systemctl --user daemon-reload" in done.stdout


def test_an_office_of_ones_own_is_installed_with_its_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    program = Path(sys.executable).with_name("agentd")
    for office, own in (("campus", True), ("kelurahan", False)):
        made = units(config.load(PROFILES / office / "client.toml"), program, system=False)
        there = {path.relative_to(tmp_path / "home" / "agentd").as_posix() for path in made if "agentd/" in str(path)}
        assert "client.toml" in there
        assert ("office.toml" in there, "letters/transcript_request/letter.txt" in there) == (own, own)
