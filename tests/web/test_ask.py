"""The page for questions to the books, over the wire form of Analytics.ask (seed 003; issue 10, /ask)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.daemon import TOKEN, Daemon
from tests.web.steps import violations

ANSWER: dict[str, Any] = json.loads(Path(__file__).with_name("analytics_answer.json").read_text())


def answering(result: dict[str, Any]) -> Callable[[Page], None]:
    """Let the page get this as the daemon's answer to Analytics.ask: the real wire form, without an engine."""

    def fulfil(route: Route) -> None:
        asked = json.loads(route.request.post_data or "{}")
        if asked["method"] == "Analytics.ask":
            route.fulfill(json={"jsonrpc": "2.0", "id": asked["id"], "result": result})
        else:
            route.continue_()

    return lambda page: page.route("**/rpc", fulfil)


def test_an_answer_shows_its_figures_its_table_and_how_it_was_found(
    guarded: Daemon, open_page: Callable[..., Page]
) -> None:
    desk = {"viewport": {"width": 1366, "height": 900}, "accept_downloads": True}
    page = open_page(f"{guarded.url}/ask#token={TOKEN}", prepare=answering(ANSWER), **desk)
    page.get_by_label("Pertanyaan").fill("Berapa penjualan tiap bulan?")
    page.get_by_role("button", name="Tanya", exact=True).dblclick()
    answer = page.locator(".answer")
    expect(answer).to_have_count(1)
    for text in (ANSWER["final_narrative"], "92 / 100", "lolos dengan catatan", ANSWER["warnings_for_display"][0]):
        expect(answer).to_contain_text(text)
    expect(answer.get_by_role("img", name="total penjualan menurut bulan")).to_be_visible()
    page.get_by_role("button", name="total penjualan").click()
    cells = answer.locator("tbody tr td:first-child").all_inner_texts()
    assert cells == ["2025-01", "2025-02", "2025-04", "2025-03"]  # by value, not by letters
    page.get_by_text("Rencana dan SQL").click()
    expect(answer).to_contain_text("SELECT strftime")
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Simpan CSV").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert saved.splitlines()[:2] == ["bulan,total_penjualan,catatan", "2025-01,Rp 1.250.000,'=1+1"]


def test_a_question_that_cannot_be_answered_says_what_to_do(guarded: Daemon, open_page: Callable[..., Page]) -> None:
    error = {
        "success": False,
        "error_source_node": "understand_query",
        "user_message": "Periode waktunya belum jelas.",
        "technical_details_for_log": None,
        "session_id": "s",
        "suggestions": ["Sebutkan bulan dan tahunnya."],
    }
    failed = {"run_id": "r", "session_id": "s", "status": "failed", "warnings_for_display": [], "error": error}
    page = open_page(f"{guarded.url}/ask#token={TOKEN}", prepare=answering(failed))
    page.get_by_label("Pertanyaan").fill("Berapa?")
    page.get_by_label("Pertanyaan").press("Enter")
    problem = page.locator(".answer .problem")
    expect(problem).to_contain_text("Periode waktunya belum jelas.")
    expect(problem).to_contain_text("Sebutkan bulan dan tahunnya.")
    assert violations(page) == []
