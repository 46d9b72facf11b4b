"""What rests on a visitor's word waits for an officer, on a real daemon: the request, its code, and how it ends."""

from __future__ import annotations

import json
import re
import sqlite3
import urllib.error
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, RpcFailed, approval_of, call, final, one_daemon, running
from tests.e2e.register import (
    FORMS,
    REGISTER,
    WITH_OFFICERS,
    Person,
    arrived,
    one_person,
    person,
    residents,
)

CONFIG = WITH_OFFICERS + REGISTER + FORMS
BUDI = residents()[0]
SAID = {"nama": "Sari Wulandari", "nik": "3174055203920004", "alamat": "Jl. Mawar No. 5", "keperluan": "melamar kerja"}
WORDS = (
    "Saya perlu surat alamat. Nama saya Sari Wulandari, NIK 3174055203920004, alamat saya Jl. Mawar No. 5, "
    "untuk keperluan melamar kerja"
)
KTP = "KTP (asli)"


office = one_daemon(call("generate_surat_alamat", **SAID), final("Surat selesai."), config=CONFIG)
officer = one_person("siti", "staff")
screen = one_person("screen", "kiosk")


@pytest.fixture
def visitor(screen: Person) -> Person:
    screen.arrive()
    return screen


def request_of(officer: Person, run_id: str) -> dict[str, Any]:
    (found,) = [one for one in officer.call("Request.list")["requests"] if one["run_id"] == run_id]
    return dict(found)


def status(daemon: Daemon, code: str) -> dict[str, Any]:
    """/status/CODE for somebody without a token."""
    with daemon.request(f"/status/{code}", Authorization="", Accept="application/json") as response:
        return dict(json.load(response))


def test_a_declared_letter_waits_for_an_officer_and_is_ready_in_the_same_session(
    office: Daemon, visitor: Person, officer: Person
) -> None:
    asked = visitor.says(WORDS)
    assert (asked["status"], "rule" in asked["approval"]) == ("needs_approval", False)
    waiting = visitor.says("ya")
    request = request_of(officer, asked["run_id"])
    assert (waiting["run_id"], waiting["status"], waiting["approval"]["rule"]) == (
        *(asked["run_id"], "needs_approval"),
        "staff",
    )
    assert request["queue_number"] in waiting["response"] and request["code"] in waiting["response"]
    assert re.fullmatch(r"SA-\d{3}", request["queue_number"])
    assert re.fullmatch(r"[2-9A-Z]{4}(-[2-9A-Z]{4}){3}", request["code"])
    assert (request["status"], request["level"], request["tool"]) == (
        *("under_review", "declared"),
        "generate_surat_alamat",
    )
    assert visitor.call("Request.list")["requests"] == [request]
    assert visitor.call("Request.get", request_id=request["request_id"]) == request
    ids = {**approval_of(waiting), "approved": True}
    assert visitor.refused("Agent.approve", **ids) == "forbidden"
    assert status(office, request["code"])["status"] == "under_review"

    ids = {"request_id": request["request_id"]}
    lacking = officer.call("Request.check", **ids, requirement=KTP, seen=False)
    assert (lacking["status"], status(office, request["code"])["status"]) == ("incomplete", "incomplete")
    assert officer.refused("Request.hand_over", **ids) == "conflict", "nothing is ready"
    with pytest.raises(RpcFailed, match=r"not seen: KTP \(asli\); Kartu Keluarga") as early:
        officer.approve(waiting)
    assert "Belum ditunjukkan: KTP (asli); Kartu Keluarga." in early.value.error["data"]["user_message"]
    checked = officer.call("Request.check", **ids, requirement=KTP, seen=True)
    assert checked["status"] == "under_review"
    assert {"requirement": KTP, "seen": True} in checked["requirements"]
    done = officer.approve(waiting)
    output = done["steps"][0]["output"]
    assert (done["status"], output["given"]) == ("completed", SAID)
    assert (output["basis"]["level"], output["basis"]["seen"]) == ("declared", [KTP])
    assert visitor.call("Agent.get", run_id=asked["run_id"])["status"] == "completed"
    assert request_of(officer, asked["run_id"])["status"] == "ready"
    told = status(office, request["code"].lower().replace("-", ""))
    assert (told["status"], told["queue_number"]) == ("ready", request["queue_number"])
    assert SAID["nama"] not in json.dumps(told)
    assert visitor.refused("Request.hand_over", **ids) == "forbidden"
    assert officer.call("Request.hand_over", **ids)["status"] == "fetched"
    assert status(office, request["code"])["status"] == "fetched"
    assert visitor.refused("Request.cancel", **ids) == "conflict"


