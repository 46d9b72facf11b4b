"""What a person does on the pages, and what axe-core says of them. Not a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.e2e.test_main_job import LETTER

FIELDS: dict[str, str] = LETTER["input"]
AXE = Path(__file__).parent.parent / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong on the page as it is now: `rule: where`."""
    page.evaluate(AXE.read_text() + ";0")
    found: Any = page.evaluate("(tags) => axe.run({runOnly: tags})", RULES)
    return [f"{one['id']}: {node['html'][:120]}" for one in found["violations"] for node in one["nodes"]]


def tap_in(page: Page, field: str, text: str) -> None:
    """Type into a field by the on-screen keyboard, key by key."""
    page.locator(f"[name={field}]").tap()
    keys = page.locator("#keyboard button")
    for char in text:
        if char == " ":
            keys.filter(has_text="spasi").tap()
            continue
        key = keys.get_by_text(char, exact=True)
        if key.count() == 0:
            keys.filter(has_text="⇧").tap()
        key.first.tap()


def fill_form(page: Page, values: dict[str, str] = FIELDS) -> None:
    """Fill the open form as a keyboard or a finger would, field by field."""
    for name, value in values.items():
        field = page.locator(f"[data-field={name}]")
        if field.locator("input[type=radio]").count():
            field.get_by_text(value, exact=True).click()
        else:
            field.locator("input").fill("15011990" if name == "tanggal_lahir" else value)


def note_prints(page: Page) -> None:
    """Let the page say in `data-printed` what it would have printed, instead of printing it."""
    page.evaluate(
        """() => {
          window.print = () => {
            const printed = document.querySelector('.printed');
            const pages = printed.querySelectorAll('img').length;
            document.body.dataset.printed = pages ? `${pages} page` : printed.innerText || printed.textContent;
            dispatchEvent(new Event('afterprint'));
          };
        }"""
    )
