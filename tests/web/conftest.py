"""A real Chromium and a real daemon for the tests of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.daemon import HEAD, READY_S, SERVERS, Daemon, final, one_daemon, running
from tests.web.steps import enter

CHROMIUM = "/usr/bin/chromium-headless-shell"
"""Chromium without windows and their processes, which would take a third of the tests' time."""
WHOLE_CHROMIUM = "/usr/bin/chromium"
ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
NO_TOKEN = {"AGENTD_TOKEN": ""}
"""A fresh machine: the daemon's own page is a kiosk, and no token is needed."""
LETTERS = HEAD + SERVERS["certificate"]
"""Only the server that the pages show, because a server takes as long to start as the daemon."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of this package; closed before tests with their own event loops start."""
    if not Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing; run: apt-get install -y chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        expect.set_options(timeout=READY_S * 1000)  # a busy machine may be slow
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """`open_page(url, token=…, **context options)` → a ready page in its own browser profile.

    The test fails at the end if the page reported an error (a CSP violation, an exception).
    """
    complaints: list[str] = []
    contexts = []

    def opened(url: str, *, token: str = "", prepare: Callable[[Page], Any] = lambda _: None, **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1080, "height": 1920}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(READY_S * 1000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        prepare(page)
        page.goto(url)
        page.wait_for_selector("html[data-ready]")
        if token:
            enter(page, token)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def fresh_office(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """`fresh_office(*turns, env={})` → a running daemon without tokens."""
    started: list[Daemon] = []

    def start(*turns: Any, config: str = LETTERS, env: dict[str, str] = NO_TOKEN) -> Daemon:
        folder = tmp_path / f"office-{len(started)}"
        folder.mkdir()
        daemon = Daemon(folder, turns, config, env).start()
        started.append(daemon)
        return daemon

    yield start
    for daemon in started:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill(15)


hall = one_daemon(final("Halo, Bu."), config=LETTERS, env=NO_TOKEN, scope="package")
"""A fresh machine whose model only greets, for tests that leave no session behind."""


guarded = one_daemon(final("Halo, Pak."), config=LETTERS, scope="package")
"""An office where everyone needs a token, for tests that leave no session, token or wrong token behind."""


@pytest.fixture
def own_guarded(tmp_path: Path) -> Iterator[Daemon]:
    """An office like `guarded` for one test: ten wrong tokens lock an address for a minute."""
    with running(tmp_path, final("Halo, Pak."), config=LETTERS) as daemon:
        yield daemon