def test_an_officers_no_ends_the_request(visitor: Person, officer: Person) -> None:
    visitor.says(WORDS)
    waiting = visitor.says("ya")
    assert officer.approve(waiting, approved=False)["steps"][0]["success"] is False
    assert request_of(officer, waiting["run_id"])["status"] == "cancelled"


def test_a_visitor_withdraws_their_request_and_no_neighbours(office: Daemon, visitor: Person, officer: Person) -> None:
    visitor.says(WORDS)
    run_id = visitor.says("ya")["run_id"]
    request_id = request_of(officer, run_id)["request_id"]
    neighbour = Person(office, visitor.token)
    neighbour.arrive()
    assert neighbour.call("Request.list") == {"requests": []}
    for method in ("Request.get", "Request.cancel"):
        assert neighbour.refused(method, request_id=request_id) == "not_found"
    assert visitor.refused("Request.check", request_id=request_id, requirement=KTP, seen=True) == "forbidden"
    assert visitor.call("Request.cancel", request_id=request_id)["status"] == "cancelled"
    assert visitor.call("Agent.get", run_id=run_id)["status"] == "cancelled"


def test_a_letter_that_waits_for_an_officer_is_not_asked_for_a_second_time(tmp_path: Path) -> None:
    with running(tmp_path, call("generate_surat_alamat", **SAID), config=CONFIG) as daemon:
        officer, visitor = person(daemon, "siti", "staff"), arrived(daemon)
        visitor.says(WORDS)
        waiting = visitor.says("ya")
        again = visitor.says("Tolong dibuatkan suratnya.")
        assert (again["status"], again["approval"], again["response"]) == ("completed", None, waiting["response"])
        (request,) = officer.call("Request.list")["requests"]
        visitor.call("Request.cancel", request_id=request["request_id"])
        assert visitor.says("Tolong dibuatkan suratnya.")["status"] == "needs_approval", (
            "what was withdrawn may be wanted"
        )


def test_a_request_goes_on_without_the_words_once_the_visitor_has_left(
    office: Daemon, visitor: Person, officer: Person
) -> None:
    asked = visitor.says(WORDS)
    assert visitor.says("ya")["approval"]["rule"] == "staff"
    visitor.call("Session.delete", session_id=visitor.session_id)
    request = request_of(officer, asked["run_id"])
    assert request["status"] == "under_review"
    assert visitor.refused("Agent.get", run_id=asked["run_id"]) == "not_found"
    with sqlite3.connect(office.state / "agentd.db") as db:
        rows = db.execute("SELECT * FROM agentd_runs WHERE run_id = ?", (asked["run_id"],)).fetchall()
        left = db.execute("SELECT * FROM agentd_sessions WHERE session_id = ?", (visitor.session_id,)).fetchall()
    db.close()
    assert len(rows) == 1 and left == []
    assert SAID["alamat"] in str(rows) and "Saya perlu" not in str(rows)
    (waiting,) = [
        run for run in officer.call("Agent.list", status="needs_approval")["runs"] if run["run_id"] == asked["run_id"]
    ]
    done = officer.approve(waiting)
    assert (done["status"], done["steps"][0]["output"]["given"]) == ("completed", SAID)
    assert status(office, request["code"])["status"] == "ready"


def test_codes_that_nobody_has_are_not_found_and_trying_them_ends(office: Daemon, officer: Person) -> None:
    answers = []
    for number in range(12):
        with pytest.raises(urllib.error.HTTPError) as failed:
            status(office, f"AAAA-BBBB-CCCC-{number:04d}")
        answers.append(failed.value.code)
    assert answers == [404] * 10 + [429] * 2


