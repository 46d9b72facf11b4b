"""What a public screen keeps of a visit: nothing, however it ends."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Error as PlaywrightError

from agentd.access import TokenStore
from tests.daemon import Daemon, RpcFailed
from tests.web.conftest import ARGS, WHOLE_CHROMIUM
from tests.web.steps import pair, violations
from tests.web.test_kiosk import Open


def sessions(hall: Daemon) -> set[str]:
    return {one["session_id"] for one in hall.call("Session.list")["sessions"]}


def test_an_idle_kiosk_warns_then_forgets_everything(hall: Daemon, open_page: Open) -> None:
    others = sessions(hall)  # a tab of an earlier test that was closed in mid-answer
    page = open_page(hall.url + "/kiosk", prepare=lambda page: page.clock.install())
    page.get_by_role("button", name="Tanya hal lain").click()
    page.get_by_label("Tulis pesan").fill("Nama saya Siti Aminah")
    page.get_by_role("button", name="Kirim").first.click()
    expect(page.locator(".bubble.agent", has_text="Halo, Bu.")).to_be_visible()
    [session] = sessions(hall) - others

    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 61)  # from here on no time passes but what is told
    expect(page.get_by_role("dialog")).to_contain_text("30 detik")
    assert violations(page, paused=True) == []
    page.get_by_role("button", name="Ya, lanjutkan").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".bubble.you")).to_be_visible()

    page.clock.run_for(61_000)
    for _ in range(30):
        page.clock.run_for(1000)
    expect(page.get_by_role("heading", name="Selamat datang")).to_be_visible()
    assert "Siti" not in page.content()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert session not in kept and "Siti" not in kept
    with pytest.raises(RpcFailed, match="not_found:"):
        hall.call("Session.get", session_id=session)
    page.go_back()
    assert "Siti" not in page.content()


def test_a_crashed_tab_leaves_no_word_behind(hall: Daemon, open_page: Open) -> None:
    others = sessions(hall)
    page = open_page(hall.url + "/kiosk")
    page.get_by_role("button", name="Tanya hal lain").click()
    page.get_by_label("Tulis pesan").fill("Nama saya Siti Aminah")
    page.get_by_role("button", name="Kirim").first.click()
    expect(page.locator(".bubble.agent", has_text="Halo, Bu.")).to_be_visible()
    assert "Siti" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    other = page.context.new_page()
    other.goto(hall.url + "/kiosk")
    other.wait_for_selector("html[data-ready]")
    assert len(sessions(hall) - others) == 1  # a tab that lives keeps its own
    page.close()
    with other.expect_response(lambda answer: "Session.delete" in (answer.request.post_data or "")):
        other.reload()
    assert sessions(hall) <= others


def test_a_browser_that_is_ended_keeps_no_word_on_its_disk(hall: Daemon, chromium: Browser, tmp_path: Path) -> None:
    """What was sent, answered and typed is in no history, form memory, session to be restored or cache."""
    profile = tmp_path / "profile"
    context = chromium.browser_type.launch_persistent_context(profile, executable_path=WHOLE_CHROMIUM, args=ARGS)
    page = context.pages[0]
    page.goto(hall.url + "/kiosk")
    page.locator("#ask-else").click()
    page.get_by_label("Tulis pesan").fill("Nama saya Siti Aminah")
    page.locator("[data-act=send]").click()
    expect(page.locator(".bubble.agent", has_text="Halo, Bu.")).to_be_visible()
    page.get_by_label("Tulis pesan").fill("Siti belum selesai")
    context.close()  # it writes what it keeps: more than a crash would leave
    kept = b""
    for file in [each for each in profile.rglob("*") if each.is_file()]:
        with suppress(FileNotFoundError):  # its helpers are still clearing away what they kept
            kept += file.read_bytes()
    assert f"{hall.url}/kiosk".encode() in kept
    for word in ("Siti", "Halo, Bu"):
        assert word.encode() not in kept and word.encode("utf-16-le") not in kept


def test_another_origin_and_another_kiosk_see_nothing(own_guarded: Daemon, open_page: Open) -> None:
    book = TokenStore(own_guarded.state / "access.json")
    two = book.add("kiosk-2", frozenset({"kiosk"}), now=datetime.now(UTC))
    page = open_page(own_guarded.url + "/kiosk")
    pair(page, own_guarded, "kiosk-1")
    page.get_by_role("button", name="Tanya hal lain").click()
    page.get_by_label("Tulis pesan").fill("Halo")
    page.get_by_role("button", name="Kirim").first.click()
    expect(page.locator(".turn.completed")).to_be_visible()
    session = own_guarded.call("Session.list")["sessions"][0]
    asked = {"jsonrpc": "2.0", "id": 1, "method": "Session.get", "params": {"session_id": session["session_id"]}}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {two}"}
    request = {"method": "POST", "body": json.dumps(asked), "headers": headers}
    ask = "([url, request]) => fetch(url, request).then((answer) => answer.json())"
    answer = page.evaluate(ask, ["/rpc", request])
    assert answer["error"]["data"]["type"] == "not_found"
    foreign = page.context.new_page()  # about:blank is another origin
    with pytest.raises(PlaywrightError, match="Failed to fetch"):
        foreign.evaluate(ask, [own_guarded.url + "/rpc", request])
