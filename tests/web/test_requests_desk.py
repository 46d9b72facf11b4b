"""The desk where requests wait: number and level, what differs, ticks, vouching, corrections, the day's numbers.

One office for all of them, whose visitors came by the wire; no model is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.daemon import SERVERS, Daemon, call, final, one_daemon
from tests.e2e.register import REGISTER, WITH_OFFICERS, Person, one_person, residents
from tests.e2e.test_main_job import LETTER
from tests.web.steps import focused, opened, violations

Open = Callable[..., Page]
BUDI, SITI = residents()[:2]
CONFIG = WITH_OFFICERS + SERVERS["certificate"] + REGISTER
TOOL = "generate_surat_keterangan_domisili"
KTP = "KTP (asli dan salinan)"
MOVED = {
    **LETTER["input"],
    **{name: BUDI[name] for name in ("nama", "nik", "tempat_lahir", "agama", "rt", "rw", "pekerjaan")},
    "tanggal_lahir": "17-08-1985",
    "status_perkawinan": "Kawin",
    "alamat_domisili": "Jl. Mawar No. 9",
}
DISPUTED = "Saya perlu surat keterangan domisili untuk keperluan melamar kerja. Alamat domisili saya Jl. Mawar No. 5"


office = one_daemon(
    call(TOOL, keperluan="melamar kerja", alamat_domisili="Jl. Mawar No. 5"), final("Baik."), config=CONFIG
)
officer = one_person("siti", "staff")
screen = one_person("screen", "kiosk")


def request_from(screen: Person, **typed: str) -> dict[str, Any]:
    """A visitor's form that they agreed to: what waits for an officer."""
    screen.arrive()
    screen.says("Saya mau surat", options={"tool_hint": TOOL, "tool_arguments": typed})
    waiting = screen.says("ya")
    assert waiting["approval"]["rule"] == "staff"
    (made,) = screen.call("Request.list")["requests"]
    return dict(made)


def test_an_officer_sees_what_differs_ticks_vouches_and_says_yes(
    office: Daemon, screen: Person, officer: Person, open_page: Open
) -> None:
    made = request_from(screen, **MOVED)
    page = open_page(f"{office.url}/desk", token=officer.token)
    card = page.locator(f"#pending [data-run='{made['run_id']}']")
    expect(card.locator("[data-queue]")).to_have_text(made["queue_number"])
    expect(card.locator("[data-level]")).to_have_attribute("data-level", "declared")
    differing = card.locator("[data-differs]")
    expect(differing).to_have_count(1)  # a day that is written otherwise is the same day
    expect(differing).to_have_text("Alamat domisili: diisi Jl. Mawar No. 9, tercatat Jl. Contoh No. 1")
    assert violations(page) == []

    box = card.get_by_label(KTP)
    box.check()
    card.get_by_text("KTP diperlihatkan").click()
    card.get_by_label("NIK pada KTP").fill(SITI["nik"][:15] + "0")
    card.locator("[data-act=vouch]").click()
    expect(card.get_by_text("bukan penduduk aktif")).to_be_visible()
    card.get_by_label("NIK pada KTP").fill(BUDI["nik"])
    card.locator("[data-act=vouch]").click()
    expect(card.get_by_text("Tercatat: Budi Contoh, KTP dilihat petugas.")).to_be_visible()
    assert violations(page) == []
    assert screen.call("Session.get", session_id=screen.session_id)["identity"]["level"] == "officer"
    seen = {one["requirement"]: one["seen"] for one in officer.call("Request.list")["requests"][0]["requirements"]}
    assert seen.pop(KTP) and not any(seen.values())

    yes = card.get_by_role("button", name="Setujui", exact=True)
    expect(yes).to_be_disabled()  # until all that the letter asks for was seen
    expect(card.get_by_text("setelah semua persyaratan dicentang")).to_be_visible()
    for requirement in seen:
        card.get_by_label(requirement).check()
    expect(yes).to_be_enabled()
    card.get_by_label(KTP).uncheck()
    expect(yes).to_be_disabled()
    assert screen.call("Request.list")["requests"][0]["status"] == "incomplete"
    card.get_by_label(KTP).check()
    yes.click()
    expect(card).to_have_count(0)
    expect(page.locator("[data-figure=ready]")).not_to_have_text("0")
    expect(page.locator("[data-figure=issued]")).not_to_have_text("0")
    assert screen.call("Request.list")["requests"][0]["status"] == "ready"
    expect(page.locator("[data-figure=fetched]")).to_have_text("0")
    line = page.locator(f"[data-ready='{made['queue_number']}']")
    expect(line).to_contain_text("Surat Keterangan Domisili")
    (number,) = [one["letter"] for one in officer.call("Request.list")["requests"] if one["run_id"] == made["run_id"]]
    expect(line).to_contain_text(number)
    assert violations(page) == []
    assert opened(line.get_by_role("button", name="Buka PDF")).startswith(b"%PDF-")
    line.get_by_role("button", name="sudah diserahkan").click()
    expect(line).to_have_count(0)
    expect(page.locator("[data-figure=fetched]")).to_have_text("1")
    assert screen.call("Request.list")["requests"][0]["status"] == "fetched"


