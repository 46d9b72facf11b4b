"""The chat page under everything that goes wrong on phones (issue 10, Bad input): nothing lost, nothing doubled."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.daemon import TOKEN, Daemon, final, one_daemon
from tests.e2e.test_main_job import LETTER, WORDS
from tests.e2e.test_parked import reached
from tests.web.conftest import LETTERS, NO_TOKEN
from tests.web.steps import FIELDS, enter, fill_form, layout_faults, note_prints, opened, violations
from tests.web.test_layout import LEAST

Office = Callable[..., Daemon]
Open = Callable[..., Page]
PHONE = {"width": 360, "height": 740}
MARKUP = "<b>Halo</b> <script>document.title='x'</script> <img src=x onerror=alert(1)>"


def after(ms: int, text: str) -> dict[str, object]:
    """A scripted turn that takes its time."""
    return {"text": json.dumps(final(text)), "after_ms": ms}


office = one_daemon(final(MARKUP), LETTER, after(200, "Surat Anda selesai."), config=LETTERS, env=NO_TOKEN)
"""One daemon for the talks of this file: markup, then a letter, then the end."""


def say(page: Page, text: str) -> None:
    page.get_by_label("Tulis pesan").fill(text)
    expect(page.locator("[data-act=send]")).to_be_visible()
    page.get_by_label("Tulis pesan").press("Enter")


def test_markup_is_text_and_a_reload_brings_all_back_once(office: Daemon, open_page: Open) -> None:
    page = open_page(office.url + "/chat", viewport=PHONE)
    assert violations(page) == []
    say(page, MARKUP)
    expect(page.locator(".bubble.agent", has_text=MARKUP)).to_have_count(1)
    expect(page.locator(".bubble.you", has_text=MARKUP)).to_have_count(1)
    assert page.locator("#turns img, #turns script, #turns b").count() == 0
    say(page, WORDS)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    assert violations(page) == []

    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    say(page, "ya, benar")
    expect(page.locator(".card.letter")).to_contain_text("/SKD/")
    expect(page.locator(".bubble.agent", has_text="Surat Anda selesai.")).to_have_count(1)
    page.reload()
    expect(page.locator(".card.letter")).to_have_count(1)
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".bubble.agent", has_text="Surat Anda selesai.")).to_have_count(1)
    assert violations(page) == []
    note_prints(page)
    page.locator("[data-act=print]").click()
    expect(page.locator("body")).to_have_attribute("data-printed", "1 page")
    issued = [file.read_bytes() for file in office.state.glob("letters/**/*.pdf")]
    assert opened(page.get_by_role("button", name="Buka surat")) in issued

    page.get_by_role("button", name="Mulai ulang").click()
    expect(page.locator(".turn")).to_have_count(0)
    page.reload()
    expect(page.locator(".turn")).to_have_count(0)


def another_tab(first: Page) -> Page:
    """A second tab of the same talk, as a browser duplicates one."""
    kept = first.evaluate("sessionStorage.getItem('agentd-chat-session')")
    second = first.context.new_page()
    second.add_init_script(f"sessionStorage.setItem('agentd-chat-session', {json.dumps(kept)})")
    second.goto(first.url)
    second.wait_for_selector("html[data-ready]")
    return second


def test_two_tabs_of_one_talk_show_the_same(office: Daemon, open_page: Open) -> None:
    first = open_page(office.url + "/chat", viewport=PHONE)
    say(first, "Halo")
    expect(first.locator(".turn.completed")).to_have_count(1)
    second = another_tab(first)
    expect(second.locator(".turn.completed")).to_have_count(1)
    say(second, WORDS)
    expect(second.locator("[data-act=yes]")).to_be_visible()
    expect(first.locator("[data-act=yes]")).to_be_visible()
    first.locator("[data-act=yes]").click()
    for page in (first, second):
        expect(page.locator(".card.letter")).to_have_count(1)
        expect(page.locator(".bubble.agent", has_text="Surat Anda selesai.")).to_have_count(1)


def test_a_typed_yes_to_the_forms_of_two_tabs_is_asked_which(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office({"error": "unavailable"})  # full forms need no model
    first = open_page(office.url + "/chat", viewport=PHONE)
    first.evaluate("sessionStorage.setItem('agentd-chat-session', JSON.stringify(['two-tabs', 'k'.repeat(43)]))")
    first.reload()
    first.wait_for_selector("html[data-ready]")
    second = another_tab(first)
    poor = {"alamat" if name == "alamat_domisili" else name: value for name, value in FIELDS.items()}
    for page, letter, values in ((first, "domisili", FIELDS), (second, "tidak_mampu", poor)):
        page.locator(f"[data-letter=surat_keterangan_{letter}]").click()
        fill_form(page, values)
    for page in (first, second):
        page.locator("[data-act=submit]").click()
        expect(page.locator("[data-act=yes]")).not_to_have_count(0)
    expect(first.locator("[data-act=yes]")).to_have_count(2)

    say(first, "ya")
    asked = ("“ya” untuk yang mana?", "1. Surat Keterangan Domisili", "2. Surat Keterangan Tidak Mampu")
    for words in asked:
        expect(first.locator(".bubble.agent").last).to_contain_text(words)
    assert not list(office.state.glob("letters/**/*.pdf")), "no letter that nobody chose"
    say(first, "domisili")
    for page in (first, second):
        expect(page.locator(".card.letter")).to_have_count(1)
        expect(page.locator(".card.letter")).to_contain_text("/SKD/")
        expect(page.locator("[data-act=yes]")).to_have_count(1)
    second.locator("[data-act=yes]").click()
    for page in (first, second):
        expect(page.locator(".card.letter", has_text="/SKTM/")).to_have_count(1)
    assert len(list(office.state.glob("letters/**/*.pdf"))) == 2


def test_a_form_filled_in_while_the_other_tab_gets_an_answer_is_sent_after_it(
    fresh_office: Office, open_page: Open
) -> None:
    office = fresh_office(after(5000, "Halo juga."))
    first = open_page(office.url + "/chat", viewport=PHONE)
    first.evaluate("sessionStorage.setItem('agentd-chat-session', JSON.stringify(['two-tabs', 'k'.repeat(43)]))")
    first.reload()
    first.wait_for_selector("html[data-ready]")
    second = another_tab(first)
    second.locator("[data-letter=surat_keterangan_domisili]").click()
    fill_form(second)
    say(first, "Halo")
    expect(first.get_by_text("Sedang berpikir…")).to_be_visible()
    first.evaluate("new BroadcastChannel('agentd-chat').postMessage({ session: 'two-tabs' })")
    expect(second.locator(".turn")).to_have_count(1)
    second.locator("[data-act=submit]").click()
    for page in (first, second):
        expect(page.locator(".bubble.agent", has_text="Halo juga.")).to_have_count(1)
        expect(page.locator("[data-act=yes]")).to_have_count(1)


def test_a_form_and_a_correction_work_by_keys_alone(office: Daemon, open_page: Open) -> None:
    page = open_page(office.url + "/chat", viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    say(page, "Halo")
    expect(page.locator(".turn.completed")).to_have_count(1)
    say(page, WORDS)
    page.locator("[data-act=edit]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Nama lengkap")).to_be_focused()
    assert violations(page) == []
    page.get_by_label("Keperluan").fill("Membuka rekening")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble.you", has_text="Ubah: Keperluan: Membuka rekening")).to_be_visible()


def test_a_paste_of_100_kb_and_double_sends_do_no_harm(office: Daemon, open_page: Open) -> None:
    page = open_page(office.url + "/chat", viewport=PHONE)
    box = page.get_by_label("Tulis pesan")
    box.fill("😀\u0007<i>" * 20_000)
    assert len(box.input_value().encode()) <= 8192  # what the daemon takes
    expect(page.get_by_text("Teks terlalu panjang")).to_be_visible()
    page.locator("[data-act=send]").dblclick()
    expect(page.locator(".turn.completed")).to_have_count(1)


def test_what_is_written_offline_is_sent_once_when_the_line_is_back(office: Daemon, open_page: Open) -> None:
    page = open_page(office.url + "/chat", viewport=PHONE)
    page.context.set_offline(True)
    say(page, "Halo")
    expect(page.locator("#link")).to_contain_text("Tidak ada sambungan")
    page.context.set_offline(False)
    expect(page.locator(".turn.completed")).to_have_count(1)
    expect(page.locator("#link")).to_be_hidden()


def test_a_daemon_that_dies_in_mid_answer_is_taken_up_again(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(after(3_600_000, "too late"))
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, "Halo")
    expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
    office.kill(signal.SIGKILL)
    expect(page.locator("#link")).to_be_visible()
    office.script(final("Jawaban yang utuh."))
    office.start()
    expect(page.locator(".bubble.agent", has_text="Jawaban yang utuh.")).to_have_count(1)
    expect(page.locator("#link")).to_be_hidden()


def test_a_run_that_ends_under_the_number_of_an_event_already_read_is_told_all_the_same(
    fresh_office: Office, open_page: Open
) -> None:
    """Killed twice at one step the run is given up: its end has the number that its model's start had before."""
    office = fresh_office(after(3_600_000, "too late"))
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, "Halo")
    expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
    run_id = office.call("Agent.list")["runs"][0]["run_id"]
    for _ in range(2):
        reached(office, run_id)
        office.kill(signal.SIGKILL)
        expect(page.locator("#link")).to_be_visible()
        office.start()
    expect(page.locator(".card.problem")).to_contain_text("Petugas sudah diberi tahu")
    expect(page.locator("#link")).to_be_hidden()


