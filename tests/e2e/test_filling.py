"""Letters of a verified visitor, on a real daemon: what the register fills in, and what is left to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.prompts import SIGNED_IN
from tests.daemon import HEAD, RpcFailed, call, final, running
from tests.e2e.register import FORMS, REGISTER, arrived, residents
from tests.e2e.test_live_prompt import CONFIG as WIRE_CONFIG
from tests.e2e.told_model import told_model

CONFIG = HEAD + REGISTER + FORMS
BUDI, SITI, RIZKY = residents()[:3]
ALAMAT = {"nama": BUDI["nama"], "nik": BUDI["nik"], "alamat": BUDI["alamat"], "keperluan": "melamar kerja"}


def test_the_register_fills_in_what_it_holds_and_the_citizen_says_the_rest(tmp_path: Path) -> None:
    # a model without a schema may write what it likes: what the register holds stands
    wants = call("generate_surat_alamat", keperluan="melamar kerja", alamat="Jl. Karangan No. 9", nik="1" * 16)
    with running(tmp_path, wants, final("Surat selesai."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says("Saya perlu surat alamat untuk melamar kerja")
        assert asked["status"] == "needs_approval"
        approval = asked["approval"]
        assert approval["arguments"] == ALAMAT
        assert approval["sources"] == {
            **{"nama": "register", "nik": "register", "alamat": "register", "keperluan": "citizen"}
        }
        assert BUDI["alamat"] in approval["summary"] and "Karangan" not in approval["summary"]
        done = one.says("ya")
        step = done["steps"][0]
        assert (done["status"], step["success"], step["input"], step["output"]["given"]) == (
            *("completed", True),
            *(ALAMAT, ALAMAT),
        )
        assert step["output"]["basis"] == {"level": "pin", "sources": approval["sources"], "seen": []}


def test_a_visitor_without_pin_is_served_by_their_words(tmp_path: Path) -> None:
    said = {
        "nama": "Budi Santoso",
        "nik": "3174050101900001",
        "alamat": "Jl. Mawar No. 5",
        "keperluan": "melamar kerja",
    }
    wants = call("generate_surat_alamat", **said)
    words = "Nama saya Budi Santoso, NIK 3174050101900001, alamat saya Jl. Mawar No. 5, untuk keperluan melamar kerja"
    with running(tmp_path, wants, wants, config=CONFIG) as daemon:
        one = arrived(daemon)
        asked = one.says(f"Saya perlu surat alamat. {words}")
        assert asked["approval"]["arguments"] == said
        assert set(asked["approval"]["sources"].values()) == {"citizen"}
        one.arrive()
        with pytest.raises(RpcFailed, match="grounding:"):  # nothing of the register is there for who is not verified
            one.says("Saya perlu surat alamat untuk melamar kerja")


def test_what_the_register_does_not_hold_the_citizen_may_declare(tmp_path: Path) -> None:
    wants = call("generate_surat_telepon", telepon="081234567890", keperluan="bank", nama="Orang Lain")
    with running(tmp_path, wants, config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says("Surat telepon untuk keperluan bank, nomor telepon saya 081234567890")
        approval = asked["approval"]
        assert approval["arguments"] == {"nama": BUDI["nama"], "telepon": "081234567890", "keperluan": "bank"}
        assert approval["sources"] == {"nama": "register", "telepon": "citizen", "keperluan": "citizen"}


def test_a_member_whom_the_citizen_did_not_name_is_not_said_to_be_missing_from_the_card(tmp_path: Path) -> None:
    wants = call("generate_surat_anak", nama_anak=RIZKY["nama"], keperluan="sekolah")
    with running(tmp_path, wants, final("Siapa?"), config=CONFIG) as daemon:
        (asked,) = arrived(daemon, BUDI).says("Surat anak, keperluan sekolah")["steps"]
        assert (asked["success"], asked["output"]["missing"]) == (False, ["nama_anak"])
        assert "tidak ada" not in asked["message"] and RIZKY["nama"] not in asked["message"]


def test_a_letter_names_only_members_of_the_visitors_own_family(tmp_path: Path) -> None:
    def wants(name: str) -> dict[str, Any]:
        return call("generate_surat_anak", nama_anak=name, keperluan="sekolah")

    turns = [wants("Rizky"), wants("Joko Contoh"), final("Maaf."), wants("Contoh"), final("Siapa?"), wants("Contoh")]
    with running(tmp_path, *turns, config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        approval = one.says("Surat anak untuk Rizky, keperluan sekolah")["approval"]
        assert approval["arguments"] == {
            **{"nama_anak": RIZKY["nama"], "lahir_anak": RIZKY["tanggal_lahir"], "keperluan": "sekolah"}
        }
        assert approval["sources"] == {"nama_anak": "register", "lahir_anak": "register", "keperluan": "citizen"}
        neighbour = one.says("Surat anak untuk Joko Contoh, keperluan sekolah")["steps"][0]
        assert not neighbour["success"] and "tidak ada di Kartu Keluarga Anda" in neighbour["message"]
        assert neighbour["output"]["labels"] == ["Nama anak"]
        several = one.says("Yang untuk Contoh, keperluan sekolah")["steps"][0]
        assert not several["success"] and f"{RIZKY['nama']} (Anak, lahir 2004-08-21)" in several["message"]
        chosen = one.says("yang lahir tahun 2004")
        assert chosen["approval"]["arguments"]["nama_anak"] == RIZKY["nama"]


def test_what_waits_for_a_yes_is_not_made_once_the_proof_has_ended(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja")
    with running(tmp_path, wants, final("Baik."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says("Saya perlu surat alamat untuk melamar kerja")
        one.call("Session.forget", session_id=one.session_id)
        assert one.call("Agent.get", run_id=asked["run_id"])["status"] == "cancelled"


def test_a_model_is_told_nothing_of_what_the_register_holds(tmp_path: Path) -> None:
    with told_model() as model:
        config = WIRE_CONFIG.replace("URL", model.endpoint).partition("[[servers]]")[0] + REGISTER + FORMS
        with running(tmp_path, config=config, env={"WIRE_KEY": "k"}) as daemon:
            one = arrived(daemon, BUDI)
            one.says("Saya perlu surat alamat untuk melamar kerja")
            one.arrive()
            one.says("Saya perlu surat alamat, NIK 3175061708859001")
    signed_in, unknown = model.sent
    assert signed_in["messages"][0] == unknown["messages"][0]
    assert SIGNED_IN in signed_in["messages"][-1]["content"] and SIGNED_IN not in unknown["messages"][-1]["content"]
    verified = json.dumps(signed_in)
    assert '"alamat"' not in json.dumps(signed_in["response_format"])
    assert not [word for word in (BUDI["nama"], BUDI["nik"], BUDI["alamat"]) if word in verified]
