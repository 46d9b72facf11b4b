"""The kiosk (seed 002; the page): the whole domisili flow by touch, and what a public screen owes the next person."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from agentd.access import TokenStore
from agentd.apps.pairing.codes import Pairing
from tests.daemon import HEAD, SERVERS, Daemon, call, final
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.steps import FIELDS, fill_form, note_prints, pair, tap_in, violations
from tests.weights import weights  # noqa: F401

Office = Callable[..., Daemon]


Open = Callable[..., Page]


SHIPPED = Path(__file__).parents[2] / "config/client.toml"


PART = call("generate_surat_keterangan_domisili", nama="Budi Santoso", nik="3175061501900003")


def test_a_citizen_gets_a_domicile_letter_by_touch(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office({"error": "unavailable"})  # a full form needs no model
    page = open_page(office.url + "/kiosk", has_touch=True)
    assert violations(page) == []
    page.locator("[data-letter=surat_keterangan_domisili]").tap()
    tap_in(page, "nama", "Budi Santoso")
    tap_in(page, "tanggal_lahir", "15011990")
    expect(page.locator("[name=nama]")).to_have_value("Budi Santoso")
    expect(page.locator("[name=tanggal_lahir]")).to_have_value("15-01-1990")
    assert violations(page) == []
    page.locator("[data-act=submit]").tap()
    expect(page.locator("#form-note")).to_contain_text("NIK")  # what is missing is said by name, nothing is sent

    fill_form(page)
    page.locator("[data-act=submit]").tap()
    card = page.locator(".card.approval")
    for value in (FIELDS["nama"], FIELDS["nik"], "15-01-1990", FIELDS["alamat_domisili"]):
        expect(card).to_contain_text(value)
    expect(card.locator(".preview img")).to_be_visible()
    assert violations(page) == []
    page.locator("[data-act=zoom]").tap()
    expect(page.locator(".enlarged img")).to_be_visible()
    assert violations(page) == []
    page.locator("[data-act=close]").tap()
    expect(card.locator(".preview img")).to_be_visible()
    assert not list(office.state.glob("letters/**/*.pdf"))
    page.locator("[data-act=yes]").dblclick()  # a double tap decides once

    letter = page.locator(".card.letter")
    expect(letter).to_contain_text("001/SKD/")
    expect(letter.get_by_alt_text("Kode QR")).to_be_visible()
    expect(page.locator(".bubble.agent", has_text="001/SKD/")).to_be_visible()
    assert len(list(office.state.glob("letters/2*/*.pdf"))) == 1
    assert violations(page) == []

    note_prints(page)
    page.locator("[data-act=print]").tap()
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")


def test_a_talk_in_english_fills_the_card_and_a_touch_corrects_it(fresh_office: Office, open_page: Open) -> None:
    moved = call(LETTER["tool"], **{**FIELDS, "alamat_domisili": "Jl. Mawar No. 9"})
    ask = final("Please tell me your NIK and the rest.")
    office = fresh_office(PART, ask, LETTER, moved, final("Your letter is ready."))
    landscape = {"width": 1920, "height": 1080}
    page = open_page(office.url + "/kiosk?print=desk", viewport=landscape, has_touch=True)
    page.get_by_role("button", name="English").tap()
    page.get_by_role("button", name="Ask something else").tap()
    page.get_by_label("Write a message").fill("I need a domicile letter. My name is Budi Santoso")
    page.locator("[data-act=send]").tap()
    facts = page.locator("#facts")
    expect(facts.locator(".known", has_text="Budi Santoso")).to_be_visible()
    expect(facts.locator(".missing", has_text="Place of birth")).to_contain_text("Tempat lahir")  # both, for the letter
    expect(facts.locator(".missing", has_text="NIK")).to_contain_text("Still needed")
    assert violations(page) == []
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('button,textarea,.choices label')]"
        ".filter((n) => n.offsetParent && !n.closest('.keyboard')).map((n) => n.getBoundingClientRect().height))"
    )
    assert smallest >= 72

    facts.locator("[data-field=nik]").tap()
    expect(page.locator("[name=nik]")).to_be_focused()
    expect(page.locator("#keyboard.digits")).to_be_visible()
    fill_form(page)
    page.locator("[data-act=submit]").tap()
    page.locator("[data-act=edit]").tap()
    page.locator("[name=alamat_domisili]").fill("Jl. Mawar No. 9")
    page.locator("[data-act=submit]").tap()
    expect(page.locator(".bubble.you", has_text="Change: Alamat domisili: Jl. Mawar No. 9")).to_be_visible()
    expect(page.locator(".card.approval")).to_contain_text("Jl. Mawar No. 9")
    expect(page.locator(".card.approval", has_text="Never married")).to_contain_text("Belum Kawin")
    expect(page.get_by_text("This data is not used.")).to_be_visible()
    page.get_by_role("button", name="Yes, correct").tap()
    expect(page.locator(".card.letter")).to_contain_text("Your letter is ready")
    note_prints(page)
    page.locator("[data-act=ticket]").tap()
    expect(page.locator("body")).to_have_attribute("data-printed", re.compile(r"001/SKD/CONTOH/[IVX]+/20\d\d"))


def test_a_kiosk_is_paired_by_six_digits_and_its_token_is_out_of_scripts_reach(
    own_guarded: Daemon, open_page: Open
) -> None:
    page = open_page(f"{own_guarded.url}/kiosk")
    code, name = Pairing(own_guarded.state, TokenStore(own_guarded.state / "access.json")).begin(
        None, datetime.now(UTC)
    )
    expect(page.locator("#pair")).to_be_visible()
    assert violations(page) == []
    page.locator("#pair-code").fill(code)
    page.locator("#pair button").click()
    expect(page.locator("[data-letter=surat_keterangan_domisili]")).to_be_visible()
    everywhere = "JSON.stringify([document.cookie, location.href, {...localStorage}, {...sessionStorage}])"
    assert "agd_" not in page.evaluate(everywhere)
    TokenStore(own_guarded.state / "access.json").revoke(name)


def test_another_language_changes_the_open_form_and_keeps_what_was_typed(hall: Daemon, open_page: Open) -> None:
    page = open_page(hall.url + "/kiosk")
    page.locator("[data-letter=surat_keterangan_domisili]").click()
    page.locator("[name=nama]").fill("Budi Santoso")
    page.locator("[data-field=agama]").get_by_text("Islam", exact=True).click()
    page.locator("#language").click()
    expect(page.locator("[data-act=submit]")).to_have_text("Check the details")
    expect(page.locator("[data-act=cancel]")).to_contain_text("Back")
    expect(page.locator("[name=nama]")).to_have_value("Budi Santoso")
    expect(page.locator("[name=agama]:checked")).to_have_value("Islam")
    expect(page.locator("#language")).to_be_focused()
    page.locator("[name=nama]").click()
    page.locator("#keyboard .wide", has_text="⌫").click()
    expect(page.locator("[name=nama]")).to_have_value("Budi Santos")  # the keys type into the form that is there
    page.locator("#finish").click()
    expect(page.locator("#services")).to_be_visible()


def test_a_public_screen_offers_no_way_out_of_it(hall: Daemon, open_page: Open) -> None:
    ways = """() => {
      const menu = new MouseEvent('contextmenu', {cancelable: true, bubbles: true});
      document.body.dispatchEvent(menu);
      const drop = new DragEvent('drop', {cancelable: true, bubbles: true});
      document.body.dispatchEvent(drop);
      return {
        out: document.querySelectorAll('a, iframe, embed, object, [download], [target], input[type=file]').length,
        menu: !menu.defaultPrevented, drop: !drop.defaultPrevented,
        remembered: [...document.querySelectorAll('input:not([type=radio]), textarea')]
          .filter((field) => field.autocomplete !== 'off').map((field) => field.name),
      };
    }"""
    shut = {"out": 0, "menu": False, "drop": False, "remembered": []}
    page = open_page(hall.url + "/kiosk")
    assert page.evaluate(ways) == shut
    page.locator("[data-letter=surat_keterangan_domisili]").click()
    assert page.evaluate(ways) == shut
    page.locator("[data-act=cancel]").click()
    page.locator("#ask-else").click()
    page.get_by_label("Tulis pesan").fill("Lihat https://example.org/ atau <a href='https://example.org'>ini</a>")
    page.locator("[data-act=send]").click()
    expect(page.locator(".turn.completed")).to_be_visible()
    assert page.evaluate(ways) == shut
    expect(page.locator(".by")).to_have_count(0)  # which model answered is not a citizen's matter
    page.locator("#finish").click()
    expect(page.locator("#services")).to_be_visible()


@pytest.mark.parametrize("screen", [{"width": 540, "height": 960}, {"width": 960, "height": 540}])
def test_at_200_percent_and_high_contrast_all_is_within_reach(
    hall: Daemon, open_page: Open, screen: dict[str, int]
) -> None:
    page = open_page(hall.url + "/kiosk", viewport=screen, reduced_motion="reduce")
    page.get_by_role("button", name="Kontras tinggi").click()
    assert violations(page) == []
    page.get_by_role("button", name="Surat Keterangan Usaha").click()
    assert violations(page) == []
    expect(page.get_by_label("Nama lengkap")).to_be_in_viewport()
    expect(page.locator("#keyboard .go")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Selesai").click()
    expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()


def test_a_letter_that_waits_for_an_officer_says_so_and_appears_once_it_is_approved(
    fresh_office: Office, open_page: Open
) -> None:
    config = HEAD.replace('letters.assurance = "declared"\n', "") + "\n".join(SERVERS.values())
    office = fresh_office(LETTER, final("Surat selesai."), config=config, env={})
    page = open_page(office.url + "/kiosk", has_touch=True)
    pair(page, office, "kiosk-lobi")
    page.locator("[data-letter=surat_keterangan_domisili]").tap()
    fill_form(page)
    page.locator("[data-act=submit]").tap()
    page.locator("[data-act=yes]").tap()
    expect(page.locator(".card.approval")).to_contain_text("Permintaan SKD-001 menunggu petugas")
    expect(page.locator("[data-act=yes]")).to_have_count(0)
    office.approve(office.waiting())
    expect(page.locator(".card.letter")).to_contain_text("001/SKD/")


def wait_for(locator: Locator, office: Daemon) -> None:
    """As long as the daemon lives: the model may be slow, but nobody waits for one that has ended."""
    while locator.count() == 0:
        assert office.process is not None and office.process.poll() is None
        locator.page.wait_for_timeout(500)


@pytest.mark.model
@pytest.mark.timeout(1800)  # a minute alone; a neighbour that keeps a core busy makes it many
@pytest.mark.usefixtures("weights")
def test_a_citizen_gets_a_letter_from_the_embedded_model(fresh_office: Office, open_page: Open) -> None:
    """A fresh machine as it is shipped: no key, no Ollama. What the model says is its own; what it does is not.

    However slow the machine is: neither the run nor the model gives up before this test does.
    """
    patient = SHIPPED.read_text().replace("\ntimeout_s = 300.0\n", "\ntimeout_s = 3600.0\n")
    patient = patient.replace("[letters]\n", '[letters]\nassurance = "declared"\n')
    office = fresh_office(config=patient + "\n[agent]\ndeadline_s = 3600\n")
    page = open_page(office.url + "/kiosk", has_touch=True)
    page.locator("#without-pin").tap()
    page.locator("#ask-else").tap()
    page.get_by_label("Tulis pesan").fill(WORDS)  # a full form would need no model
    page.locator("[data-act=send]").tap()
    card = page.locator(".card.approval")
    wait_for(card.or_(page.locator(".turn.completed, .turn.failed")).first, office)
    if card.count() == 0:  # it only spoke: the citizen insists
        page.get_by_label("Tulis pesan").fill("Data saya sudah lengkap. Tolong buatkan suratnya sekarang.")
        page.locator("[data-act=send]").tap()
        wait_for(card, office)
    for value in (FIELDS["nama"], FIELDS["nik"], "Jl. Melati No"):
        expect(card).to_contain_text(value)
    page.locator("[data-act=yes]").tap()
    expect(page.locator(".card.letter")).to_contain_text("/SKD/")
    assert len(list(office.state.glob("letters/2*/*.pdf"))) == 1
