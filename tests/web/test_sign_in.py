"""The kiosk where the office has a register: NIK and PIN, a letter by taps or by keys alone, what waits for an officer.

One office for all of them, whose model fails whenever it is asked: nothing here needs one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from agentd.access import TokenStore
from tests.daemon import SERVERS, TOKEN, Daemon, one_daemon
from tests.e2e.register import REGISTER, WITH_OFFICERS, residents
from tests.web.steps import Held, calls, fill_form, focused, keys_to, layout_faults, note_prints, pair, violations

Open = Callable[..., Page]
BUDI, _, RIZKY, AGUS = residents()[:4]
CONFIG = WITH_OFFICERS + SERVERS["certificate"] + REGISTER
NO_MODEL = '{"error": "unavailable"}'
DOMISILI = "[data-letter=surat_keterangan_domisili]"
REMEMBERED = "JSON.stringify([document.cookie, location.href, {...localStorage}, {...sessionStorage}])"


office = one_daemon(NO_MODEL, config=CONFIG)


@pytest.fixture
def kiosk(office: Daemon, open_page: Open, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """A kiosk of its own for each test: wrong PINs slow down the kiosk that they were typed at."""
    name = f"kiosk-{request.node.name}"[:60]

    def opened(query: str = "", **options: object) -> Page:
        page = open_page(f"{office.url}/kiosk{query}", **options)
        pair(page, office, name)
        return page

    yield opened
    TokenStore(office.state / "access.json").revoke(name)


def sessions(office: Daemon) -> set[str]:
    return {one["session_id"] for one in office.call("Session.list", limit=500)["sessions"]}


def keyed(page: Page, name: str, digits: str) -> None:
    """Type digits by the keypad on the screen."""
    page.locator(f"[name={name}]").tap()
    keys = page.locator("#keyboard.digits button")
    for digit in digits:
        keys.get_by_text(digit, exact=True).tap()


def signed_in(page: Page, nik: str, pin: str) -> None:
    page.locator("#sign-in").tap()
    keyed(page, "nik", nik)
    keyed(page, "pin", pin)
    page.locator("#keyboard .go").tap()


def test_a_resident_gets_a_letter_by_taps_alone(office: Daemon, kiosk: Callable[..., Page], open_page: Open) -> None:
    others = sessions(office)
    page = kiosk(has_touch=True)
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    expect(page.locator("[data-letter]")).to_have_count(0)  # first who asks, then which letter
    page.locator("#sign-in").tap()
    keyed(page, "nik", BUDI["nik"])
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    keyed(page, "pin", BUDI["pin"])
    expect(page.locator("[name=pin]")).to_have_attribute("type", "password")
    page.locator("#keyboard .go").tap()

    expect(page.locator("#who")).to_contain_text("Budi Contoh: masuk dengan PIN")
    expect(page.locator(DOMISILI)).to_have_attribute("data-needs", "now")
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    page.locator(DOMISILI).tap()
    expect(page.locator("[data-field=nama]")).to_have_count(0)  # the register has it
    assert focused(page) == "keperluan"  # what is needed, not the optional field before it
    page.locator(".suggested").get_by_text("Melamar pekerjaan").tap()
    expect(page.locator("[name=keperluan]")).to_have_value("Melamar pekerjaan")
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    page.locator("[data-act=submit]").tap()

    card = page.locator(".card.approval")
    for value in (BUDI["nama"], BUDI["nik"], BUDI["no_kk"], BUDI["alamat"], "Melamar pekerjaan"):
        expect(card).to_contain_text(value)
    expect(card.locator("[data-source=register]").first).to_have_text("dari data kependudukan")
    expect(card.locator("div", has_text="Keperluan").locator("[data-source=citizen]").first).to_have_text("dari Anda")
    expect(card.locator(".preview img")).to_be_visible()
    assert violations(page) == []
    at_desk = open_page(f"{office.url}/desk", token=TOKEN).locator("[data-source=applicant]").first
    expect(at_desk).to_have_text("dari pemohon")
    page.locator("[data-act=edit]").tap()
    expect(page.locator("[data-field=nama]")).to_have_count(0)  # an officer corrects that
    page.locator(".suggested").get_by_text("Membuka rekening bank").tap()
    page.locator("[data-act=submit]").tap()
    expect(card).to_contain_text("Membuka rekening bank")
    page.locator("[data-act=yes]").tap()
    letter = page.locator(".card.letter")
    expect(letter).to_contain_text("001/SKD/")
    expect(letter.get_by_alt_text("Kode QR")).to_be_visible()
    assert violations(page) == []
    note_prints(page)
    page.locator("[data-act=print]").tap()
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")

    page.locator("[data-act=another]").tap()
    expect(page.locator("#who")).to_contain_text("Budi Contoh")
    expect(page.locator(DOMISILI)).to_be_visible()
    page.locator("#finish").tap()
    expect(page.locator("#sign-in")).to_be_visible()
    assert BUDI["nama"] not in page.content() and BUDI["nik"] not in page.evaluate(REMEMBERED)
    assert sessions(office) == others


def test_a_child_is_chosen_by_tap_and_a_letter_that_the_register_forbids_says_why(kiosk: Callable[..., Page]) -> None:
    page = kiosk(has_touch=True)
    signed_in(page, BUDI["nik"], BUDI["pin"])
    forbidden = page.locator("[data-letter=surat_keterangan_belum_menikah]")
    expect(forbidden).to_have_attribute("data-needs", "withheld")
    expect(forbidden).to_be_disabled()
    expect(forbidden).to_contain_text("status perkawinan Anda: Kawin.")
    income = page.locator("[data-letter=surat_keterangan_penghasilan_orang_tua]")
    expect(income).to_have_attribute("data-needs", "officer_first")  # the register knows no income
    income.tap()
    child = page.locator("[data-field=nama_anak]")
    expect(child.locator("label")).to_have_count(2)  # the family without the visitor
    child.get_by_text("Rizky Contoh (Anak").tap()
    page.locator("[name=penghasilan]").fill("3000000")
    page.locator(".suggested").get_by_text("Mendaftar sekolah").tap()
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    page.locator("[data-act=submit]").tap()
    card = page.locator(".card.approval")
    expect(card).to_contain_text("Rizky Contoh")
    expect(card.locator("div", has_text="Nama anak").locator("[data-source=register]").first).to_be_visible()
    page.locator("#finish").tap()
    expect(page.locator("#sign-in")).to_be_visible()
    assert "Rizky" not in page.content()


def test_a_resident_gets_a_letter_by_card_and_keys_alone(kiosk: Callable[..., Page]) -> None:
    page = kiosk("?lang=en&card=reader")
    press, typed = page.keyboard.press, page.keyboard.type
    assert keys_to(page, "without-pin") == ["language", "contrast", "speak", "sign-in", "without-pin"]
    keys_to(page, "sign-in", "Shift+Tab")
    press("Enter")
    assert focused(page) == "card"
    assert violations(page) == []
    typed(BUDI["kartu"])  # as the reader does
    press("Enter")
    assert focused(page) == "pin"
    typed(BUDI["pin"])
    press("Enter")
    expect(page.locator("#who")).to_contain_text("signed in with card and PIN")
    page.wait_for_function("() => document.activeElement?.dataset.letter")
    keys_to(page, "surat_pengantar_skck")
    press("Enter")
    assert focused(page) == "keperluan"
    keys_to(page, "submit")
    press("Shift+Tab")
    press("Enter")
    press("Tab")
    press("Enter")
    card = page.locator(".card.approval")
    expect(card).to_contain_text("from the register")
    expect(card).to_be_focused()
    keys_to(page, "yes")
    press("Enter")
    expect(page.locator(".card.letter")).to_be_focused()
    assert violations(page) == []


def test_a_wrong_pin_says_only_how_many_tries_are_left_and_the_third_ends_them(kiosk: Callable[..., Page]) -> None:
    page = kiosk(has_touch=True)
    signed_in(page, AGUS["nik"], "000000")
    note = page.locator("#sign-in-note")
    expect(note).to_have_text("Data tidak dapat diverifikasi. Sisa percobaan: 2.")
    expect(page.locator("[name=pin]")).to_have_value("")
    for words in ("Sisa percobaan: 1.", "percobaan sudah habis", "ditutup sementara. Coba lagi dalam 15 menit"):
        keyed(page, "pin", "000001")
        page.locator("[data-act=enter]").tap()
        expect(note).to_contain_text(words)
    assert AGUS["nama"] not in page.content()
    assert (violations(page), layout_faults(page, 72)) == ([], [])
    page.locator("[name=pin]").fill("12345")
    page.locator("[data-act=without]").tap()
    expect(page.locator("[name=pin]")).to_have_count(0)
    expect(page.locator(DOMISILI)).to_have_attribute("data-needs", "officer_first")
    assert "12345" not in page.evaluate(REMEMBERED)


def test_the_pin_field_is_masked_empty_and_gone_with_whoever_leaves(kiosk: Callable[..., Page]) -> None:
    page = kiosk("?idle=600", has_touch=True)
    page.locator("#sign-in").tap()
    keyed(page, "nik", BUDI["nik"][:9])
    page.locator("[data-act=enter]").tap()
    expect(page.locator("#sign-in-note")).to_contain_text("16 angka")
    keyed(page, "pin", "123")
    page.locator("#language").tap()
    expect(page.locator("[name=pin]")).to_have_value("")
    expect(page.locator("[name=nik]")).to_have_value(BUDI["nik"][:9])
    for name, value in (("autocomplete", "off"), ("type", "password")):
        expect(page.locator("[name=pin]")).to_have_attribute(name, value)
    page.locator("[data-act=back]").tap()
    expect(page.locator("#sign-in")).to_be_visible()
    page.locator("#sign-in").tap()
    expect(page.locator("[name=nik]")).to_have_value("")


def test_an_idle_visit_ends_the_proof_with_everything_else(office: Daemon, kiosk: Callable[..., Page]) -> None:
    others = sessions(office)
    page = kiosk(has_touch=True, prepare=lambda page: page.clock.install())
    signed_in(page, RIZKY["nik"], RIZKY["pin"])
    expect(page.locator("#who")).to_contain_text("Rizky Contoh")
    [session] = sessions(office) - others
    assert office.call("Session.get", session_id=session)["identity"]["level"] == "pin"
    page.clock.fast_forward(61_000)
    expect(page.get_by_role("dialog")).to_contain_text("30 detik")
    for _ in range(30):
        page.clock.run_for(1000)
    expect(page.locator("#sign-in")).to_be_visible()
    assert sessions(office) == others
    assert "Rizky" not in page.content()


def test_a_visitor_without_a_pin_takes_a_number_and_a_code_along(office: Daemon, kiosk: Callable[..., Page]) -> None:
    page = kiosk(has_touch=True)
    page.locator("#without-pin").tap()
    page.locator(DOMISILI).tap()
    fill_form(page)
    page.locator("[data-act=submit]").tap()
    page.locator("[data-act=yes]").tap()
    card = page.locator(".card.approval")
    expect(card.locator("[data-queue]")).to_have_text(re.compile("SKD-"))
    expect(card.get_by_role("heading", name="Permintaan Anda menunggu petugas")).to_be_visible()
    expect(card.locator("[data-queue]")).to_be_in_viewport()
    code = card.locator("[data-code]").inner_text()
    requests = office.call("Request.list", status="under_review")["requests"]
    waiting = next(one for one in requests if one["code"] == code)
    expect(card).to_contain_text("KTP (asli dan salinan)")
    assert violations(page) == []
    note_prints(page)
    page.locator("[data-act=slip]").tap()
    expect(page.locator("body")).to_have_attribute("data-printed", re.compile(waiting["code"]))
    page.locator("[data-act=another]").tap()
    expect(page.locator(DOMISILI)).to_have_attribute("data-needs", "officer_first")
    run = office.call("Agent.get", run_id=waiting["run_id"])
    office.call("Session.vouch", session_id=run["session_id"], nik=BUDI["nik"])
    page.locator("[data-letter=surat_pengantar_skck]").tap()
    page.locator("[data-act=cancel]").tap()
    page.locator("[data-act=another]").tap()
    expect(page.locator("#who")).to_contain_text("Budi Contoh: diperiksa petugas")
    expect(page.locator(DOMISILI)).to_have_attribute("data-needs", "now")
    page.locator(DOMISILI).tap()
    expect(page.locator("[data-field=nama]")).to_have_count(0)
    page.locator("[data-act=cancel]").tap()
    office.approve(run)
    expect(page.locator(".card.letter")).to_contain_text("/SKD/")


def test_who_leaves_before_the_pin_was_checked_goes_on_without(office: Daemon, kiosk: Callable[..., Page]) -> None:
    page = kiosk(has_touch=True)
    verify = Held(page, "**/rpc", calls("Session.verify"))
    signed_in(page, BUDI["nik"], BUDI["pin"])
    verify.wait()
    page.locator("[data-act=without]").tap()
    page.locator(DOMISILI).tap()
    page.locator("[name=nama]").fill("Budi Contoh")
    with page.expect_response(lambda response: calls("Session.forget")(response.request.post_data or "")):
        verify.let_go()
    expect(page.locator("[name=nama]")).to_be_visible()
    expect(page.locator("[name=nama]")).to_have_value("Budi Contoh")
    session = json.loads(page.evaluate("localStorage['agentd-kiosk-sessions']"))[-1]
    assert office.call("Session.get", session_id=session)["identity"] is None
