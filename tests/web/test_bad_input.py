"""What goes wrong around a page (issue 10, Bad input): tokens, clocks, back and reload, second taps, other tabs."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from agentd.access import TokenStore
from tests.daemon import HEAD, SERVERS, Daemon, call, final, one_daemon
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until
from tests.web.conftest import LETTERS, NO_TOKEN
from tests.web.steps import FIELDS, fill_form, pair, violations
from tests.web.test_chat import after
from tests.web.test_pages import fetch

Office = Callable[..., Daemon]
Open = Callable[..., Page]
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1366, "height": 900}


counter = one_daemon(LETTER, final("Selesai."), config=LETTERS, env=NO_TOKEN)
"""An office where nobody needs a token and every talk leads to a letter."""


def say(page: Page, text: str) -> None:
    page.get_by_label("Tulis pesan").fill(text)
    page.locator("[data-act=send]").click()


def revoke(daemon: Daemon, name: str, token: str) -> None:
    """Take the token away, and go on when the daemon knows it (a fifth of a second later at most)."""
    TokenStore(daemon.state / "access.json").revoke(name)
    ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "Tools.list"}).encode()
    headers = {"Content_Type": "application/json", "Authorization": f"Bearer {token}"}
    until(lambda: b'"unauthorized"' in fetch(daemon.url + "/rpc", ask, **headers)[2], "a token that has ended")


@pytest.mark.parametrize("path", ["/chat", "/kiosk"])
def test_a_token_revoked_in_mid_talk_is_told_and_the_wipe_still_comes(
    own_guarded: Daemon, open_page: Open, path: str
) -> None:
    book = TokenStore(own_guarded.state / "access.json")
    if path == "/kiosk":
        page = open_page(own_guarded.url + path, viewport=PHONE)
        pair(page, own_guarded, "front")
        token = next(one["value"] for one in page.context.cookies() if one["name"] == "agentd-token")
        page.locator("#ask-else").click()
    else:
        token = book.add("front", frozenset({"chat"}), now=datetime.now(UTC))
        page = open_page(own_guarded.url + path, token=token, viewport=PHONE)
    say(page, "Halo, nama saya Siti Aminah")
    expect(page.locator(".turn.completed", has_text="Halo, Pak.")).to_be_visible()
    revoke(own_guarded, "front", token)
    say(page, "Masih di sana?")
    problem = page.locator(".card.problem")
    expect(problem).to_contain_text("belum tersambung")
    assert violations(page) == []
    page.get_by_role("button", name="Selesai" if path == "/kiosk" else "Mulai ulang").first.click()
    expect(page.locator("#pair" if path == "/kiosk" else "#login")).to_be_visible()
    assert "Siti" not in page.content()


@pytest.mark.parametrize("path", ["/desk", "/ask"])
def test_an_officers_token_revoked_in_mid_work_shuts_the_page(own_guarded: Daemon, open_page: Open, path: str) -> None:
    book = TokenStore(own_guarded.state / "access.json")
    token = book.add(f"staff{path[1:]}", frozenset({"staff"}), now=datetime.now(UTC))
    page = open_page(own_guarded.url + path, token=token, viewport=DESK)
    expect(page.locator("#work")).to_be_visible()
    revoke(own_guarded, f"staff{path[1:]}", token)
    if path == "/ask":
        page.get_by_label("Pertanyaan").fill("Berapa?")
        page.get_by_role("button", name="Tanya", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("tidak berlaku lagi")
    expect(page.locator("#work")).to_be_hidden()
    assert token not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert violations(page) == []


def test_a_clock_hours_off_changes_no_time_shown_and_wipes_nobody(counter: Daemon, open_page: Open) -> None:
    wrong = datetime.now(UTC) + timedelta(hours=9)

    def set_clock(page: Page) -> None:
        page.clock.install(time=wrong)

    page = open_page(counter.url + "/kiosk", prepare=set_clock, timezone_id="America/New_York")
    page.locator("#ask-else").click()
    say(page, WORDS)
    card = page.locator(".card.approval")
    expect(card).to_be_visible()
    [waiting] = counter.call("Agent.list", status="needs_approval")["runs"]
    until = datetime.fromisoformat(waiting["approval"]["expires_at"]) + timedelta(hours=7)  # the office's time
    expect(card).to_contain_text(f"Berlaku sampai pukul {until:%H.%M}")
    page.clock.set_system_time(wrong + timedelta(hours=5))  # somebody corrects it in mid-talk, wrongly
    expect(page.locator("#idle[open]")).to_have_count(0)
    page.locator("[data-act=yes]").click()
    expect(page.locator(".card.letter")).to_contain_text("/SKD/")
    page.locator("[data-act=finish]").click()
    expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()


@pytest.mark.parametrize("leave", ["reload", "back"])
def test_leaving_at_any_point_of_the_way_ends_at_a_clean_start(counter: Daemon, open_page: Open, leave: str) -> None:
    page = open_page(counter.url + "/kiosk")

    def left_at(point: str) -> None:
        session = page.evaluate("JSON.parse(localStorage['agentd-kiosk-sessions']).at(-1)")
        if leave == "reload":
            page.reload()
        else:
            page.goto(counter.url + "/kiosk?again")
            page.go_back()
        expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()
        page.wait_for_selector("html[data-ready]")
        assert "Budi" not in page.content(), point
        expect(page.locator("#turns .turn")).to_have_count(0)
        page.wait_for_function("(id) => !localStorage['agentd-kiosk-sessions'].includes(id)", arg=session)
        known = {one["session_id"] for one in counter.call("Session.list")["sessions"]}
        assert session not in known, point

    page.locator("[data-letter=surat_keterangan_domisili]").click()
    page.locator("[name=nama]").fill("Budi Santoso")
    left_at("form")
    page.locator("#ask-else").click()
    say(page, WORDS)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    left_at("approval")
    page.locator("#ask-else").click()
    say(page, WORDS)
    page.locator("[data-act=yes]").click()
    expect(page.locator(".card.letter")).to_be_visible()
    left_at("letter")


def test_the_second_tap_of_a_double_tap_falls_on_nothing(counter: Daemon, open_page: Open) -> None:
    """On what has just come under the finger it would choose a religion, or say yes to a letter nobody has read."""
    watch = """
      new MutationObserver(() => {
        const yes = document.querySelector('[data-act=yes]');
        if (yes && !window.firstSeen) window.firstSeen = getComputedStyle(yes.closest('.actions')).pointerEvents;
      }).observe(document, {childList: true, subtree: true});
    """
    page = open_page(counter.url + "/kiosk", prepare=lambda page: page.add_init_script(watch))
    hit = """() => {
      document.querySelector('.service').click();
      const box = document.querySelector('.choices label').getBoundingClientRect();
      return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('.choices') ?? null;
    }"""
    assert page.evaluate(hit) is None
    fill_form(page)
    page.locator("[data-act=submit]").dblclick()
    expect(page.locator("[data-act=yes]")).to_be_visible()
    assert page.evaluate("window.firstSeen") == "none"
    assert page.locator(".turn").count() == 1
    page.locator("#language").dblclick()  # one change of language, not two
    expect(page.locator("[data-act=yes]")).to_have_text("Yes, correct")
    page.locator("[data-act=edit]").dblclick()
    page.locator("[data-act=submit]").wait_for()
    page.locator("#finish").dblclick()
    expect(page.locator("#services")).to_be_visible()


def test_a_yes_that_is_an_officers_waits_for_one(fresh_office: Office, open_page: Open) -> None:
    """Seed 001 as design.md settles it: approval = "staff" per tool."""
    names = ("list_letters", "preview_letter", "list_issued_letters", "void_letter")
    tools = [{"name": name, "server": "certificate"} for name in names]
    tools.append({"name": LETTER["tool"], "server": "certificate", "approval": "staff"})
    written = "\n".join("[[tools]]\n" + "\n".join(f"{k} = {json.dumps(v)}" for k, v in tool.items()) for tool in tools)
    office = fresh_office(LETTER, final("Selesai."), config=HEAD + SERVERS["certificate"] + "\n" + written)
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, WORDS)
    page.locator("[data-act=yes]").click()
    expect(page.get_by_text("Menunggu persetujuan petugas.")).to_be_visible()
    assert page.locator("[data-act=yes]").count() == 0
    assert violations(page) == []
    office.approve(office.waiting())
    expect(page.locator(".card.letter")).to_contain_text("/SKD/")


def test_a_kiosk_without_its_line_or_its_daemon_says_so_and_goes_on_by_itself(
    fresh_office: Office, open_page: Open
) -> None:
    office = fresh_office(LETTER, after(3_600_000, "too late"))
    page = open_page(office.url + "/kiosk")
    link, letter = page.locator("#link"), page.locator(".card.letter")
    page.locator("#ask-else").click()
    page.context.set_offline(True)
    expect(link).to_contain_text("Tidak ada sambungan")  # before anything is tried
    say(page, WORDS)
    expect(page.get_by_text("Mengirim…")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    expect(link).to_be_hidden()

    page.context.set_offline(True)
    page.locator("[data-act=yes]").dblclick()
    expect(link).to_contain_text("Tidak ada sambungan")
    assert violations(page) == []
    page.context.set_offline(False)
    expect(letter).to_contain_text("001/SKD/")  # the yes was the citizen's: it needs no second one
    expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
    office.kill(signal.SIGKILL)
    expect(link).to_contain_text("Sambungan terputus")
    assert violations(page) == []
    office.script(LETTER, final("Surat Anda selesai."))
    office.start()
    expect(page.locator(".bubble.agent", has_text="Surat Anda selesai.")).to_have_count(1)
    expect(link).to_be_hidden()
    for one in (letter, page.locator(".turn"), page.locator(".bubble.you")):
        expect(one).to_have_count(1)
    assert len(list(office.state.glob("letters/2*/*.pdf"))) == 1


def test_a_kiosk_wiped_without_a_daemon_comes_back_to_its_start(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, final("Selesai."))
    page = open_page(office.url + "/kiosk")
    page.locator("#ask-else").click()
    say(page, WORDS)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    [session] = office.call("Session.list")["sessions"]
    office.kill(signal.SIGKILL)
    page.locator("#finish").click()
    expect(page.get_by_text("Layanan sedang tidak tersambung")).to_be_visible()
    assert "Budi" not in page.content()
    assert violations(page) == []
    office.start()
    expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()
    page.wait_for_function("(id) => !localStorage['agentd-kiosk-sessions'].includes(id)", arg=session["session_id"])
    assert office.call("Session.list")["sessions"] == []


def test_markup_emoji_and_a_huge_paste_stay_text_on_the_kiosk(fresh_office: Office, open_page: Open) -> None:
    purpose = "<img src=x onerror=alert(1)> & <b>melamar</b>"
    marked = call(LETTER["tool"], **{**LETTER["input"], "keperluan": purpose})
    office = fresh_office(final(purpose), final("Baik."), marked, final("Selesai."))
    page = open_page(office.url + "/kiosk")
    page.locator("#ask-else").click()
    box = page.get_by_label("Tulis pesan")
    for text in (purpose, "abc" + "\U0001f600\u0007\u202e" * 30_000):  # the cut falls into an emoji
        box.focus()
        page.keyboard.insert_text(text)
        page.locator("[data-act=send]").click()
        expect(page.locator(".turn").last).to_have_class("turn completed")
    expect(page.locator(".bubble.you").first).to_contain_text(purpose)
    expect(page.locator(".bubble.agent", has_text=purpose)).to_be_visible()
    page.locator("#finish").click()
    page.locator("[data-letter=surat_keterangan_domisili]").click()
    page.locator("[name=nama]").focus()
    page.keyboard.insert_text("\U0001f600" * 30_000)
    assert len(page.locator("[name=nama]").input_value()) <= int(
        page.locator("[name=nama]").get_attribute("maxlength") or 0
    )
    fill_form(page, {**FIELDS, "keperluan": purpose})
    page.locator("[data-act=submit]").click()
    expect(page.locator(".turn").last).not_to_have_class("turn running")
    assert page.locator("#turns img[src=x], #turns b").count() == 0
    assert violations(page) == []


def test_who_wants_no_motion_sees_none(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(after(3_600_000, "Selesai."))
    moving = "document.getAnimations().length"
    for motion in ("reduce", "no-preference"):
        page = open_page(office.url + "/kiosk", reduced_motion=motion)
        page.locator("#ask-else").click()
        say(page, "Halo")
        expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
        assert bool(page.evaluate(moving)) == (motion == "no-preference")