def test_a_request_of_nobody_in_the_register_says_so_and_is_refused_by_keys(
    office: Daemon, screen: Person, officer: Person, open_page: Open
) -> None:
    made = request_from(screen, **LETTER["input"])
    page = open_page(f"{office.url}/desk", token=officer.token)
    card = page.locator(f"#pending [data-run='{made['run_id']}']")
    expect(card.locator("[data-compared=nobody]")).to_be_visible()
    card.get_by_label(KTP).focus()
    page.keyboard.press("Space")
    expect(card.get_by_label(KTP)).to_be_checked()
    card.get_by_role("button", name="Tolak").focus()
    assert focused(page) == "no"
    page.keyboard.press("Enter")
    expect(card).to_have_count(0)
    assert screen.call("Request.list")["requests"][0]["status"] == "cancelled"


def test_a_correction_is_shown_and_ended_with_a_note(
    office: Daemon, screen: Person, officer: Person, open_page: Open
) -> None:
    screen.arrive()
    screen.verify(nik=BUDI["nik"], pin=BUDI["pin"])
    screen.says(DISPUTED)
    page = open_page(f"{office.url}/desk", token=officer.token)
    card = page.locator("[data-correction=alamat_domisili]")
    expect(card).to_contain_text(BUDI["alamat"])
    expect(card).to_contain_text("Jl. Mawar No. 5")
    assert violations(page) == []
    card.get_by_label("Catatan").fill("KK baru dilihat")
    card.locator("[data-act=resolve]").click()
    expect(card).to_have_count(0)
    (done,) = officer.call("Correction.list", resolved=True)["corrections"]
    assert (done["note"], done["resolved_by"]) == ("KK baru dilihat", "siti")


@pytest.mark.parametrize("pressed", [True, False])
def test_a_note_to_a_correction_that_another_officer_has_ended_stays_and_is_said_to_be_unsaved(
    office: Daemon, screen: Person, officer: Person, open_page: Open, pressed: bool
) -> None:
    screen.arrive()
    screen.verify(nik=BUDI["nik"], pin=BUDI["pin"])
    screen.says(DISPUTED)
    page = open_page(f"{office.url}/desk", token=officer.token)
    card = page.locator("[data-correction=alamat_domisili]")
    note = card.get_by_label("Catatan")
    note.fill("KK baru dilihat")
    if pressed:  # before the page hears of it
        page.route(
            "**/rpc", lambda route: route.abort() if "Agent.list" in str(route.request.post_data) else route.continue_()
        )
    (task,) = officer.call("Correction.list")["corrections"]
    officer.call("Correction.resolve", correction_id=task["correction_id"], note="Sudah benar")
    if pressed:
        card.locator("[data-act=resolve]").click()
    expect(card.get_by_role("alert")).to_have_text("Sudah diurus petugas lain. Catatan Anda tidak tersimpan.")
    page.unroute("**/rpc")
    expect(page.locator("#corrections").get_by_text("Tidak ada yang menunggu.")).to_be_visible()
    expect(note).to_have_value("KK baru dilihat")
    assert violations(page) == []
    card.get_by_role("button", name="Tutup").press("Enter")
    expect(card).to_have_count(0)
    assert focused(page) == "corrections-title"
    assert officer.call("Correction.list", resolved=True)["corrections"][0]["note"] == "Sudah benar"
