"""Every screen at the sizes of issue 10: nothing sideways or cut off, targets that a finger hits, no fault by axe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from agentd.agent.languages import LANGUAGES
from tests.daemon import TOKEN, Daemon, call, final, one_daemon
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.conftest import LETTERS, NO_TOKEN
from tests.web.steps import fill_form, layout_faults, violations
from tests.web.test_ask import ANSWER, FOUND, answering

Open = Callable[..., Page]
PART = call(LETTER["tool"], nama="Budi Santoso", nik=LETTER["input"]["nik"])
TALK = (PART, final("Baik. Mohon lengkapi data."), LETTER, final("Surat Anda selesai."), {"error": "unavailable"})
ASKED_BACK = {
    "run_id": "r",
    "status": "needs_clarification",
    "clarification": {"question": "Berapa?", "lacks": "period", "choices": ["Berapa bulan ini?", "Berapa tahun ini?"]},
    "error": {"user_message": "Periode waktunya belum jelas.", "suggestions": ["Sebutkan bulannya."]},
}
PORTRAIT: ViewportSize = {"width": 1080, "height": 1920}
LANDSCAPE: ViewportSize = {"width": 1920, "height": 1080}
PHONE: ViewportSize = {"width": 360, "height": 740}
FINGER, LEAST = 72, 24
"""Pixels of a target: on the kiosk (issue 10), and anywhere (WCAG 2.2, 2.5.8)."""


office = one_daemon(*TALK, config=LETTERS, env=NO_TOKEN)


class Walk:
    """A page, and what was found wrong on its screens."""

    def __init__(self, page: Page, least: int) -> None:
        self.page = page
        self.least = least
        self.faults: list[str] = []

    def look(self, screen: str) -> None:
        """Note what is wrong with the screen as it is now."""
        self.faults += [
            f"{screen}: {fault}" for fault in (*layout_faults(self.page, self.least), *violations(self.page))
        ]

    def click(self, selector: str) -> None:
        self.page.locator(selector).first.click()


def facts(walk: Walk) -> None:
    """From where a citizen writes to the form that opens at one of the facts."""
    walk.page.locator("#message").fill("Saya mau surat domisili. Nama saya Budi Santoso, NIK 3175061501900003")
    walk.click("[data-act=send]")
    expect(walk.page.locator("#facts .missing").first).to_be_visible()
    walk.look("facts")
    walk.click("#facts [data-field=nik]")


def letter(walk: Walk) -> None:
    """From the open form of what is missing to the letter, and to a failure after it."""
    page = walk.page
    walk.click("[data-act=submit]")
    expect(page.locator("#form-note")).not_to_be_empty()
    walk.click("summary")
    walk.look("what is missing")
    fill_form(page)
    walk.click("[data-act=submit]")
    expect(page.locator("[data-act=zoom]")).to_be_visible()
    walk.look("check")
    walk.click("[data-act=zoom]")
    walk.look("enlarged")
    walk.click("[data-act=close]")
    walk.click("[data-act=yes]")
    expect(page.locator(".turn.completed .card.letter")).to_be_visible()
    walk.look("letter")
    page.locator("#message").fill("Terima kasih")
    walk.click("[data-act=send]")
    expect(page.locator(".card.problem")).to_be_visible()
    walk.look("problem")


@pytest.mark.parametrize(
    ("screen", "language", "least"),
    [(PORTRAIT, "id", FINGER), (LANDSCAPE, "en", FINGER), (PHONE, "en", LEAST), (PORTRAIT, "jv", FINGER)],
    ids=["portrait", "landscape", "phone", "portrait-jv"],
)
def test_every_screen_of_the_kiosk_fits(
    office: Daemon, open_page: Open, screen: ViewportSize, language: str, least: int
) -> None:
    page = open_page(f"{office.url}/kiosk?lang={language}", viewport=screen, reduced_motion="reduce")
    walk = Walk(page, least)
    walk.look("start")
    walk.click("#ask-else")
    walk.look("letters")
    page.locator("#keyboard .wide", has_text="123").click()
    walk.look("marks")
    facts(walk)
    expect(page.locator("#keyboard.digits")).to_be_visible()
    walk.look("digits")
    walk.click("[name=tempat_lahir]")
    walk.look("form")
    letter(walk)
    page.goto(f"{office.url}/kiosk?lang={language}&idle=1")
    walk.click("#ask-else")
    expect(page.locator("#idle[open]")).to_be_visible()
    walk.look("idle")
    assert walk.faults == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_screen_of_the_chat_fits_a_phone(office: Daemon, open_page: Open, language: str) -> None:
    page = open_page(f"{office.url}/chat?lang={language}", viewport=PHONE, reduced_motion="reduce")
    walk = Walk(page, LEAST)
    walk.look("start")
    facts(walk)
    walk.look("form")
    letter(walk)
    assert walk.faults == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_officers_pages_fit(
    fresh_office: Callable[..., Daemon], guarded: Daemon, open_page: Open, language: str
) -> None:
    desk_office, asked = fresh_office(LETTER, final("Selesai."), env={}), f"?lang={language}"
    for session, words in (("a", WORDS), ("a", "ya"), ("b", WORDS)):
        desk_office.call("Agent.run", prompt=words, session_id=session)
    desk = Walk(open_page(f"{desk_office.url}/desk{asked}", token=TOKEN, viewport=PHONE), LEAST)
    books = Walk(open_page(f"{guarded.url}/ask{asked}", token=TOKEN, prepare=answering(ANSWER), viewport=PHONE), LEAST)
    books.page.locator("#question").fill("Berapa?")
    books.click("#go")
    books.click(".answer > details > summary")
    for screen in (PHONE, LANDSCAPE):
        for walk in (desk, books):
            walk.page.set_viewport_size(screen)
            walk.look("page")
        for dialog in ("edit", "void"):
            desk.click(f"[data-act={dialog}]")
            expect(desk.page.locator(f"#{dialog}[open]")).to_be_visible()
            desk.look(dialog)
            desk.page.keyboard.press("Escape")
    assert desk.faults + books.faults == []


@pytest.mark.parametrize(("language", "scheme"), [("en", "dark"), ("id", "light"), ("jv", "dark")])
def test_every_page_has_no_fault_in_every_language(
    hall: Daemon, guarded: Daemon, open_page: Open, language: str, scheme: str
) -> None:
    """As it opens, light and dark; of the officers' pages what asks for their code, too."""
    asked = f"?lang={language}"
    faults: list[str] = []
    phone: dict[str, Any] = {"viewport": PHONE, "color_scheme": scheme}

    def look(page: Page, screen: str) -> None:
        walk = Walk(page, LEAST)
        walk.look(screen)
        faults.extend(walk.faults)
        if page.locator("html").get_attribute("lang") != language:
            faults.append(f"{screen} is not in {language}")

    for path in ("/kiosk", "/chat"):
        look(page := open_page(hall.url + path + asked, **phone), path)
    for path in ("/verify", "/verify/AAAA-AAAA-AAAA"):  # without scripts
        page.goto(hall.url + path + asked)
        look(page, path)
    for path in ("/desk", "/ask"):
        for token in ("", TOKEN):
            look(open_page(guarded.url + path + asked, token=token, **phone), f"{path} {token}")
    assert faults == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_answer_of_the_page_for_questions_has_no_fault_in_every_language(
    guarded: Daemon, open_page: Open, language: str
) -> None:
    """Figures with their chart and plan, a question asked back, and what a graph answers."""
    faults: list[str] = []
    for answer, method in ((ANSWER, "Analytics.ask"), (ASKED_BACK, "Analytics.ask"), (FOUND, "Graph.ask")):
        prepare = answering(answer, method)
        page = open_page(f"{guarded.url}/ask?lang={language}", token=TOKEN, prepare=prepare, viewport=PHONE)
        page.locator("#source").select_option(method)
        page.locator("#question").fill("Berapa?")
        page.locator("#go").click()
        expect(page.locator(".answer")).to_be_visible()
        for closed in page.locator(".answer > details > summary").all():
            closed.click()
        walk = Walk(page, LEAST)
        walk.look(f"{answer['status']} of {method}")
        faults += walk.faults
    assert faults == []
