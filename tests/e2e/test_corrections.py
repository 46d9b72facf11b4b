"""What a verified visitor says that differs from the register, on a real daemon: an officer is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon import SERVERS, RpcFailed, call, final, running
from tests.e2e.register import FORMS, REGISTER, WITH_OFFICERS, arrived, person, residents
from tests.e2e.told_model import told_model

CONFIG = WITH_OFFICERS + REGISTER + FORMS
BUDI = residents()[0]


def test_what_differs_from_the_register_is_answered_and_becomes_an_officers_task(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja", alamat="Jl. Mawar No. 5")
    with running(tmp_path, wants, wants, final("Baik."), config=CONFIG) as daemon:
        one, officer = arrived(daemon, BUDI), person(daemon, "siti", "staff")
        words = "Saya perlu surat alamat untuk keperluan melamar kerja. Alamat saya Jl. Mawar No. 5"
        asked = one.says(words)
        assert asked["approval"]["arguments"]["alamat"] == BUDI["alamat"]
        assert f"mencatat Alamat: {BUDI['alamat']}" in asked["response"] and "petugas" in asked["response"]
        one.says(words)
        (task,) = officer.call("Correction.list")["corrections"]
        assert (task["nik"], task["field"], task["registered"], task["said"]) == (
            *(BUDI["nik"], "alamat", BUDI["alamat"]),
            words,
        )
        with pytest.raises(RpcFailed, match="forbidden:"):
            one.call("Correction.list")
        done = officer.call("Correction.resolve", correction_id=task["correction_id"], note="KK baru dilihat")
        assert (done["resolved_by"], done["said"], done["note"]) == ("siti", "", "KK baru dilihat")
        assert officer.call("Correction.list") == {"corrections": []}
        assert officer.call("Correction.list", resolved=True)["corrections"] == [done]
        with pytest.raises(RpcFailed) as ended:
            officer.call("Correction.resolve", correction_id=task["correction_id"])
        trail = (daemon.state / "audit.jsonl").read_text(encoding="utf-8")
        assert (ended.value.type, trail.count("correction.resolved")) == ("not_found", 1)


def test_what_agrees_with_the_register_asks_nobody(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja")
    with running(tmp_path, wants, final("Baik."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says(f"Saya perlu surat alamat, NIK saya {BUDI['nik']}, untuk keperluan melamar kerja")
        assert asked["status"] == "needs_approval" and "mencatat" not in asked["response"]
        assert daemon.call("Correction.list") == {"corrections": []}


def test_what_a_letter_takes_for_another_field_disputes_nothing_of_the_register(tmp_path: Path) -> None:
    skck = "generate_surat_pengantar_skck"
    party = call(
        "generate_surat_pengantar_izin_keramaian",
        **{"acara": "wayangan", "tanggal_acara": "2031-12-31", "jam_mulai": "20.00", "tempat_acara": "balai RW 04"},
    )
    other = "generate_surat_keterangan_beda_identitas"
    with told_model() as model, running(tmp_path, config=model.config() + REGISTER + SERVERS["certificate"]) as daemon:
        one = person(daemon, "screen", "kiosk")
        for wants, words in (
            (call(skck, keperluan="daftar kerja online"), "tolong pengantar SKCK buat daftar kerja online"),
            (call(skck, keperluan="ngalamar padamelan di pabrik"), "surat SKCK kanggo ngalamar padamelan di pabrik"),
            (
                party,
                "Surat izin keramaian, acara wayangan, tempat acara balai RW 04 tanggal 31-12-2031, jam mulai 20.00",
            ),
            (
                call(other, dokumen="ijazah SMA", nama_pada_dokumen="Budi Contho", keperluan="daftar haji"),
                "Surat beda identitas, dokumen ijazah SMA, nama yang tertulis Budi Contho, keperluan daftar haji",
            ),
        ):
            one.arrive()
            one.verify(nik=BUDI["nik"], pin=BUDI["pin"])
            model.answers = [wants]
            asked = one.says(words)
            assert asked["status"] == "needs_approval" and "mencatat" not in asked["response"], words
        assert daemon.call("Correction.list") == {"corrections": []}
