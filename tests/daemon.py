"""A real `agentd serve` for tests, with its own state, a free port and a scripted model; always stopped. Not a test."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import warm

AGENTD = Path(sys.executable).with_name("agentd")
TOKEN = "test-token-of-the-admin"
READY_S = 300
"""Timeout of a start in seconds, enough for a busy machine."""


def server_entry(name: str, *args: str | Path, **keys: str | float) -> str:
    """A `[[servers]]` entry whose Python has these arguments; without any it starts our server of that name."""
    words = [str(word) for word in args] or ["-m", f"servers.{name}"]
    lines = {"name": name, "command": "python3", "args": words, **keys}
    return "[[servers]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


SERVERS = {name: server_entry(name, start_timeout_s=120) for name in ("time", "certificate")}
HEAD = """\
default_provider = "scripted"
prompt_template = "Layani warga. {{custom_instruction}} {{language_guidance}} {{tool_guidance}}"
letters.assurance = "declared"
[[providers]]
id = "scripted"
type = "scripted"
script = "script.jsonl"

"""


class RpcFailed(Exception):
    """The daemon answered with a JSON-RPC error."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error = error
        super().__init__(f"{self.type}: {error['message']} ({error['code']})")

    @property
    def type(self) -> str:
        """`data.type`."""
        return str(self.error["data"]["type"])


class Daemon:
    """One daemon process on one folder; it may be killed and restarted."""

    def __init__(
        self, folder: Path, turns: Sequence[Any], config: str | None = None, env: Mapping[str, str] = {}
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.state = folder / "state"
        self.config = folder / "client.toml"
        self.script(*turns)
        self.config.write_text(config if config is not None else HEAD + "\n".join(SERVERS.values()))
        self.env = dict(env)
        self.program = AGENTD
        self.words: tuple[str, ...] = ()
        """Additional arguments of `agentd serve`."""
        self.process: warm.Forked | subprocess.Popen[str] | None = None
        self.started: Callable[[int], object] = lambda _pid: None
        """Called with each process's pid as soon as it exists."""
        self.url = ""

    def script(self, *turns: Any) -> None:
        """Write the model's turns: action objects or raw lines."""
        lines = [turn if isinstance(turn, str) else json.dumps(turn, ensure_ascii=False) for turn in turns]
        (self.folder / "script.jsonl").write_text("\n".join(lines) + "\n")

    def start(self, cwd: Path | None = None) -> Daemon:
        """Start the daemon in `cwd` and wait for its ready line."""
        listen = self.url.removeprefix("http://") or "127.0.0.1:0"  # a restart reuses the first address
        folders: list[str | Path] = ["--config", self.config, "--state", self.state]
        words = ["serve", *folders, "--listen", listen, *self.words]
        env = {**os.environ, "AGENTD_TOKEN": TOKEN, **self.env}
        with (self.folder / "stderr.log").open("a") as errors:
            self.process = warm.agentd(words, program=self.program, stderr=errors, env=env, cwd=cwd)
        self.started(self.process.pid)
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], READY_S)
        line = self.process.stdout.readline() if readable else f"nothing within {READY_S} s"
        if not line.startswith("ready "):
            raise AssertionError(f"no ready line but {line!r}\n{(self.folder / 'stderr.log').read_text()[-3000:]}")
        self.url = line.split()[1]
        return self

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send the signal, wait for the end, and return the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(300)

    def died(self, timeout_s: float) -> bool:
        """True when it ends by itself within the timeout."""
        assert self.process is not None
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def was_killed(self) -> bool:
        """True when SIGKILL ended it."""
        return self.process is not None and self.process.returncode == -signal.SIGKILL

    def call(self, method: str, **params: Any) -> Any:
        """Make one JSON-RPC call as admin. Raises RpcFailed."""
        return self.called(method, params)

    def called(self, method: str, params: dict[str, Any], **headers: str) -> Any:
        """Make one JSON-RPC call with these headers. Raises RpcFailed."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        with self.request("/rpc", body, **headers) as response:
            answer = json.load(response)
        if "error" in answer:
            raise RpcFailed(answer["error"])
        return answer["result"]

    def waiting(self) -> dict[str, Any]:
        """The one run that waits for an approval."""
        (run,) = self.call("Agent.list", status="needs_approval")["runs"]
        return dict(run)

    def approve(self, waiting: dict[str, Any], approved: bool = True, **more: Any) -> Any:
        """Decide, as admin, about the approval that an outcome waits for."""
        return self.call("Agent.approve", **approval_of(waiting), approved=approved, **more)

    def request(self, path: str, body: bytes | None = None, **headers: str) -> Any:
        """Send any HTTP request as admin."""
        whole = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", **headers}
        return urllib.request.urlopen(urllib.request.Request(self.url + path, body, whole), timeout=300)

    def events(self, run_id: str, after: int = 0) -> list[dict[str, Any]]:
        """The stored events of a completed run."""
        with self.request(f"/events?run_id={run_id}&after={after}") as response:
            return [json.loads(line[5:]) for line in response if line.startswith(b"data:")]


@contextmanager
def running(folder: Path, *turns: Any, config: str | None = None, env: Mapping[str, str] = {}) -> Iterator[Daemon]:
    """A running daemon that is stopped after the block."""
    daemon = Daemon(folder, turns, config, env).start()
    try:
        yield daemon
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill(signal.SIGTERM)


def one_daemon(*turns: Any, config: str | None = None, env: Mapping[str, str] = {}, scope: Any = "module") -> Any:
    """A fixture: one running daemon for all tests of the file (or of the scope)."""

    @pytest.fixture(scope=scope)
    def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
        with running(tmp_path_factory.mktemp("daemon"), *turns, config=config, env=env) as daemon:
            yield daemon

    return started


def approval_of(waiting: dict[str, Any]) -> dict[str, str]:
    """The params that name the approval which an outcome waits for."""
    return {"run_id": waiting["run_id"], "approval_id": waiting["approval"]["approval_id"]}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A scripted turn that calls a tool."""
    return {"action": "call_tool", "tool": tool, "input": arguments}


def final(text: str) -> dict[str, Any]:
    """A scripted turn that answers."""
    return {"action": "final", "response": text}
