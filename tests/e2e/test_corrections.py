"""What a verified visitor says that differs from the register, on a real daemon: an officer is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon import RpcFailed, call, final, running
from tests.e2e.register import FORMS, REGISTER, WITH_OFFICERS, person, residents

CONFIG = WITH_OFFICERS + REGISTER + FORMS
BUDI = residents()[0]


def test_what_differs_from_the_register_is_answered_and_becomes_an_officers_task(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja", alamat="Jl. Mawar No. 5")
    with running(tmp_path, wants, wants, final("Baik."), config=CONFIG) as daemon:
        one, officer = person(daemon, "screen", "kiosk"), person(daemon, "siti", "staff")
        one.arrive()
        one.verify(nik=BUDI["nik"], pin=BUDI["pin"])
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
        with pytest.raises(RpcFailed) as refused:
            one.call("Correction.list")
        assert refused.value.type == "forbidden"
        done = officer.call("Correction.resolve", correction_id=task["correction_id"], note="KK baru dilihat")
        assert (done["resolved_by"], done["said"], done["note"]) == ("siti", "", "KK baru dilihat")
        assert officer.call("Correction.list") == {"corrections": []}
        assert officer.call("Correction.list", resolved=True)["corrections"] == [done]


def test_what_agrees_with_the_register_asks_nobody(tmp_path: Path) -> None:
    wants = call("generate_surat_alamat", keperluan="melamar kerja")
    with running(tmp_path, wants, final("Baik."), config=CONFIG) as daemon:
        one = person(daemon, "screen", "kiosk")
        one.arrive()
        one.verify(nik=BUDI["nik"], pin=BUDI["pin"])
        asked = one.says(f"Saya perlu surat alamat, NIK saya {BUDI['nik']}, untuk keperluan melamar kerja")
        assert asked["status"] == "needs_approval" and "mencatat" not in asked["response"]
        assert daemon.call("Correction.list") == {"corrections": []}
