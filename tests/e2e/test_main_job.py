"""The main job through real processes: the daemon, its MCP servers, JSON-RPC over HTTP (seed 002)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, RpcFailed, call, final, one_daemon, running

WORDS = (
    "Saya mau surat domisili. Nama saya Budi Santoso, NIK 3175061501900003, lahir di Jakarta 15 Januari 1990, Islam, "
    "belum kawin, karyawan swasta, alamat Jl. Melati No 5 RT 3 RW 7, untuk melamar pekerjaan"
)
LETTER = call(
    "generate_surat_keterangan_domisili",
    nama="Budi Santoso",
    nik="3175061501900003",
    tempat_lahir="Jakarta",
    tanggal_lahir="15 Januari 1990",
    agama="Islam",
    status_perkawinan="Belum Kawin",
    pekerjaan="Karyawan Swasta",
    alamat_domisili="Jl. Melati No. 5",
    rt="003",
    rw="007",
    keperluan="Melamar pekerjaan",
)


office = one_daemon(call("get_current_time"), LETTER, final("Surat Anda selesai."))
"""One daemon for the conversations of this file, each in a session of its own."""


def test_a_citizens_words_become_a_letter_after_a_plain_yes(office: Daemon) -> None:
    asked = office.call("Agent.run", prompt=WORDS, session_id="budi")
    assert asked["status"] == "needs_approval"
    assert asked["approval"]["arguments"]["nama"] == "Budi Santoso"
    assert "Budi Santoso" in asked["response"]
    assert not list(office.state.glob("letters/**/*.pdf"))

    issued = office.call("Agent.run", prompt="ya, benar", session_id="budi")
    assert (issued["run_id"], issued["status"], issued["response"]) == (
        asked["run_id"],
        "completed",
        "Surat Anda selesai.",
    )
    [artifact] = issued["artifacts"]
    content = Path(artifact["path"]).read_bytes()
    assert content.startswith(b"%PDF")
    assert hashlib.sha256(content).hexdigest() == artifact["sha256"]
    with office.request(artifact["uri"]) as response:
        assert response.read() == content

    kinds = [event["type"] for event in office.events(issued["run_id"])]
    assert kinds.index("approval.requested") < kinds.index("approval.decided") < kinds.index("run.finished")
    assert [event["seq"] for event in office.events(issued["run_id"])] == list(range(1, len(kinds) + 1))


def test_a_model_that_invents_a_citizen_gets_no_letter(office: Daemon) -> None:
    asked = office.call("Agent.run", prompt="Buatkan surat domisili", session_id="kosong")
    assert asked["status"] == "completed"
    refused = asked["steps"][-1]
    assert refused["success"] is False
    assert {"nama", "nik", "tanggal_lahir"} <= set(refused["output"]["missing"])
    assert "3175061501900003" not in refused["message"]


def test_a_model_that_insists_ends_the_run_and_the_citizen_is_asked_for_what_is_missing(tmp_path: Path) -> None:
    with running(tmp_path, LETTER) as daemon:
        with pytest.raises(RpcFailed) as refused:
            daemon.call("Agent.run", prompt="Buatkan surat domisili untuk Budi Santoso")
        error = refused.value.error
        assert (error["code"], error["data"]["type"]) == (-32015, "grounding")
        assert "nik" in error["data"]["missing"]
        assert error["data"]["user_message"].startswith("Mohon sebutkan")
        assert [step["success"] for step in error["data"]["steps"]] == [False, False]


def test_other_words_than_yes_decide_nothing(office: Daemon) -> None:
    asked = office.call("Agent.run", prompt=WORDS, session_id="ragu")
    again = office.call("Agent.run", prompt="Berapa lama berlakunya?", session_id="ragu")
    assert again["run_id"] != asked["run_id"]
    assert office.call("Agent.get", run_id=asked["run_id"])["status"] == "needs_approval"


def test_an_approval_is_decided_once(office: Daemon) -> None:
    asked = office.call("Agent.run", prompt=WORDS, session_id="sekali")
    refused = office.approve(asked, approved=False)
    assert (refused["status"], refused["artifacts"]) == ("completed", [])
    with pytest.raises(RpcFailed, match="conflict:"):
        office.approve(asked)


def test_a_killed_daemon_finishes_its_runs_and_issues_no_letter_twice(tmp_path: Path) -> None:
    slow = {"text": '{"action":"final","response":"Selesai"}', "after_ms": 600_000}
    with running(tmp_path, LETTER, slow) as daemon:
        asked = daemon.call("Agent.run", prompt=WORDS, session_id="s")
        with pytest.raises(OSError):
            _approve_and_kill(daemon, asked)
        daemon.script(final("Selesai"))
        daemon.start()
        ended = daemon.call("Agent.run", prompt=WORDS, session_id="s", run_id=asked["run_id"])
        assert (ended["status"], ended["response"]) == ("completed", "Selesai")
        assert len(list(daemon.state.glob("letters/2*/*.pdf"))) == 1
        assert [step["success"] for step in ended["steps"]] == [True]


def _approve_and_kill(daemon: Daemon, waiting: dict[str, Any]) -> None:
    """Approve, and kill the daemon once the letter is on disk, while the answer is still being written."""
    import threading

    def kill() -> None:
        seen = threading.Event()
        while not list(daemon.state.glob("letters/2*/*.pdf")):
            seen.wait(0.02)
        daemon.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        daemon.approve(waiting)
    finally:
        killer.join()
