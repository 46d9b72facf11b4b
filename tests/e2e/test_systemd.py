"""agentd as a systemd service: started by systemd-socket-activate, heard on a notify socket."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import AGENTD, HEAD, SERVERS, TOKEN
from tests.ports import free_port

WAIT_S = 300.0
SLOW_MS = 3000


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
        process.wait(300)
        manager.close()


def _until_listening(port: int, process: subprocess.Popen[str]) -> None:
    """Reads the kernel's table of listeners: a connection would start the daemon."""
    wanted = f"0100007F:{port:04X} 00000000:0000 0A"
    while wanted not in Path("/proc/net/tcp").read_text():
        assert process.poll() is None, "systemd-socket-activate ended"


def test_a_service_is_ready_alive_reloaded_and_stopped_as_systemd_is_told(tmp_path: Path) -> None:
    with activated(tmp_path) as service:
        assert service.call("System.health")["result"]["status"] == "ok"
        service.manager.hear("EXTEND_TIMEOUT_USEC=180000000")  # of a server's 120 s, and 60
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