def test_who_is_sure_enough_waits_for_nobody(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja")
    with running(tmp_path, wants, final("Surat selesai."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        one.says("Saya perlu surat alamat untuk melamar kerja")
        done = one.says("ya")
        assert (done["status"], done["steps"][0]["output"]["basis"]["level"]) == ("completed", "pin")
        daemon.script(call("generate_surat_alamat", **SAID), final("Surat selesai."))
        daemon.kill(15)
        daemon.start()
        assert daemon.call("Agent.run", prompt=WORDS, session_id="desk")["status"] == "needs_approval"
        assert daemon.call("Agent.run", prompt="ya", session_id="desk")["status"] == "completed", "an officer's own yes"
        assert daemon.call("Request.list") == {"requests": []}


def test_a_verified_letter_with_a_declared_datum_waits_for_an_officer(tmp_path: Path) -> None:
    wants = call("generate_surat_telepon", telepon="081234567890", keperluan="bank")
    with running(tmp_path, wants, final("Surat selesai."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        one.says("Surat telepon untuk keperluan bank, nomor telepon saya 081234567890")
        assert one.says("ya")["approval"]["rule"] == "staff"
        (request,) = one.call("Request.list")["requests"]
        assert request["level"] == "declared"
        one.call("Session.forget", session_id=one.session_id)
        (request,) = one.call("Request.list")["requests"]
        assert request["status"] == "cancelled", "it rested on who had proven who they are"


def test_a_letter_for_the_proven_is_made_for_nobody_else(tmp_path: Path) -> None:
    wants = call("generate_surat_pasti", nama="Sari Wulandari")
    with running(tmp_path, wants, final("Silakan masuk dengan PIN."), wants, config=CONFIG) as daemon:
        one = arrived(daemon)
        step = one.says("Surat pasti, nama saya Sari Wulandari")["steps"][0]
        assert not step["success"] and "NIK (atau kartu) dan PIN" in step["message"]
        one.verify(nik=BUDI["nik"], pin=BUDI["pin"])
        assert one.says("Tolong surat pasti")["approval"]["arguments"] == {"nama": BUDI["nama"]}


@pytest.mark.parametrize("words", ["suratku udah jadi belum?", "surat saya kok belum jadi ya", "ya"])
def test_who_asks_how_their_request_stands_does_not_take_it_back(visitor: Person, officer: Person, words: str) -> None:
    run_id = visitor.says(WORDS)["run_id"]
    visitor.says("ya")
    visitor.says(words)
    assert request_of(officer, run_id)["status"] == "under_review"


def test_a_decision_sent_again_answers_as_the_first_did(visitor: Person, officer: Person) -> None:
    asked = visitor.says(WORDS)
    waiting = visitor.approve(asked)
    assert waiting["approval"]["rule"] == "staff" and visitor.approve(asked) == waiting
    first, again = officer.approve(waiting), officer.approve(waiting)
    assert first["status"] == "completed" and again == first
    assert officer.refused("Agent.approve", **approval_of(waiting), approved=False) == "conflict"


@pytest.mark.parametrize("ids", [{}, {"run_id": "the-yes-to-a-request"}], ids=["no id", "an id of its own"])
def test_a_plain_no_takes_ones_own_request_back(visitor: Person, officer: Person, ids: dict[str, str]) -> None:
    run_id = visitor.says(WORDS)["run_id"]
    visitor.says("ya", **ids)
    assert visitor.says("batal")["status"] == "completed"
    assert request_of(officer, run_id)["status"] == "cancelled"


def test_who_takes_a_request_back_or_corrects_it_is_answered_so(tmp_path: Path) -> None:
    corrected = SAID | {"alamat": "Jl. Kenanga No. 9"}
    script = [call("generate_surat_alamat", **SAID), call("generate_surat_alamat", **corrected), final("Baik, Bu.")]
    withdrawn = "Permintaan Anda yang menunggu petugas sudah ditarik"
    with running(tmp_path, *script, config=CONFIG) as daemon:
        one = arrived(daemon)
        first = one.says(WORDS)["run_id"]
        one.says("ya")
        again = one.says("Maaf, alamat saya yang benar Jl. Kenanga No. 9")
        assert again["response"].startswith(
            f"{withdrawn}; yang baru berlaku setelah Anda menjawab “ya”.\n\nMohon diperiksa"
        )
        assert again["approval"]["notice"] in again["response"] and again["approval"]["arguments"] == corrected
        assert request_of(person(daemon, "siti", "staff"), first)["status"] == "cancelled"
        assert withdrawn not in one.says("ya")["response"], "this one waits"
        assert one.says("batal")["response"] == f"{withdrawn}. Baik, Bu."
        one.arrive()
        one.says(WORDS)
        one.says("ya")
        assert one.says("gak jadi deh")["response"].startswith(f"{withdrawn}. ")


def test_a_yes_that_could_not_be_decided_is_decided_when_it_is_sent_again(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", **SAID)
    with running(tmp_path, wants, final("Surat selesai."), config=CONFIG) as daemon:
        one = arrived(daemon)
        one.says(WORDS)
        in_the_way = daemon.state / "audit.jsonl"
        in_the_way.mkdir()
        assert one.refused("Agent.run", prompt="ya", session_id=one.session_id, run_id="yes") == "busy"
        in_the_way.rmdir()
        decided = one.says("ya", run_id="yes")
        assert decided["approval"]["rule"] == "staff"
        assert one.says("ya", run_id="yes") == decided
