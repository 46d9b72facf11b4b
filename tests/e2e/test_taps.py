"""A letter by taps: the page's form begins the run, and with nothing left open no model is asked. A real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.daemon import SERVERS, RpcFailed, call, final, running
from tests.e2e.register import FORMS, REGISTER, WITH_OFFICERS, arrived, person, residents

CONFIG = WITH_OFFICERS + REGISTER + FORMS
BUDI = residents()[0]
CHILD = {"penghasilan": "3000000", "keperluan": "Mendaftar sekolah"}
NO_MODEL = '{"error": "unavailable"}'
"""A turn that fails: the script's model must not be asked."""


def tapped(tool: str, **typed: str) -> dict[str, Any]:
    return {"tool_hint": tool, "tool_arguments": typed} if typed else {"tool_hint": tool}


def test_a_full_form_of_a_verified_visitor_needs_no_model(tmp_path: Path) -> None:
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says("Surat Alamat", options=tapped("generate_surat_alamat", keperluan="melamar kerja"))
        assert (asked["status"], asked["provider"]) == ("needs_approval", None)
        assert asked["approval"]["arguments"]["nik"] == BUDI["nik"]
        assert asked["approval"]["arguments"]["keperluan"] == "melamar kerja"
        daemon.kill(9)
        daemon.start()
        done = one.says("ya")
        assert (done["status"], done["provider"], done["steps"][0]["success"]) == ("completed", None, True)
        assert done["response"] == done["steps"][0]["message"]
        one.arrive()
        with pytest.raises(RpcFailed, match="provider_unavailable:"):  # any other words do need one
            one.says("Halo")


def test_a_full_form_of_a_stranger_is_their_own_words(tmp_path: Path) -> None:
    typed = {"nama": "Sari Wulandari", "nik": "3174055203920004", "alamat": "Jl. Mawar No. 5", "keperluan": "bank"}
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        one = arrived(daemon)
        asked = one.says("Surat Alamat", options=tapped("generate_surat_alamat", **typed))
        assert asked["approval"]["arguments"] == typed
        assert set(asked["approval"]["sources"].values()) == {"citizen"}
        assert one.says("ya")["approval"]["rule"] == "staff"


def test_another_letters_form_leaves_the_request_that_waits_for_an_officer(tmp_path: Path) -> None:
    typed = {"nama": "Sari Wulandari", "nik": "3174055203920004", "alamat": "Jl. Mawar No. 5", "keperluan": "bank"}
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        one = arrived(daemon)
        one.says("Surat Alamat", options=tapped("generate_surat_alamat", **typed))
        one.says("ya")
        moved = {**typed, "alamat": "Jl. Kenanga No. 9", "keperluan": "sekolah"}
        words = "\n".join(f"{name}: {value}" for name, value in moved.items())
        one.says(f"Surat Alamat\n{words}", options=tapped("generate_surat_alamat", **moved))
        (waiting,) = one.call("Request.list")["requests"]
        assert waiting["status"] == "under_review"


def test_a_plain_yes_to_a_form_that_waits_twice_alike_is_not_asked_which(tmp_path: Path) -> None:
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        tap = tapped("generate_surat_alamat", keperluan="melamar kerja")
        twice = [one.says("Surat Alamat", options=tap) for _ in range(2)]
        assert len({asked["run_id"] for asked in twice}) == 2
        assert [asked["status"] for asked in twice] == ["needs_approval"] * 2
        assert one.says("ya")["run_id"] == twice[1]["run_id"]


def test_a_plain_answer_to_two_forms_of_one_letter_is_asked_which_and_decides_that_one(tmp_path: Path) -> None:
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        purposes = ("melamar kerja", "membuka rekening")
        first, second = [
            one.says("Surat Alamat", options=tapped("generate_surat_alamat", keperluan=purpose)) for purpose in purposes
        ]
        assert [asked["status"] for asked in (first, second)] == ["needs_approval"] * 2
        which = one.says("tidak")
        assert which["response"].splitlines()[1:] == [
            "1. Surat Alamat (Keperluan: melamar kerja)",
            "2. Surat Alamat (Keperluan: membuka rekening)",
        ]
        declined = [one.says("2", run_id="the-second") for _ in range(2)]  # as a page sends it again
        assert {answer["run_id"] for answer in declined} == {second["run_id"]}
        assert {answer["steps"][0]["success"] for answer in declined} == {False}
        assert one.call("Agent.get", run_id=first["run_id"])["status"] == "needs_approval"


