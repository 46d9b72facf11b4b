"""The demonstration's daemon and the people who call it over HTTP. What they say is defined elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
AGENTD = Path(sys.executable).with_name("agentd")
OWN = ("RESIDENTS_URL", "AGENTD_TOKEN")
"""Variables removed from the daemon's environment: the demonstration uses the sample register and its own tokens."""


class Person:
    """A caller with a token; a visitor's session also has a key."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._key = self.session_id = ""

    def arrive(self) -> None:
        """Create a session, as the kiosk does for each visitor."""
        self._key = ""
        made = self.call("Session.create")
        self.session_id, self._key = made["session_id"], made["session_key"]

    def call(self, method: str, **params: Any) -> Any:
        """Make one JSON-RPC call and return its result. Raises SystemExit on an error."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        if self._key:
            headers["Agentd-Session-Key"] = self._key
        with urllib.request.urlopen(urllib.request.Request(f"{self._url}/rpc", body, headers), timeout=600) as response:
            answer = json.load(response)
        if "error" in answer:
            raise SystemExit(f"{method}: {json.dumps(answer['error'], ensure_ascii=False, indent=1)}")
        return answer["result"]


@contextmanager
def daemon(state: Path, config: Path) -> Iterator[str]:
    """Run `agentd serve` on a free port; yield its address once it is ready and stop it afterwards."""
    command: list[str | Path] = [AGENTD, "serve", "--config", config, "--state", state, "--listen", "127.0.0.1:0"]
    environ = {name: value for name, value in os.environ.items() if name not in OWN}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environ)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"agentd did not start (exit {process.wait(10)}); its words are above")
        print(f"   {line.strip()}")
        yield line.split()[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def token(state: Path, name: str, scope: str) -> str:
    """Create a token for a kiosk or an officer with `agentd token add`."""
    command: list[str | Path] = [AGENTD, "token", "add", name, "--scope", scope, "--state", state]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]


def text_of(pdf: Path) -> str:
    """The text on the letter's first page."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    return str(document[0].get_textpage().get_text_bounded())
