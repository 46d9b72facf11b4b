"""Creates the pictures of every screen in docs/screens from a real daemon and a real Chromium. Not a test.

python -m tests.web.screens            all of them
python -m tests.web.screens register   those of an office with a register of residents
python -m tests.web.screens languages  the chat in each of the daemon's languages
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.daemon import SERVERS, TOKEN, Daemon, call, final, running
from tests.e2e.register import REGISTER, WITH_OFFICERS, residents
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.conftest import ARGS, CHROMIUM, NO_TOKEN
from tests.web.steps import FIELDS, enter, fill_form, pair
from tests.web.test_ask import ANSWER, answering

FOLDER = Path(__file__).parents[2] / "docs/screens"
PORTRAIT = {"width": 1080, "height": 1920}
LANDSCAPE = {"width": 1920, "height": 1080}
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1366, "height": 900}
TODAY = {"AGENTD_CLOCK": "2026-01-05T09:00:00+07:00+"}
PAIRED = datetime.fromisoformat("2026-01-05T09:04:00+07:00")
"""Shortly after the daemon's start on its clock; an earlier pairing would count as before the clock was set."""
PART = call(LETTER["tool"], nama="Budi Santoso", nik=LETTER["input"]["nik"])
TALK = (
    PART,
    final("Baik, Pak Budi. Mohon lengkapi data yang belum terisi."),
    LETTER,
    final("Surat Anda sudah terbit."),
)

SPOKEN = {
    "id": (
        "Saya mau surat domisili. Nama saya Budi Santoso, NIK {nik}",
        "Baik, Pak Budi. Mohon lengkapi data yang belum terisi.",
    ),
    "en": (
        "I need a domicile letter. My name is Budi Santoso, NIK {nik}",
        "Thank you, Budi. Please fill in what is still missing.",
    ),
    "jv": (
        "Kula nyuwun surat domisili. Nami kula Budi Santoso, NIK {nik}",
        "Inggih, Pak Budi. Nyuwun dipunjangkepi data ingkang dereng wonten.",
    ),
}


