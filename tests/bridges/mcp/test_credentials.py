"""A server's secrets: handed to it alone, gone with it, and no start without them."""

from __future__ import annotations

import logging
import os
import signal
import stat
from pathlib import Path

import pytest

from tests.bridges.mcp.conftest import Marked, OpenBridge, do, friendly, hostile, state, until_state

SECRET = {"office_key_passphrase": b"rahasia kantor", "database_url": b"mysql://a:b@h/d"}


def looked_at(folder: Path) -> tuple[int, set[int], dict[str, bytes]] | None:
    """(the folder's mode, its files' modes, their contents); None where there is none."""
    if not folder.exists():
        return None
    files = list(folder.iterdir())
    modes = {stat.S_IMODE(file.stat().st_mode) for file in files}
    return stat.S_IMODE(folder.stat().st_mode), modes, {file.name: file.read_bytes() for file in files}


async def test_a_server_gets_its_own_credentials_as_files_and_they_go_with_it(bridge: OpenBridge) -> None:
    host = await bridge(friendly("one", credentials=SECRET), friendly("two"))
    folder = Path((await do(host, "one", "environment")).output["CREDENTIALS_DIRECTORY"])
    assert looked_at(folder) == (0o700, {0o400}, SECRET)
    assert "CREDENTIALS_DIRECTORY" not in (await do(host, "two", "environment")).output
    await host.restart("one")
    assert looked_at(folder) is None


@pytest.mark.parametrize("killed", ["server", "guardian"])
async def test_a_kill_leaves_no_credentials(bridge: OpenBridge, marked: Marked, killed: str) -> None:
    host = await bridge(friendly(env=marked.env, credentials=SECRET))
    folder = Path((await do(host, "friendly", "environment")).output["CREDENTIALS_DIRECTORY"])
    server = marked.server()
    (guardian,) = set(marked.pids()) - {server}
    os.kill(server if killed == "server" else guardian, signal.SIGKILL)
    await until_state(host, "friendly", "up", restarts=1)
    assert looked_at(folder) is None


async def test_a_server_that_lacks_a_credential_is_not_started_and_says_so(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    command = {"command": "touch", "args": (str(started),), "env": {}}
    why = "the credential `x` is missing"
    host = await bridge(hostile("mute", **{"blocked": why}).model_copy(update=command), friendly())
    assert (state(host, "mute").state, state(host, "mute").error) == ("down", why)
    await host.restart("mute")
    assert looked_at(started) is None
    assert f"server mute is not started: {why}" in [
        r.getMessage() for r in caplog.records if r.levelno == logging.ERROR
    ]
    await host.reconfigure([friendly("mute"), friendly()])
    await until_state(host, "mute", "up")


async def test_credentials_stay_out_of_what_is_told_of_a_lost_server(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    host = await bridge(hostile("crash", env={"API_KEY": "x"}, credentials={"k": b"could not file"}))
    await do(host, "crash", name="Siti Aminah")
    await until_state(host, "crash", "up", restarts=1)
    assert "could not file" not in caplog.text
