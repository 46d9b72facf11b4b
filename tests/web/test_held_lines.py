"""What is tapped while an answer, a stream or another tab's news is on its way: nothing dropped, nothing twice."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.daemon import TOKEN, Daemon, final
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until
from tests.web.steps import Held, calls, fill_form
from tests.web.test_chat import after, another_tab, say
from tests.web.test_desk import DESK

Office = Callable[..., Daemon]
Open = Callable[..., Page]
PHONE = {"width": 360, "height": 740}
DONE = final("Surat Anda selesai.")
NEVER = after(3_600_000, "too late")


def test_a_yes_is_taken_while_another_answer_is_on_its_way(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, DONE)
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, WORDS)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    stream = Held(page, "**/events?*")
    say(page, "Halo")
    stream.wait()
    until(lambda: office.call("Agent.list", status="completed")["runs"], "an answer that the page does not hear of")
    page.locator("[data-act=yes]").click()
    expect(page.locator(".card.letter")).to_contain_text("001/SKD/")
    expect(page.locator(".turn").nth(1)).to_have_class("turn sending")
    stream.let_go()
    expect(page.locator(".turn.completed")).to_have_count(2)


def test_a_no_that_comes_after_another_yes_shows_what_the_yes_brought(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, DONE)
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, WORDS)
    expect(page.locator("[data-act=no]")).to_be_visible()
    decided: list[str] = []

    def unseen(route: Route) -> None:
        body = route.request.post_data or ""
        decided.extend([body] if calls("Agent.approve")(body) else [])
        route.abort() if calls("Agent.get")(body) and not decided else route.continue_()

    page.route("**/rpc", unseen)  # what the page would look at now and then
    office.approve(office.waiting())
    page.locator("[data-act=no]").click()
    expect(page.locator(".card.letter")).to_contain_text("001/SKD/")
    expect(page.locator(".bubble.agent", has_text="Surat Anda selesai.")).to_have_count(1)
    assert len(decided) == 1


def test_a_stop_counts_before_the_words_have_reached_the_daemon(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(NEVER)
    page = open_page(office.url + "/chat", viewport=PHONE)
    start = Held(page, "**/rpc", calls("Agent.start"))
    say(page, "Halo")
    start.wait()
    with page.expect_response(lambda response: calls("Agent.cancel")(response.request.post_data or "")):
        page.locator("[data-act=stop]").click()
    start.let_go()
    expect(page.locator(".turn.cancelled")).to_contain_text("Dihentikan.")
    assert [run["status"] for run in office.call("Agent.list")["runs"]] == ["cancelled"]


def test_a_stop_is_kept_until_the_line_is_back(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(NEVER)
    page = open_page(office.url + "/chat", viewport=PHONE)
    say(page, "Halo")
    expect(page.get_by_text("Sedang berpikir…")).to_be_visible()
    page.context.set_offline(True)
    page.locator("[data-act=stop]").click()
    expect(page.locator("#link")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".turn.cancelled")).to_have_count(1)


def test_a_daemon_that_stops_fails_nothing_that_waits(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, DONE)
    page = open_page(office.url + "/chat", viewport=PHONE)
    said = {"code": -32016, "message": "", "data": {"type": "draining", "user_message": "sedang berhenti"}}
    refused: list[Route] = []

    def refuse(route: Route) -> None:
        if refused or not calls("Agent.get")(route.request.post_data or ""):
            return route.continue_()
        refused.append(route)
        return route.fulfill(json={"jsonrpc": "2.0", "id": 1, "error": said})

    say(page, WORDS)
    expect(page.locator("[data-act=yes]")).to_be_visible()
    page.route("**/rpc", refuse)
    office.approve(office.waiting())
    expect(page.locator(".card.letter")).to_contain_text("001/SKD/")
    assert refused
    expect(page.locator(".card.problem")).to_have_count(0)


def test_a_talk_that_began_with_a_form_outlives_a_reload(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office({"error": "unavailable"})
    page = open_page(office.url + "/chat", viewport=PHONE)
    page.locator("[data-letter=surat_keterangan_domisili]").click()
    fill_form(page)
    page.locator("[data-act=submit]").click()
    expect(page.locator("[data-act=yes]")).to_be_visible()
    page.reload()
    expect(page.locator("[data-act=yes]")).to_be_visible()


def test_a_plain_yes_is_not_tried_again_after_what_was_not_yet_on_the_screen(
    fresh_office: Office, open_page: Open
) -> None:
    office = fresh_office({"error": "unavailable"}, LETTER, DONE)
    first = open_page(office.url + "/chat", viewport=PHONE)
    say(first, "ya")
    again = first.get_by_role("button", name="Coba lagi")
    expect(again).to_be_visible()
    second = another_tab(first)
    stream = Held(first, "**/events?*")
    say(second, WORDS)
    expect(second.locator("[data-act=yes]")).to_be_visible()
    stream.wait()
    again.click()
    expect(first.get_by_text("Sebentar, jawaban sebelumnya")).to_be_visible()
    stream.let_go()
    expect(first.locator("[data-act=yes]")).to_be_visible()
    assert len(office.call("Agent.list")["runs"]) == 2
    assert not list(office.state.glob("letters/**/*.pdf"))


def test_an_older_look_at_the_desk_does_not_bring_back_what_was_decided(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, DONE, env={})
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    page = open_page(office.url + "/desk", token=TOKEN, viewport=DESK)
    card = page.locator("#pending article")
    expect(card).to_have_count(1)
    look = Held(page, "**/rpc", calls("Correction.list"))
    look.wait()  # the card is in its hand by now
    card.get_by_role("button", name="Setujui", exact=True).click()
    expect(page.locator("#letters tr[data-number]")).to_have_count(1)
    expect(card).to_have_count(0)
    page.evaluate(
        """() => new MutationObserver(() => (window.again ||= document.querySelector('#pending article') !== null))
          .observe(document.querySelector('#pending'), {childList: true})"""
    )
    with page.expect_request(lambda request: calls("Correction.list")(request.post_data or "")):
        look.let_go()  # the next look begins when this one has ended
    assert not page.evaluate("window.again")


def test_a_verdict_is_of_the_last_letter_asked_for_or_none(fresh_office: Office, open_page: Open) -> None:
    office = fresh_office(LETTER, DONE, env={})
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    letter = office.call("Agent.run", prompt="ya", session_id="budi")["steps"][-1]["output"]
    page = open_page(office.url + "/desk", token=TOKEN, viewport=DESK)
    verdict, genuine = page.locator("#verdict"), page.locator("[data-verdict=genuine]")

    def check(code: str) -> None:
        page.get_by_label("Kode pada surat").fill(code)
        page.get_by_role("button", name="Periksa").click()

    first = Held(page, "**/verify/*")
    check(letter["verify_code"])
    first.wait()
    check("AAAA-BBBB-CCCC")
    expect(page.locator("[data-verdict=unknown]")).to_be_visible()
    with page.expect_response("**/verify/*"):
        first.let_go()
    page.evaluate("new Promise((done) => setTimeout(done))")
    expect(page.locator("[data-verdict=unknown]")).to_be_visible()
    check(letter["verify_code"])
    expect(genuine).to_be_visible()
    page.context.set_offline(True)
    check("AAAA-BBBB-CCCC")
    expect(verdict).to_contain_text("Belum dapat diperiksa")
    expect(genuine).to_have_count(0)