def test_a_failure_is_told_kindly_and_a_run_is_stopped_by_hand(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office({"error": "unavailable"}, after(3_600_000, "too late"))
    page = open_page(office.url + "/chat?lang=en", viewport=PHONE)
    page.get_by_label("Write a message").fill("Hello")
    page.get_by_label("Write a message").press("Enter")
    problem = page.locator(".card.problem")
    expect(problem).to_be_visible()
    assert violations(page) == []
    assert "scripted" not in problem.inner_text() and "unavailable" not in problem.inner_text()
    page.get_by_role("button", name="Try again").dblclick()
    box = page.get_by_label("Write a message")
    box.fill("yes")
    box.press("Enter")  # typed ahead of what it would answer: kept, never sent by itself
    expect(page.get_by_text("One moment, the previous answer is still being written.")).to_be_visible()
    expect(box).to_have_value("yes")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(2)


def test_the_chat_asks_for_a_token_at_its_door_and_forgets_all_on_leave(own_guarded: Daemon, open_page: Open) -> None:
    page = open_page(own_guarded.url + "/chat", viewport=PHONE)
    field = page.get_by_label("Kode akses")
    expect(field).to_be_focused()
    assert (field.get_attribute("type"), field.get_attribute("autocomplete")) == ("password", "off")
    expect(page.locator("#talk")).to_be_hidden()
    assert violations(page) + layout_faults(page, LEAST) == []
    field.fill("bukan kode")
    page.get_by_role("button", name="Masuk").click()
    expect(page.get_by_role("alert")).to_contain_text("tidak dikenal")
    page.locator("#language").click()
    expect(page.get_by_label("Access code")).to_be_visible()
    page.reload()
    enter(page, TOKEN)
    assert violations(page) + layout_faults(page, LEAST) == []
    say(page, "Halo, saya Siti")
    expect(page.locator(".bubble.agent", has_text="Halo, Pak.")).to_be_visible()
    expect(page.locator(".by")).to_have_text("scripted/scripted")  # staff see which model answered
    page.reload()
    expect(page.locator(".bubble.you", has_text="Siti")).to_be_visible()  # as long as the tab lives
    sessions = len(own_guarded.call("Session.list")["sessions"])
    page.get_by_role("button", name="Keluar").click()
    expect(field).to_be_visible()
    kept = page.evaluate("JSON.stringify([location.href, {...localStorage}, {...sessionStorage}])")
    assert TOKEN not in kept and "agentd-chat-session" not in kept and "Siti" not in page.content()
    assert len(own_guarded.call("Session.list")["sessions"]) == sessions - 1


@pytest.mark.parametrize("path", ["/chat", "/ask", "/desk", "/kiosk"])
def test_a_token_in_a_pages_address_opens_nothing(guarded: Daemon, open_page: Open, path: str) -> None:
    for place in ("#token=", "?token=", "?access_token="):
        page = open_page(guarded.url + path + place + TOKEN)
        expect(page.locator("#pair" if path == "/kiosk" else "#login")).to_be_visible()
        assert TOKEN not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")


def test_the_form_of_the_first_button_reaches_the_check(office: Daemon, open_page: Open) -> None:
    page = open_page(office.url + "/chat", viewport=PHONE)
    page.locator("[data-letter=surat_keterangan_domisili]").click()
    assert violations(page) == []
    fill_form(page)
    page.locator("[data-act=submit]").click()
    expect(page.locator(".bubble.you")).to_contain_text("Saya mau Surat Keterangan Domisili.")
    expect(page.locator(".bubble.you")).to_contain_text("Tanggal lahir: 15-01-1990")
