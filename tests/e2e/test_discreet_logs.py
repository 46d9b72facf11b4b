"""What a real daemon and its servers write to standard error while citizens' calls break: none of their words."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final, running, server_entry
from tests.waiting import until

SCRIPT = Path(__file__).with_name("careless.py")
DEBUG = '[telemetry]\nlog_level = "debug"\n'
NAME, NIK = "Budi Santoso Melati", "3175064508900001"
PLANTED = ("budi", "santoso", "melati", NIK)
LATE_MS = 600_000


def said(daemon: Daemon) -> str:
    """All logs there are: the daemon's, with its servers' lines."""
    return (daemon.folder / "stderr.log").read_text()


def planted_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if any(word in line.lower() for word in PLANTED)]


@pytest.mark.parametrize("turn", [call("hang", nama=NAME), {"text": json.dumps(final(NAME)), "after_ms": LATE_MS}])
def test_a_stop_in_mid_call_and_in_mid_turn_logs_no_citizens_words(tmp_path: Path, turn: dict[str, Any]) -> None:
    hangs = tmp_path / "hangs"
    config = HEAD + DEBUG + "\n".join(SERVERS.values()) + server_entry("careless", SCRIPT, hangs)
    with running(tmp_path, turn, config=config) as daemon:
        run_id = daemon.call("Agent.start", prompt=f"Nama saya {NAME}, NIK {NIK}")["run_id"]
        with daemon.request(f"/events?run_id={run_id}") as stream:
            assert any(b"event: model.started" in line for line in stream)
        until(lambda: "action" not in turn or hangs.exists(), "the call")
        daemon.kill(signal.SIGTERM)
    assert planted_in(said(daemon)) == []


def test_calls_that_break_log_no_citizens_words(tmp_path: Path) -> None:
    config = HEAD + DEBUG + SERVERS["certificate"] + server_entry("careless", SCRIPT, "")
    with running(tmp_path, final("Baik"), config=config) as daemon:
        for tool in ("fail", "crash", "generate_surat_keterangan_domisili"):
            try:
                daemon.call("Tools.call", tool=tool, input={"nama": NAME, "nik": NIK, "agama": {"x": [NAME]}})
            except RpcFailed as failed:
                assert failed.type in ("tool_execution", "grounding", "conflict")
        daemon.kill(signal.SIGTERM)
    text = said(daemon)
    assert "server careless is lost" in text
    assert planted_in(text) == []
