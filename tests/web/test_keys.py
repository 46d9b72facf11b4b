"""Every page by keys alone (issue 10, Accessibility): no mouse, no touch; the focus is seen and never lost."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.settings import SHIPPED_LETTERS
from tests.daemon import TOKEN, Daemon, final
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.steps import FIELDS, focused, keys_to, note_prints, type_form, violations
from tests.web.test_ask import ANSWER, answering

Office = Callable[..., Daemon]
Open = Callable[..., Page]
TOOLS = ["language", "contrast", "speak"]
LETTERS = list(Catalogue((SHIPPED_LETTERS,)).types)
SERVICES = [*LETTERS, "ask-else"]
DESK = {"width": 1366, "height": 900}
FORM = [*FIELDS, *["suggest"] * 6, "summary", "submit"]


def test_a_citizen_gets_a_letter_from_the_kiosk_by_keys_alone(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Surat Anda selesai."))
    page = open_page(office.url + "/kiosk?lang=jv")
    press = page.keyboard.press
    expect(page.get_by_role("heading", name="Sugeng rawuh")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "jv")
    assert violations(page) == []

    assert keys_to(page, "ask-else") == [*TOOLS, *SERVICES]
    assert keys_to(page, "language", "Shift+Tab") == [*TOOLS, *SERVICES][-2::-1]
    press("Enter")
    expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()
    assert focused(page) == "language"  # who changed it stands where they stood
    keys_to(page, SERVICES[0])
    press("Enter")

    assert focused(page) == "nama"
    keys_to(page, "cancel", "Shift+Tab")
    press("Space")
    assert focused(page) == SERVICES[0]  # back is back where one came from
    press("Enter")
    press("Enter")  # an empty form isn't sent: it says what is missing and leads there
    expect(page.locator("#form-note")).to_contain_text("NIK")
    assert focused(page) == "nama"
    assert type_form(page) == list(FIELDS)
    assert keys_to(page, "submit") == FORM[len(FIELDS) :]
    assert keys_to(page, "nama", "Shift+Tab") == FORM[-2::-1]
    keys_to(page, "submit")
    press("Space")

    expect(page.locator(".card.approval")).to_be_focused()  # at the card, not on its "yes"
    expect(page.locator("[data-act=zoom]")).to_be_visible()
    assert focused(page) == "card"
    assert violations(page) == []
    assert keys_to(page, "send") == ["zoom", "yes", "edit", "no", "message", "send"]
    assert keys_to(page, "zoom", "Shift+Tab") == ["message", "no", "edit", "yes", "zoom"]
    press("Enter")
    assert focused(page) == "close"
    assert set(keys_to(page, "close")) <= {"sheet", "close", "edge"}  # a dialog keeps the focus
    press("Escape")
    expect(page.locator(".enlarged")).to_have_count(0)
    assert focused(page) == "zoom"  # and gives it back
    keys_to(page, "edit")
    press("Enter")
    assert focused(page) == "nama"
    keys_to(page, "cancel", "Shift+Tab")
    press("Enter")
    assert focused(page) == "edit"
    keys_to(page, "yes", "Shift+Tab")
    press("Enter")

    expect(page.locator(".card.letter")).to_be_focused()
    expect(page.locator(".card.letter")).to_contain_text("001/SKD/")
    expect(page.get_by_alt_text("Kode QR")).to_be_visible()
    expect(page.locator(".bubble.agent", has_text="001/SKD/")).to_be_visible()
    assert focused(page) == "card"  # drawn anew with the answer, and still there
    note_prints(page)
    assert keys_to(page, "print") == ["print"]
    press("Enter")
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")
    assert keys_to(page, "finish") == ["finish"]
    press("Enter")
    expect(page.get_by_role("heading", name="Sugeng rawuh")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(0)
    page.wait_for_selector("html[data-ready]")
    assert keys_to(page, "language") == ["language"]  # a new page: the next person begins at its top
    assert len(list(office.state.glob("letters/2*/*.pdf"))) == 1


def test_a_citizen_gets_a_letter_from_the_chat_by_keys_alone(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Surat Anda selesai."))
    page = open_page(office.url + "/chat", viewport={"width": 1280, "height": 800})
    press = page.keyboard.press
    assert focused(page) == "message"
    assert keys_to(page, SERVICES[0], "Shift+Tab") == LETTERS[::-1]
    press("Enter")
    assert focused(page) == "nama"
    keys_to(page, "cancel", "Shift+Tab")
    press("Enter")
    assert focused(page) == SERVICES[0]
    press("Enter")
    assert type_form(page) == list(FIELDS)
    press("Enter")

    assert focused(page) == "message"  # whoever writes is left to write
    expect(page.locator("[data-act=zoom]")).to_be_visible()
    keys_to(page, "zoom", "Shift+Tab")
    press("Enter")
    assert focused(page) == "close"
    press("Escape")
    assert focused(page) == "zoom"
    assert keys_to(page, "yes") == ["yes"]
    press("Enter")
    expect(page.locator(".card.letter")).to_be_focused()
    expect(page.locator(".bubble.agent", has_text="001/SKD/")).to_be_visible()
    note_prints(page)
    assert keys_to(page, "message") == ["print", "open", "message"]
    keys_to(page, "print", "Shift+Tab")
    press("Enter")
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")
    keys_to(page, "restart", "Shift+Tab")
    press("Enter")
    expect(page.locator(".turn")).to_have_count(0)
    assert focused(page) == "message"


def test_a_run_is_stopped_by_keys_and_the_focus_stays_at_hand(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office({"text": "{}", "after_ms": 60_000})
    page = open_page(office.url + "/kiosk")
    keys_to(page, "ask-else")
    page.keyboard.press("Enter")
    assert focused(page) == "message"
    page.keyboard.type("Halo")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
    assert focused(page) == "scroll"  # where the answer comes; a held key doesn't stop it
    assert keys_to(page, "stop") == ["message", "stop"]
    page.keyboard.press("Space")
    expect(page.get_by_text("Dihentikan.")).to_be_visible()
    assert focused(page) == "composer"
    assert keys_to(page, "message") == ["message"]


def test_the_warning_of_an_idle_kiosk_is_answered_by_keys(hall: Daemon, open_page: Open) -> None:
    page = open_page(hall.url + "/kiosk", prepare=lambda page: page.clock.install())
    keys_to(page, "ask-else")
    page.keyboard.press("Enter")
    page.clock.run_for(1000)
    for answer in ("Escape", "Enter"):
        assert focused(page) == "message"
        page.clock.run_for(61_000)
        expect(page.locator("#idle[open]")).to_be_visible()
        assert focused(page) == "idle-stay"  # not on "remove"
        assert set(keys_to(page, "idle-stay")) <= {"idle-leave", "idle-stay", "edge"}
        page.keyboard.press(answer)
        expect(page.locator("#idle[open]")).to_have_count(0)
    assert focused(page) == "message"


def test_an_officer_approves_changes_and_voids_by_keys_alone(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Selesai."), env={})
    page = open_page(office.url + "/desk", viewport=DESK)
    page.on("filechooser", lambda _: None)  # from here on, so that the key below can't be ahead of its interception
    press, typed = page.keyboard.press, page.keyboard.type
    assert focused(page) == "token"
    typed("bukan kode yang benar")
    press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("tidak dikenal")
    assert focused(page) == "token"
    typed(TOKEN)
    press("Enter")
    expect(page.locator("#pending-title")).to_be_focused()
    assert focused(page) == "pending-title"

    office.call("Agent.run", prompt=WORDS, session_id="a")
    expect(page.locator("#pending article")).to_have_count(1)
    keys_to(page, "edit")
    office.call("Agent.run", prompt=WORDS, session_id="b")
    expect(page.locator("#pending article")).to_have_count(2)
    assert focused(page) == "edit"  # another request moves nobody
    press("Enter")
    assert focused(page) == "nama"
    office.call("Agent.run", prompt=WORDS, session_id="c")
    expect(page.locator("#pending article")).to_have_count(3)
    press("Escape")
    assert focused(page) == "edit"
    press("Enter")
    keys_to(page, "keperluan")
    press("ControlOrMeta+a")
    typed("Membuka rekening")
    keys_to(page, "submit")
    press("Enter")
    row = page.locator("#letters tr[data-number]")
    expect(row).to_have_count(1)
    expect(page.locator("#pending article")).to_have_count(2)
    assert focused(page) == "pending-title"  # not on the next one's "yes"
    keys_to(page, "no")
    press("Space")
    expect(page.locator("#pending article")).to_have_count(1)
    assert focused(page) == "pending-title"

    assert list(dict.fromkeys(keys_to(page, "void"))) == [
        "yes",
        "edit",
        "no",
        "day",
        "sought",
        "find",
        "table",
        "open",
        "void",
    ]
    press("Enter")
    assert focused(page) == "reason"
    press("Escape")
    assert focused(page) == "void"
    press("Enter")
    assert set(keys_to(page, "reason")) <= {"void-yes", "void-no", "reason", "edge"}
    typed("Alamat keliru")
    press("Enter")
    expect(row).to_contain_text("dibatalkan: Alamat keliru")
    assert focused(page) == "letters-title"

    assert violations(page) == []
    keys_to(page, "code")
    typed("AAAA-BBBB-CCCC-DDDD")
    press("Enter")
    expect(page.locator("[data-verdict=unknown]")).to_be_visible()
    keys_to(page, "file")
    [letter] = office.state.glob("letters/2*/*.pdf")
    with page.expect_file_chooser() as chooser:
        press("Enter")
    chooser.value.set_files(letter)
    expect(page.locator("[data-verdict=voided]")).to_be_visible()
    keys_to(page, "leave")
    press("Enter")
    expect(page.get_by_label("Kode akses")).to_be_focused()


def test_the_books_are_asked_sorted_and_saved_by_keys_alone(guarded: Daemon, open_page: Open) -> None:
    def prepare(page: Page) -> None:
        answering(ANSWER)(page)
        page.route("**/tables/*.csv", lambda route: route.fulfill(body="bulan", content_type="text/csv"))

    ready = {"token": TOKEN, "prepare": prepare, "viewport": DESK, "accept_downloads": True}
    page = open_page(guarded.url + "/ask", **ready)
    press = page.keyboard.press
    assert focused(page) == "question"
    assert keys_to(page, "go") == ["source", "style", "go"]
    keys_to(page, "question", "Shift+Tab")
    page.keyboard.type("Berapa penjualan tiap bulan?")
    press("Enter")
    expect(page.locator(".answer")).to_be_focused()
    assert focused(page) == "card"
    keys_to(page, "sort-total_penjualan")
    press("Enter")
    expect(page.locator(".answer tbody td").first).to_have_text("2025-01")
    expect(page.get_by_role("columnheader", name="total penjualan")).to_have_attribute("aria-sort", "ascending")
    keys_to(page, "csv")
    with page.expect_download():
        press("Enter")
    keys_to(page, "summary")
    press("Enter")
    expect(page.locator(".answer")).to_contain_text("SELECT strftime")
    keys_to(page, "leave", "Shift+Tab")
