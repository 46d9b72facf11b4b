"""What a code or a link opens, in every language: how a request stands, the sign-in from a chat, the kiosk's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from agentd.agent.languages import LANGUAGES
from tests.bridges.channels.telegram_server import TelegramServer
from tests.daemon import READY_S, Daemon, running
from tests.e2e.register import WITH_OFFICERS, arrived, residents
from tests.e2e.test_main_job import LETTER
from tests.e2e.test_telegram import ENV, config
from tests.web.steps import pair
from tests.web.test_layout import FINGER, LEAST, PHONE, PORTRAIT, Walk

BUDI = residents()[0]
NO_MODEL = '{"error": "unavailable"}'
ADDRESS = "https://surat.example"


@pytest.fixture(scope="module")
def telegram() -> Iterator[TelegramServer]:
    with TelegramServer() as server:
        yield server


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, telegram: TelegramServer) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("plain")
    with running(folder, NO_MODEL, config=config(telegram, WITH_OFFICERS, ADDRESS), env=ENV) as daemon:
        yield daemon


@pytest.fixture
def walk(chromium: Browser) -> Iterator[Walk]:
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.set_default_timeout(READY_S * 1000)
    yield Walk(page, LEAST)
    context.close()


def linked(telegram: TelegramServer, chat: int) -> bool:
    return any(f"{ADDRESS}/masuk/" in text for text in telegram.texts(chat))


def in_language(walk: Walk, screen: str, language: str) -> None:
    """Look at the screen, and at the language that it says it is in."""
    walk.look(f"{screen} in {language}")
    if walk.page.locator("html").get_attribute("lang") != language:
        walk.faults.append(f"{screen} is not in {language}")


def test_how_a_request_stands_is_shown_without_fault_in_every_language(office: Daemon, walk: Walk) -> None:
    screen = arrived(office)
    screen.says("Saya mau surat", options={"tool_hint": LETTER["tool"], "tool_arguments": LETTER["input"]})
    screen.says("ya")
    (request,) = screen.call("Request.list")["requests"]
    for language in sorted(LANGUAGES):
        for code, status in ((request["code"], 200), ("AAAA-AAAA-AAAA-AAAA", 404)):
            answer = walk.page.goto(f"{office.url}/status/{code}?lang={language}")
            assert answer is not None and answer.status == status
            in_language(walk, f"/status {status}", language)
    assert walk.faults == []


def test_a_chats_sign_in_has_no_fault_in_every_language(office: Daemon, telegram: TelegramServer, walk: Walk) -> None:
    page = walk.page
    for chat, language in enumerate(sorted(LANGUAGES), start=500):
        telegram.write("masuk", chat, **{"from": {"id": chat, "is_bot": False, "language_code": language}})
        telegram.wait(partial(linked, telegram, chat))
        link = office.url + telegram.texts(chat)[-1].split(ADDRESS)[1].split()[0]
        page.goto(link)
        in_language(walk, "the form", language)
        page.locator("[name=nik]").fill(BUDI["nik"])
        page.locator("[name=pin]").fill(BUDI["pin"])
        page.locator("button").click()
        expect(page.locator("strong")).to_be_visible()
        in_language(walk, "the number", language)
        page.goto(f"{link}?lang={language}")
        in_language(walk, "a link that was used", language)
    assert walk.faults == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_kiosks_sign_in_has_no_fault_in_every_language(
    office: Daemon, open_page: Callable[..., Page], language: str
) -> None:
    page = open_page(f"{office.url}/kiosk?lang={language}", viewport=PORTRAIT, reduced_motion="reduce")
    walk = Walk(page, FINGER)
    in_language(walk, "pairing", language)
    pair(page, office, f"plain-{language}")
    in_language(walk, "entrance", language)
    walk.click("#sign-in")
    expect(page.locator("[name=nik]")).to_be_visible()
    in_language(walk, "signing in", language)
    assert walk.faults == []
