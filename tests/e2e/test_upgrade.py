"""An office that ran 0.1.0 goes on with this agentd: `agentd migrate`, then its conversations, letters and tokens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import warm
from tests.agentd.apps.backup.test_migrating import unpacked
from tests.daemon import HEAD, SERVERS, final, running


def test_an_office_of_0_1_0_is_migrated_and_goes_on(tmp_path: Path) -> None:
    unpacked(tmp_path)
    config = HEAD + SERVERS["certificate"].replace("python3", sys.executable)
    (tmp_path / "script.jsonl").write_text("{}\n")
    (tmp_path / "client.toml").write_text(config)
    command = [warm.command(), "migrate", "--config", tmp_path / "client.toml", "--state", tmp_path / "state"]
    looked = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, check=True)
    assert "the old state would be copied to" in looked.stdout
    assert "would be added" in looked.stdout
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "agentd.db: schema 1 → 2" in done.stdout
    assert "the register of 1 letters has entries" in done.stdout
    (copied,) = tmp_path.glob("state.before-migrate-*")
    assert (copied / "agentd.db").is_file()
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "up to date" in again.stdout

    with running(tmp_path, final("Surat Anda selesai."), config=config) as daemon:
        assert {one["session_id"] for one in daemon.call("Session.list")["sessions"]} == {"budi", "waiting"}
        issued = daemon.call("Agent.get", run_id="budi-1")
        assert issued["artifacts"][0]["name"] == "surat_keterangan_domisili-001-SKD-CONTOH-XI-2026.pdf"
        with daemon.request(issued["artifacts"][0]["uri"]) as letter:
            assert letter.read().startswith(b"%PDF")
        waiting = daemon.call("Agent.get", run_id="waiting-1")
        second = daemon.approve(waiting)["artifacts"][0]["name"]
        assert second.startswith("surat_keterangan_domisili-")
        assert second != issued["artifacts"][0]["name"]
    trail = (tmp_path / "state" / "audit.jsonl").read_text()
    assert "state.migrated" in trail