def main() -> None:
    """Create the pictures that the arguments select, by default all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        if "register" not in sys.argv:
            languages(browser)
        if "languages" in sys.argv:
            return
        if "register" not in sys.argv:
            with office(*TALK, env=NO_TOKEN) as daemon:
                kiosk(browser, daemon)
                chat(browser, daemon)
            with office(LETTER, final("Selesai."), env={}) as daemon:
                staff(browser, daemon)
        with office(final("Halo."), env={}, config=WITH_OFFICERS + SERVERS["certificate"] + REGISTER) as daemon:
            resident(browser, daemon)
            request(browser, daemon)
        browser.close()


def kiosk(browser: Browser, daemon: Daemon) -> None:
    """The citizen's path from the start to the letter, and the kiosk's special screens."""
    with page_of(browser, daemon.url + "/kiosk?idle=2", PORTRAIT) as page:
        page.get_by_role("button", name="Tanya hal lain").click()
        page.locator("#idle[open]").wait_for()
        shot(page, "kiosk-idle")
    with page_of(browser, daemon.url + "/kiosk", PORTRAIT) as page:
        page.locator(".service").nth(4).wait_for()
        shot(page, "kiosk-start")
        page.set_viewport_size(LANDSCAPE)
        shot(page, "kiosk-start-landscape")
        page.locator("#contrast").click()
        shot(page, "kiosk-contrast")
        page.locator("#contrast").click()
        page.get_by_role("button", name="Tanya hal lain").click()
        page.get_by_label("Tulis pesan").fill("Saya mau surat domisili. Nama saya Budi Santoso")
        shot(page, "kiosk-keyboard-landscape")
        page.locator("[data-act=send]").click()
        page.locator("#facts .missing").first.wait_for()
        shot(page, "kiosk-facts-landscape")
        page.set_viewport_size(PORTRAIT)
        shot(page, "kiosk-facts")
        page.locator("#facts [data-field=nik]").click()
        page.locator("[name=nik]").fill("31750615")
        shot(page, "kiosk-form")
        fill_form(page)
        page.locator("[data-act=submit]").click()
        page.locator(".preview img").wait_for()
        shot(page, "kiosk-approval")
        page.set_viewport_size(LANDSCAPE)
        page.locator(".card.approval").scroll_into_view_if_needed()
        shot(page, "kiosk-approval-landscape")
        page.set_viewport_size(PORTRAIT)
        page.locator("[data-act=yes]").click()
        page.locator(".turn.completed .card.letter").wait_for()
        shot(page, "kiosk-letter")


def languages(browser: Browser) -> None:
    """The same request in each language, with the card of what the letter has and needs."""
    for language, (asks, answers) in SPOKEN.items():
        with (
            office(PART, final(answers), env=NO_TOKEN) as daemon,
            page_of(browser, f"{daemon.url}/chat?lang={language}", PHONE) as page,
        ):
            page.locator("#message").fill(asks.format(nik=LETTER["input"]["nik"]))
            page.locator("[data-act=send]").click()
            page.locator("#facts li.known").first.wait_for()
            shot(page, f"chat-{language}")


def chat(browser: Browser, daemon: Daemon) -> None:
    with page_of(browser, daemon.url + "/chat", PHONE) as page:
        shot(page, "chat-start")
        page.get_by_label("Tulis pesan").fill("Saya mau surat domisili. Nama saya Budi Santoso")
        page.get_by_label("Tulis pesan").press("Enter")
        page.locator("#facts .missing").first.wait_for()
        shot(page, "chat-facts")
        page.locator("#facts [data-field=nik]").click()
        shot(page, "chat-form")
        fill_form(page)
        page.locator("[data-act=submit]").click()
        page.locator(".preview img").wait_for()
        shot(page, "chat-approval")
        page.locator("[data-act=yes]").click()
        page.locator(".turn.completed .card.letter").wait_for()
        shot(page, "chat-letter")
        code = page.locator(".qr img").get_attribute("src") or ""
        page.goto(f"{daemon.url}/verify/{code.rpartition('%2F')[2]}")
        shot(page, "verify-genuine")
        page.goto(f"{daemon.url}/verify/AAAA-BBBB-CCCC-DDDD")
        shot(page, "verify-unknown")


def staff(browser: Browser, daemon: Daemon) -> None:
    """The desk and the books."""
    daemon.call("Agent.run", prompt=WORDS, session_id="a")
    issued = daemon.call("Agent.run", prompt="ya", session_id="a")
    daemon.call("Agent.run", prompt=WORDS, session_id="b")
    with page_of(browser, daemon.url + "/desk", DESK) as page:
        shot(page, "desk-login")
    with page_of(browser, daemon.url + "/desk", DESK) as page:
        enter(page, TOKEN)
        page.get_by_label("Kode pada surat").fill(issued["steps"][-1]["output"]["verify_code"])
        page.get_by_role("button", name="Periksa").click()
        page.locator("[data-verdict=genuine]").wait_for()
        shot(page, "desk", whole=True)
    with page_of(browser, daemon.url + "/ask", DESK, answering(ANSWER)) as page:
        enter(page, TOKEN)
        page.get_by_label("Pertanyaan").fill("Berapa penjualan tiap bulan di 2025?")
        page.get_by_role("button", name="Tanya", exact=True).click()
        page.locator(".answer summary").first.click()
        page.wait_for_timeout(1500)  # until the chart's animation has ended
        shot(page, "ask", whole=True)


def resident(browser: Browser, daemon: Daemon) -> None:
    """A resident who signs in and gets a letter by taps."""
    budi = residents()[0]
    with page_of(browser, daemon.url + "/kiosk", PORTRAIT) as page:
        pair(page, daemon, "kiosk-lobi", PAIRED)
        shot(page, "kiosk-entrance")
        page.locator("#sign-in").click()
        page.locator("[name=nik]").fill(budi["nik"])
        page.locator("[name=pin]").fill(budi["pin"])
        shot(page, "kiosk-sign-in")
        page.locator("[data-act=enter]").click()
        page.locator("#who").wait_for()
        shot(page, "kiosk-letters")
        page.locator("[data-letter=surat_keterangan_domisili]").click()
        page.locator(".suggested button").first.click()
        shot(page, "kiosk-purpose")
        page.locator("[data-act=submit]").click()
        page.locator(".preview img").wait_for()
        shot(page, "kiosk-registered")


def request(browser: Browser, daemon: Daemon) -> None:
    """A visitor without a PIN, and the officer who reviews the request."""
    with page_of(browser, daemon.url + "/kiosk", PORTRAIT) as page:
        pair(page, daemon, "kiosk-2", PAIRED)
        page.locator("#without-pin").click()
        page.locator("[data-letter=surat_keterangan_domisili]").click()
        budi = residents()[0]
        fill_form(page, {**FIELDS, "nik": budi["nik"], "tanggal_lahir": budi["tanggal_lahir"]})
        page.locator("[data-act=submit]").click()
        page.locator("[data-act=yes]").click()
        page.locator("[data-act=slip]").wait_for()
        shot(page, "kiosk-request")
        with page_of(browser, daemon.url + "/desk", {**DESK, "height": 1500}) as desk:
            enter(desk, TOKEN)
            desk.locator("[data-differs]").first.wait_for()
            shot(desk, "desk-request")


@contextmanager
def office(*turns: Any, env: dict[str, str], config: str | None = None) -> Iterator[Daemon]:
    """A daemon on a fixed day, so that pictures differ only when the pages do."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), *turns, config=config, env={**env, **TODAY}) as daemon,
    ):
        yield daemon


@contextmanager
def page_of(
    browser: Browser, url: str, viewport: dict[str, int], prepare: Callable[[Page], Any] = lambda _: None
) -> Iterator[Page]:
    """A ready page without animations."""
    context = browser.new_context(viewport=viewport, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    prepare(page)
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("body")).to_be_visible()
    yield page
    context.close()


def shot(page: Page, name: str, whole: bool = False) -> None:
    """Save one picture with few colours to keep it small."""
    file = FOLDER / f"{name}.png"
    page.wait_for_function("() => [...document.images].every((image) => image.complete && image.naturalWidth)")
    page.screenshot(path=file, full_page=whole, animations="disabled")
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(64)
    small.save(file, optimize=True)
    print(f"{file.name}: {file.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
