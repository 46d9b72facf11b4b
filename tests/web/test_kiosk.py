"""The kiosk (seed 002; the page): the whole domisili flow by touch, and what a public screen owes the next person."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.daemon import Daemon, call, final
from tests.e2e.test_main_job import LETTER
from tests.web.steps import FIELDS, fill_form, note_prints, tap_in, violations

Office = Callable[..., Daemon]
Open = Callable[..., Page]
PART = call("generate_surat_keterangan_domisili", nama="Budi Santoso", nik="3175061501900003")


def test_a_citizen_gets_a_domicile_letter_by_touch(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Surat Anda selesai. Silakan dicetak."))
    page = open_page(office.url + "/kiosk", has_touch=True)
    assert violations(page) == []
    page.get_by_role("button", name="Surat Keterangan Domisili").tap()
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
    for value in (FIELDS["nama"], FIELDS["nik"], "15 Januari 1990", FIELDS["alamat_domisili"]):
        expect(card).to_contain_text(value)
    expect(card.locator(".preview img")).to_be_visible()
    assert violations(page) == []
    assert not list(office.state.glob("letters/**/*.pdf"))
    page.locator("[data-act=yes]").dblclick()  # a double tap decides once

    letter = page.locator(".card.letter")
    expect(letter).to_contain_text("001/SKD/")
    expect(letter.get_by_alt_text("Kode QR")).to_be_visible()
    expect(page.locator(".bubble.agent", has_text="Silakan dicetak")).to_be_visible()
    assert len(list(office.state.glob("letters/2*/*.pdf"))) == 1
    assert violations(page) == []

    note_prints(page)
    page.locator("[data-act=print]").tap()
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")
