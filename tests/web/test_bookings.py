"""An official tool that is no letter, on the chat page: its card has its own title, no letter's words, no picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.daemon import HEAD, Daemon, call, final, server_entry
from tests.web.steps import violations

SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("sports")

@server.tool(title="Book a court", meta={"agentd/official": True})
def book_court(court: str) -> str:
    return f"Court {court} is yours"

server.run()
"""


def test_the_card_of_a_booking_speaks_of_no_letter(
    tmp_path: Path, fresh_office: Callable[..., Daemon], open_page: Callable[..., Page]
) -> None:
    (tmp_path / "sports.py").write_text(SERVER)
    config = HEAD + server_entry("sports", "sports.py", workdir=str(tmp_path))
    office = fresh_office(call("book_court", court="Mawar"), final("Court Mawar is yours."), config=config)
    page = open_page(office.url + "/chat")
    page.locator("#language").click()
    page.get_by_label("Write a message").fill("Please book court Mawar. Court: Mawar")
    page.get_by_label("Write a message").press("Enter")
    card = page.locator(".card.approval")
    expect(card).to_contain_text("Book a court")
    assert "letter" not in card.inner_text().lower()
    expect(card.locator(".preview")).to_have_count(0)
    assert violations(page) == []
    card.locator("[data-act=edit]").click()
    assert "letter" not in page.locator("#form").inner_text().lower()
    page.get_by_role("button", name="Back").click()
    card.locator("[data-act=yes]").click()
    expect(page.locator("#turns").get_by_text("Court Mawar is yours.")).to_be_visible()
