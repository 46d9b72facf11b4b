"""A daemon whose settings speak of a proxy starts only when there is a token."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentd.cli import main
from tests import warm
from tests.daemon import HEAD, Daemon, final, server_entry

SETTINGS = {
    "allowed_hosts": '[rpc]\nallowed_hosts = ["surat.kelurahan.example"]\n',
    "allowed_origins": '[rpc]\nallowed_origins = ["https://kelurahan.example"]\n',
    "trusted_proxies": '[rpc]\ntrusted_proxies = ["127.0.0.1"]\n',
    "verify_base_url": server_entry("time", verify_base_url="https://surat.kelurahan.example"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_behind_a_proxy_a_token_is_needed_to_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    daemon = Daemon(tmp_path, [final("Halo.")], HEAD + SETTINGS[name], {"AGENTD_TOKEN": ""})
    where = ["--config", str(daemon.config), "--state", str(daemon.state)]
    command = [warm.command(), "serve", *where, "--listen", "127.0.0.1:0"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    line = daemon.config.read_text().splitlines().index(f"{SETTINGS[name].splitlines()[-1]}") + 1
    assert refused.returncode == 2
    assert f"{daemon.config}:{line}: `{name}` is set and no token exists" in refused.stderr
    assert "agentd token add" in refused.stderr
    assert main(["doctor", *where]) == 1
    assert "✗ access:" in capsys.readouterr().out
    assert main(["token", "add", "desk", "--scope", "admin", *where]) == 0
    assert daemon.start().kill(15) == 0
