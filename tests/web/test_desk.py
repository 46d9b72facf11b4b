"""The officer's page: approvals, today's letters, voiding, checking (issue 5, Verification; issue 10, /desk)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from agentd.access import TokenStore
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, final
from tests.e2e.test_four_eyes import STAFF_RULE
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.steps import opened, pair, violations

Office = Callable[..., Daemon]
Open = Callable[..., Page]
DESK = {"width": 1366, "height": 900}


def test_an_officer_approves_checks_and_voids_a_letter(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Surat Anda selesai."), env={})
    page = open_page(office.url + "/desk", viewport=DESK)
    assert violations(page) == []
    page.get_by_label("Kode akses").fill("bukan kode yang benar")
    page.get_by_role("button", name="Masuk").click()
    expect(page.get_by_role("alert")).to_contain_text("tidak dikenal")
    page.get_by_label("Kode akses").fill(f"\u200b {TOKEN}…")
    page.get_by_role("button", name="Masuk").click()
    expect(page.locator("#pending")).to_contain_text("Tidak ada yang menunggu")

    asked = office.call("Agent.run", prompt=WORDS, session_id="budi")
    card = page.locator(f"#pending [data-run='{asked['run_id']}']")
    expect(card).to_contain_text("Budi Santoso")  # it comes by itself
    assert violations(page) == []
    card.get_by_role("button", name="Setujui", exact=True).dblclick()
    row = page.locator("#letters tr[data-number]")
    expect(row).to_contain_text("001/SKD/")
    expect(row).to_contain_text("B*** S***")

    letter = office.call("Agent.get", run_id=asked["run_id"])
    code = letter["steps"][-1]["output"]["verify_code"]
    page.get_by_label("Kode pada surat").fill(code)
    page.get_by_role("button", name="Periksa").click()
    expect(page.locator("[data-verdict=genuine]")).to_contain_text("Surat Keterangan Domisili")

    assert opened(row.get_by_role("button", name="Buka PDF")) == Path(letter["artifacts"][0]["path"]).read_bytes()
    row.get_by_role("button", name="Batalkan").click()
    page.get_by_label("Alasan pembatalan").fill("  \u202e  ")
    page.locator("#void-yes").click()
    expect(page.locator("#void")).to_be_visible()
    page.get_by_label("Alasan pembatalan").fill("Alamat keliru")
    assert violations(page) == []
    page.locator("#void-yes").click()
    expect(row).to_contain_text("dibatalkan: Alamat keliru")
    expect(row.get_by_role("button")).to_have_count(0)
    page.locator("#file").set_input_files(letter["artifacts"][0]["path"])
    expect(page.locator("[data-verdict=voided]")).to_contain_text("Alamat keliru")
    forged = Path(letter["artifacts"][0]["path"]).read_bytes() + b"\n% more"
    page.locator("#file").set_input_files({"name": "x.pdf", "mimeType": "application/pdf", "buffer": forged})
    expect(page.locator("[data-verdict=tampered]")).to_be_visible()
    expect(page.locator("#health")).to_contain_text("certificate")
    drop = """async ([bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], 'x.pdf', {type: 'application/pdf'}));
      document.querySelector('#drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true}));
    }"""
    page.evaluate(drop, [list(Path(letter["artifacts"][0]["path"]).read_bytes())])
    expect(page.locator("[data-verdict=voided]")).to_be_visible()
    page.get_by_role("button", name="Keluar").click()
    expect(page.get_by_label("Kode akses")).to_be_visible()


def test_a_letter_is_found_by_day_by_number_and_by_name(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Selesai."), env={"AGENTD_CLOCK": "2026-01-05T09:00:00+07:00+"})
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    number = office.call("Agent.run", prompt="ya", session_id="budi")["steps"][-1]["output"]["number"]
    page = open_page(office.url + "/desk", token=TOKEN, viewport=DESK)
    row, none = page.locator("#letters tr[data-number]"), page.locator("#letters .note")
    expect(row).to_have_count(1)
    expect(page.get_by_label("Tanggal")).to_have_value("2026-01-05")  # the office's day, whatever this machine's is
    for words, found in (("Budi", 1), ("santoso", 1), ("001/skd", 1), ("SKD-001", 0), ("Wati", 0), ("002/", 0)):
        page.get_by_label("Cari", exact=True).fill(words)
        page.get_by_role("button", name="Cari").click()
        expect(row).to_have_count(found)
    expect(none).to_contain_text("Tidak ada surat yang cocok")
    page.get_by_label("Cari", exact=True).fill("")
    page.get_by_label("Tanggal").fill("2026-01-04")
    expect(page.get_by_role("heading", name="Surat tanggal 4 Januari 2026")).to_be_visible()
    expect(none).to_contain_text("Belum ada surat pada tanggal ini")
    page.get_by_label("Cari", exact=True).fill(number.lower())
    page.get_by_role("button", name="Cari").click()
    expect(row).to_contain_text("5 Januari 2026")  # a whole number is found on any day
    assert violations(page) == []
    row.get_by_role("button", name="Batalkan").click()
    page.get_by_label("Alasan pembatalan").fill("Alamat keliru")
    page.locator("#void-yes").dblclick()
    expect(row).to_contain_text("dibatalkan: Alamat keliru")


def test_the_desk_names_who_approved_and_who_voided_a_letter(fresh_office: Office, open_page: Open) -> None:
    """From the register: the names of the tokens, a kiosk's too; never on a citizen's page."""
    office = fresh_office(LETTER, final("Selesai."), env={})
    book = TokenStore(office.state / "access.json")
    desk = book.add("meja-2", frozenset({"staff"}), now=datetime.now(UTC))
    citizen = open_page(office.url + "/kiosk")
    pair(citizen, office, "kiosk-lobi")
    citizen.locator("#ask-else").click()
    citizen.get_by_label("Tulis pesan").fill(WORDS)
    citizen.locator("[data-act=send]").click()
    citizen.locator("[data-act=yes]").click()
    expect(citizen.locator(".card.letter")).to_contain_text("/SKD/")

    page = open_page(office.url + "/desk", token=desk, viewport=DESK)
    row = page.locator("#letters tr[data-number]")
    expect(row.get_by_role("cell", name="kiosk-lobi")).to_be_visible()
    expect(row.locator(".by")).to_have_count(0)
    row.get_by_role("button", name="Batalkan").click()
    page.get_by_label("Alasan pembatalan").fill("Alamat keliru")
    page.locator("#void-yes").click()
    expect(row.locator(".state")).to_have_text("dibatalkan: Alamat keliruoleh meja-2")
    expect(row.get_by_role("cell", name="kiosk-lobi")).to_be_visible()
    assert violations(page) == []
    assert "meja-2" not in citizen.content() and "kiosk-lobi" not in citizen.content()


def test_a_second_officer_sees_what_the_first_changed_and_agrees(fresh_office: Office, open_page: Open) -> None:
    pages_tools = ("list_letters", "preview_letter", "list_issued_letters", "get_letter_status", "void_letter")
    bound = "".join(f'[[tools]]\nname = "{name}"\nserver = "certificate"\n' for name in pages_tools)
    config = HEAD + SERVERS["certificate"] + STAFF_RULE + bound
    office = fresh_office(LETTER, final("Selesai."), config=config, env={})
    book = TokenStore(office.state / "access.json")
    siti, rina = (
        open_page(
            office.url + "/desk", token=book.add(name, frozenset({"staff"}), now=datetime.now(UTC)), viewport=DESK
        )
        for name in ("siti", "rina")
    )
    asked = office.call("Agent.run", prompt=WORDS, session_id="budi")
    mine, hers = (page.locator(f"#pending [data-run='{asked['run_id']}']") for page in (siti, rina))
    mine.locator("[data-act=edit]").click()
    siti.get_by_label("Nama lengkap").fill("Budi Hartono")
    siti.get_by_role("button", name="Setujui dengan perubahan").click()
    expect(hers.locator("[data-second]")).to_contain_text("Sudah disetujui siti")
    expect(hers.locator("[data-changed=nama]")).to_have_text("Nama lengkap: semula Budi Santoso, menjadi Budi Hartono")
    assert violations(rina) == []
    expect(mine.locator("[data-second]")).to_be_visible()
    mine.locator("[data-act=yes]").click()
    expect(mine.get_by_role("alert")).not_to_be_empty()
    hers.locator("[data-act=yes]").click()
    expect(rina.locator("#letters tr[data-number]")).to_contain_text("B*** H***")


@pytest.mark.parametrize("change", [True, False])
def test_a_decision_that_comes_too_late_is_said_to_its_officer(
    fresh_office: Office, open_page: Open, change: bool
) -> None:
    """The card went with its note: who had refused or changed a letter saw nothing, and it was issued as it was."""
    office = fresh_office(LETTER, final("Selesai."), env={})
    page = open_page(office.url + "/desk", token=TOKEN, viewport=DESK)
    asked = office.call("Agent.run", prompt=WORDS, session_id="budi")
    card = page.locator(f"#pending [data-run='{asked['run_id']}']")
    card.wait_for()
    page.route("**/rpc", lambda route: route.abort())
    card.locator("[data-act=no]").click()
    expect(card.get_by_role("alert")).to_have_text("Layanan tidak dapat dihubungi. Coba beberapa saat lagi.")
    page.unroute("**/rpc")
    page.route(
        "**/rpc", lambda route: (route.continue_ if "Agent.approve" in str(route.request.post_data) else route.abort)()
    )
    if change:
        card.locator("[data-act=edit]").click()
        page.get_by_label("Nama lengkap").fill("Budi Hartono")
    office.approve(asked)
    (page.get_by_role("button", name="Setujui dengan perubahan") if change else card.locator("[data-act=no]")).click()
    expect(page.locator("#late")).to_contain_text("Surat Keterangan Domisili")
    page.unroute("**/rpc")
    expect(page.locator("#letters tr[data-number]")).to_contain_text("B*** S***")
    expect(page.locator("#late")).to_contain_text("Persetujuan Anda" if change else "Penolakan Anda")
    assert violations(page) == []


def test_the_oldest_of_many_who_wait_is_on_the_desk(fresh_office: Office, open_page: Open) -> None:
    """Of more than a hundred the newest were listed, and the oldest waited until their time was over."""
    office = fresh_office(LETTER, final("Selesai."), env={})
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    (run,) = office.call("Agent.list", status="needs_approval")["runs"]
    waiting = [{**run, "run_id": f"run-{number}"} for number in range(101, 0, -1)]

    def listed(route: Route) -> None:
        asked = route.request.post_data_json
        if asked["method"] != "Agent.list" or asked["params"].get("status") != "needs_approval":
            return route.continue_()
        newest = {"runs": waiting[: asked["params"]["limit"]]}
        return route.fulfill(json={"jsonrpc": "2.0", "id": asked["id"], "result": newest})

    page = open_page(
        office.url + "/desk", viewport=DESK, prepare=lambda page: page.route("**/rpc", listed), token=TOKEN
    )
    expect(page.locator("#pending [data-run='run-1']")).to_contain_text("Budi Santoso")


@pytest.mark.parametrize("path", ["/desk", "/ask"])
def test_the_staff_pages_stay_shut_for_a_kiosk(hall: Daemon, open_page: Open, path: str) -> None:
    page = open_page(hall.url + path, viewport=DESK)
    expect(page.get_by_label("Kode akses")).to_be_visible()
    expect(page.locator("#work")).to_be_hidden()
    assert violations(page) == []
