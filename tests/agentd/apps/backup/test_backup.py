"""`agentd backup` while a daemon works, `agentd restore` on a new disk, over an old state, and after a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentd import config
from agentd.apps.backup.backup_command import copy_letters
from agentd.cli import main
from tests import warm
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, final, running, server_entry
from tests.servers.certificate.letters import DOMISILI

GENERATE = "generate_surat_keterangan_domisili"
CONFIG = f"""{HEAD}{SERVERS["certificate"]}
[[tools]]
name = "{GENERATE}"
server = "certificate"
approval = "never"
"""


def agentd(daemon: Daemon, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
    command = [
        warm.command(),
        *map(str, words[:1]),
        "--config",
        daemon.config,
        "--state",
        daemon.state,
        *map(str, words[1:]),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **env})


def letter(daemon: Daemon, rt: int) -> dict[str, Any]:
    """What the letter server answers to a call by hand."""
    return dict(daemon.call("Tools.call", tool=GENERATE, input=DOMISILI | {"rt": str(rt)})["output"])


def pdf(daemon: Daemon, number: str) -> Path:
    return next((daemon.state / "letters").glob(f"[0-9]*/*-{number.replace('/', '-')}.pdf"))


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with running(tmp_path, final("Baik."), config=CONFIG) as daemon:
        yield daemon


def test_a_backup_of_a_working_daemon_is_restored_whole(daemon: Daemon, tmp_path: Path) -> None:
    daemon.call("Agent.run", prompt="Halo", run_id="before", session_id="s")
    first = letter(daemon, 1)
    done = agentd(daemon, "backup", tmp_path / "backup")
    assert done.returncode == 0, done.stderr
    assert "not included: the configuration" in done.stdout
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "backup").rglob("*")} == {0}
    daemon.call("Agent.run", prompt="Halo", run_id="after", session_id="s")
    refused = agentd(daemon, "restore", tmp_path / "backup")
    assert refused.returncode == 1 and "a daemon works in it" in refused.stderr
    daemon.kill(signal.SIGTERM)
    shutil.rmtree(daemon.state)
    done = agentd(daemon, "restore", tmp_path / "backup")
    assert done.returncode == 0, done.stderr
    daemon.start()
    assert daemon.call("Agent.get", run_id="before")["status"] == "completed"
    with pytest.raises(RpcFailed):
        daemon.call("Agent.get", run_id="after")
    assert agentd(daemon, "letters", "verify", pdf(daemon, first["number"])).returncode == 0
    assert letter(daemon, 2)["number"].startswith("002/")
    audit = agentd(daemon, "letters", "audit")
    assert audit.returncode == 0 and "the register was put back" in audit.stdout
    assert agentd(daemon, "audit", "--verify").returncode == 0


def test_letters_issued_after_the_backup_are_not_numbered_twice(daemon: Daemon, tmp_path: Path) -> None:
    letter(daemon, 1)
    assert agentd(daemon, "backup", tmp_path / "backup").returncode == 0
    later = letter(daemon, 2)
    daemon.kill(signal.SIGTERM)
    refused = agentd(daemon, "restore", tmp_path / "backup")
    assert refused.returncode == 1 and "--replace" in refused.stderr
    assert agentd(daemon, "restore", tmp_path / "backup", "--replace").returncode == 0
    aside = next(daemon.state.glob("before-restore-*"))
    assert (aside / "agentd.db").exists(), "nothing that was there is deleted"
    daemon.start()
    doctor = agentd(daemon, "doctor")
    assert "no letter is issued: the register is an older" in doctor.stdout and doctor.returncode == 1
    with pytest.raises(RpcFailed, match="tool_execution:"):
        letter(daemon, 3)
    assert agentd(daemon, "letters", "repair", "--yes").returncode == 0
    assert agentd(daemon, "letters", "verify", pdf(daemon, later["number"])).returncode == 0
    assert letter(daemon, 3)["number"].startswith("003/")


@pytest.mark.slow
def test_a_backup_starts_the_letter_server_once(tmp_path: Path) -> None:
    """Each start costs most of the seconds that a small backup takes."""
    places = {"ledger": None, "register_place": "postgresql://db/letters", "own_key": "/keys/office.pem"}
    (tmp_path / "letters.py").write_text(
        f"open({str(tmp_path / 'starts')!r}, 'x')\nprint({json.dumps({'places': places})!r})\n"  # a second start fails
    )
    (tmp_path / "client.toml").write_text(HEAD + server_entry("certificate", tmp_path / "letters.py"))
    (tmp_path / "script.jsonl").write_text("{}\n")
    said = copy_letters(config.load(str(tmp_path / "client.toml"), state=str(tmp_path / "state")), tmp_path / "part")
    assert said is not None and "postgresql://db/letters" in said and "/keys/office.pem" in said


def test_a_backup_that_could_not_begin_is_not_in_the_audit_trail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").mkdir()
    assert main(["backup", str(tmp_path), "--state", str(tmp_path / "state")]) == 1
    assert "is not empty: a backup goes into a folder of its own" in capsys.readouterr().err
    assert "state.backed_up" not in "".join(path.read_text() for path in tmp_path.rglob("audit.jsonl"))
