"""The audit trail of a real daemon: who did what is in it, who the citizens are is not."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from tests import warm
from tests.daemon import Daemon, RpcFailed, running
from tests.e2e.test_main_job import LETTER, WORDS, final
from tests.waiting import until

PLANTED = ("Budi", "Santoso", "3175061501900003", "Melati", "Melamar", "Karyawan", "salah ketik", "Surat Anda selesai")


def told(daemon: Daemon) -> list[tuple[str, str, str]]:
    entries = AuditTrail(daemon.state, SystemClock()).entries()
    return [(entry.action, entry.actor, entry.subject) for entry in entries]


def test_who_approved_refused_voided_reloaded_and_deleted_is_kept_without_a_citizens_word(tmp_path: Path) -> None:
    with running(tmp_path, LETTER, final("Surat Anda selesai.")) as daemon:
        yes = daemon.call("Agent.run", prompt=WORDS, session_id="budi")
        number = daemon.call("Agent.run", prompt="ya, benar", session_id="budi")["steps"][0]["output"]["number"]
        no = daemon.call("Agent.run", prompt=WORDS, session_id="ragu")
        daemon.approve(no, approved=False)
        daemon.call("Tools.call", tool="void_letter", input={"number": number, "reason": "salah ketik nama Budi"})
        with pytest.raises(
            RpcFailed, match=r"^tool_execution: Nomor 999/X/2026 tidak ada dalam register\. \(-32003\)$"
        ) as unknown:
            daemon.call("Tools.call", tool="void_letter", input={"number": "999/X/2026", "reason": "salah ketik"})
        assert unknown.value.error["data"]["user_message"] == "Nomor 999/X/2026 tidak ada dalam register."
        daemon.call("Config.reload")
        daemon.call("Session.delete", session_id="budi")
        assert told(daemon) == [
            ("approval.approved", "admin", yes["run_id"]),
            ("approval.refused", "admin", no["run_id"]),
            ("tool.called", "admin", number),
            ("tool.called", "admin", "999/X/2026"),
            ("config.reloaded", "admin", ""),
            ("session.deleted", "admin", "budi"),
        ]
        kept = b"".join(file.read_bytes() for file in daemon.state.glob("audit.*")).decode()
        assert [word for word in PLANTED if word in kept] == []
        verified = subprocess.run([warm.command(), "audit", "--verify", "--state", daemon.state], check=False)
        assert verified.returncode == 0


def test_a_yes_that_cannot_be_recorded_issues_nothing(tmp_path: Path) -> None:
    with running(tmp_path, LETTER, final("Surat Anda selesai.")) as daemon:
        asked = daemon.call("Agent.run", prompt=WORDS, session_id="budi")
        (daemon.state / "audit.jsonl").mkdir()
        with pytest.raises(RpcFailed) as refused:
            daemon.call("Agent.run", prompt="ya, benar", session_id="budi")
        assert (refused.value.type, "audit trail" in refused.value.error["message"]) == ("busy", True)
        assert not list(daemon.state.glob("letters/2*/*.pdf"))
        before, config = daemon.call("Models.list"), daemon.config.read_text()
        daemon.config.write_text(config.replace('"scripted"', '"other"', 1).replace('id = "scripted"', 'id = "other"'))
        with pytest.raises(RpcFailed, match="audit trail"):
            daemon.call("Config.reload")
        assert daemon.call("Models.list") == before, "of what can't be recorded nothing is done"
        log = daemon.folder / "stderr.log"
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: "config.refused" in log.read_text(), "the reload by signal is refused")
        (daemon.state / "audit.jsonl").rmdir()
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: daemon.call("Models.list")["default_provider"] == "other", "the next one is not")
        daemon.config.write_text(config)
        daemon.call("Config.reload")
        issued = daemon.call("Agent.run", prompt="ya, benar", session_id="budi")
        assert (issued["run_id"], issued["status"]) == (asked["run_id"], "completed")