def test_a_form_with_something_open_is_the_only_tool_that_the_model_may_call(tmp_path: Path) -> None:
    wants = call("generate_surat_telepon", keperluan="bank", telepon="0")
    with running(tmp_path, wants, final("Baik."), config=CONFIG) as daemon:
        one = arrived(daemon, BUDI)
        asked = one.says(
            "Surat telepon untuk keperluan bank", options=tapped("generate_surat_telepon", telepon="081234567890")
        )
        assert asked["approval"]["arguments"] == {
            **{"nama": BUDI["nama"], "telepon": "081234567890", "keperluan": "bank"}
        }


def test_a_tool_that_is_not_there_and_arguments_of_none_are_refused(tmp_path: Path) -> None:
    with running(tmp_path, NO_MODEL, config=CONFIG) as daemon:
        for options, kind in (
            ({"tool_hint": "generate_surat_tidak_ada"}, "unknown_tool"),
            ({"tool_arguments": {"keperluan": "x"}}, "invalid_params"),
            (tapped("generate_surat_alamat", keperlua="x"), "invalid_params"),
        ):
            with pytest.raises(RpcFailed) as refused:
                daemon.call("Agent.run", prompt="Surat", options=options)
            assert refused.value.type == kind


def test_the_letters_are_listed_as_a_page_draws_them(tmp_path: Path) -> None:
    with running(tmp_path, NO_MODEL, config=CONFIG + SERVERS["certificate"]) as daemon:
        letters = {one["tool"]: one for one in person(daemon, "screen", "kiosk").call("Letters.list")["letters"]}
    alamat = letters["generate_surat_alamat"]
    assert (alamat["title"], alamat["assurance"], alamat["valid_days"]) == ("Surat Alamat", "officer", 30)
    assert alamat["requirements"] == ["KTP (asli)", "Kartu Keluarga"]
    assert alamat["fields"][0] == {
        **{"name": "nama", "title": "Nama", "source": "resident.nama", "kind": "person-name", "required": True}
    }
    domisili = letters["generate_surat_keterangan_domisili"]
    religion = next(one for one in domisili["fields"] if one["name"] == "agama")
    assert religion["kind"] == "choice" and "Islam" in religion["choices"]


def test_a_letter_that_the_register_forbids_is_refused_at_once_and_a_child_is_chosen_by_tap(tmp_path: Path) -> None:
    unmarried = "generate_surat_keterangan_belum_menikah"
    with running(tmp_path, NO_MODEL, config=WITH_OFFICERS + REGISTER + SERVERS["certificate"]) as daemon:
        one = person(daemon, "screen", "kiosk")
        session = one.arrive()
        assert one.call("Residents.visit", session_id=session) == {"members": [], "forms": {}, "withheld": []}
        one.verify(nik=BUDI["nik"], pin=BUDI["pin"])
        visit = one.call("Residents.visit", session_id=session)
        assert [(each["nama"], each["hubungan"]) for each in visit["members"]] == [
            *(("Siti Contoh", "Istri"), ("Rizky Contoh", "Anak"))
        ]
        assert residents()[2]["nik"] not in str(visit) and [each["tool"] for each in visit["withheld"]] == [unmarried]
        told = one.says("Saya perlu surat belum menikah", options=tapped(unmarried))
        assert (told["status"], told["provider"], told["response"]) == (
            *("completed", None, visit["withheld"][0]["message"]["id"]),
        )
        typed = {"nama_anak": visit["members"][1]["value"], **CHILD}
        asked = one.says(
            "Surat penghasilan", options=tapped("generate_surat_keterangan_penghasilan_orang_tua", **typed)
        )
        assert asked["approval"]["arguments"]["nama_anak"] == "Rizky Contoh"
        assert asked["approval"]["sources"]["nama_anak"] == "register"
        one.arrive()
        with pytest.raises(RpcFailed, match="not_found:"):
            one.call("Residents.visit", session_id=session)
