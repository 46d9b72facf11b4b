"""A person's actions on the pages, and axe-core's checks of them. Not a test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Download, Locator, Page, Route, expect

from agentd.access import TokenStore
from agentd.apps.letters.evidence.normalisers.days import parse
from agentd.apps.pairing.codes import Pairing
from tests.daemon import Daemon
from tests.e2e.test_main_job import LETTER

FIELDS: dict[str, str] = LETTER["input"]
AXE = Path(__file__).parent.parent / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE_OPTIONS = {"runOnly": RULES, "resultTypes": ["violations"], "preload": False, "selectors": False}
"""Nothing is fetched for rules on sound and on locked orientation; faults are told by their HTML, not by selectors."""


def violations(page: Page, *, paused: bool = False) -> list[str]:
    """axe-core's violations on the current page: `rule: where`.

    `paused`: the page's clock is stopped; it is advanced by 1 ms at a time, because axe waits for zero-delay timers.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text() + ";0")
    page.evaluate("(options) => { self.found = axe.run(options); }", AXE_OPTIONS)
    if paused:
        page.evaluate("() => { found.finally(() => { self.looked = true; }); }")
        while not page.evaluate("self.looked"):
            page.clock.run_for(1)
    found: Any = page.evaluate("found")
    return [f"{one['id']}: {node['html'][:120]}" for one in found["violations"] for node in one["nodes"]]


def enter(page: Page, token: str) -> None:
    """Enter the token in the page's login form."""
    page.locator("#token").fill(token)
    page.locator("#login button").click()
    expect(page.locator("#login")).to_be_hidden()


def pair(page: Page, daemon: Daemon, name: str, now: datetime | None = None) -> None:
    """Enter the six digits of `agentd kiosk pair` at a kiosk without a token. `now` is the daemon's time."""
    pairing = Pairing(daemon.state, TokenStore(daemon.state / "access.json"))
    code, _ = pairing.begin(name, now or datetime.now(UTC))
    page.locator("#pair-code").fill(code)
    page.locator("#pair button").click()
    expect(page.locator("#pair")).to_have_count(0)
    page.wait_for_selector("html[data-ready]")


def tap_in(page: Page, field: str, text: str) -> None:
    """Type into a field with the on-screen keyboard, key by key."""
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


def _typed(name: str, value: str) -> str:
    """The keys for a value; a date as digits, day first."""
    return f"{parse(value):%d%m%Y}" if name == "tanggal_lahir" else value


def fill_form(page: Page, values: dict[str, str] = FIELDS) -> None:
    """Fill the open form field by field, as a keyboard or a finger would."""
    for name, value in values.items():
        field = page.locator(f"[data-field={name}]")
        if field.locator("input[type=radio]").count():
            field.get_by_text(value, exact=True).click()
        else:
            field.locator("input").fill(_typed(name, value))


def note_prints(page: Page) -> None:
    """Make the page record in `data-printed` what it would print, instead of printing it."""
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


FOCUS = """async () => {
  while (document.querySelector('.settling')) await new Promise((done) => setTimeout(done, 20));
  const node = document.activeElement, {act, field, letter} = node.dataset;
  const name = act || node.name || letter || node.id || field || node.classList[0] || node.tagName.toLowerCase();
  return [name, fault()];

  function fault() {
    if (node === document.body) return 'lost';
    const drawn = node.matches('.choices input') ? node.nextElementSibling : node.closest('.drop') ?? node;
    const style = getComputedStyle(drawn);
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) return 'without a ring';
    const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)
      .map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05);
    let ground = parseFloat(style.outlineOffset) < 0 ? drawn : drawn.parentElement;
    while (/, 0\\)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    const [ring, under] = [light(style.outlineColor), light(getComputedStyle(ground).backgroundColor)];
    if (Math.max(ring, under) / Math.min(ring, under) < 3) return 'with a ring that is hard to see';
    const box = drawn.getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const hit = document.elementFromPoint(box.x + box.width / 2, (top + bottom) / 2);
    return drawn.contains(hit) ? '' : 'out of sight';
  }
}"""
"""The focused control's name and its fault, read once no control is still settling."""


def focused(page: Page) -> str:
    """The focused control's name; fails unless the focus is visible (WCAG 2.2, 2.4.7, 2.4.11, 1.4.11)."""
    name, fault = page.evaluate(FOCUS)
    assert not fault, f"the focus is {fault}: {name}"
    return str(name)


def keys_to(page: Page, name: str, key: str = "Tab") -> list[str]:
    """Press Tab (or another key) until the named control has the focus; return the stops on the way."""
    stops: list[str] = []
    while name not in stops:
        page.keyboard.press(key)
        stop, fault = page.evaluate(FOCUS)
        assert fault in ("", "lost"), f"the focus is {fault}: {stop}"
        stops.append("edge" if fault == "lost" else stop)
        assert stops.count("edge") < 3 and len(stops) < 60, f"{key} never comes to {name}: {stops}"
    return stops


def type_form(page: Page, values: dict[str, str] = FIELDS) -> list[str]:
    """Fill the open form with the keyboard, starting at its focused first field; return the stops."""
    stops = [focused(page)]
    for name, value in values.items():
        if stops[-1] != name:
            stops += keys_to(page, name)
        radio = page.locator(f"[name={name}]:focus[type=radio]")
        if radio.count() == 0:
            page.keyboard.type(_typed(name, value))
            continue
        for _ in range(12):
            if radio.get_attribute("value") == value:
                break
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        expect(page.locator(f"[name={name}]:checked")).to_have_value(value)
    return stops


LAYOUT_FAULTS = """(least) => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  const still = getComputedStyle(document.body).overflowY === 'hidden';
  const top = document.querySelector('dialog[open]') ?? document.body;
  const seen = (node) => node.checkVisibility({visibilityProperty: true}) && getComputedStyle(node).opacity !== '0'
    && !node.closest('.sr-only');
  for (const node of top.querySelectorAll('*')) {
    const way = getComputedStyle(node).overflowX;
    const sideways = node.scrollWidth > node.clientWidth + 1 && ['auto', 'scroll', 'hidden'].includes(way);
    const mayScroll = node.matches('.table, .sr-only, input, textarea, pre');
    if (seen(node) && sideways && !mayScroll) faults.push(`sideways: ${node.className}`);
  }
  for (const node of top.querySelectorAll('button, a[href], input, textarea, select, summary, .choices label')) {
    if (!seen(node)) continue;
    const {left, right, top, bottom, width, height} = node.getBoundingClientRect();
    const name = `${node.dataset.act ?? node.name ?? node.id} ${node.innerText ?? ''}`.trim();
    if (!node.closest('.table') && (left < 0 || right > innerWidth + 0.5)) faults.push(`beside the screen: ${name}`);
    const fixed = still && !node.closest('.scroll, .card, main, .sheet');
    if (fixed && (top < 0 || bottom > innerHeight + 0.5)) faults.push(`below it: ${name}`);
    if (node.matches('button') && node.scrollWidth > node.clientWidth + 1) faults.push(`cut off: ${name}`);
    if (Math.min(width, height) < least - 0.5) faults.push(`${Math.round(width)}x${Math.round(height)}: ${name}`);
  }
  return faults;
}"""


def layout_faults(page: Page, least: int) -> list[str]:
    """Layout faults: sideways scrolling, and controls that are cut off, off-screen or smaller than `least` pixels."""
    page.wait_for_function("() => !document.querySelector('.settling')")
    found: list[str] = page.evaluate(LAYOUT_FAULTS, least)
    return found


class Held:
    """Holds a page's requests to `path` whose body satisfies `wanted`, until `let_go`."""

    def __init__(self, page: Page, path: str, wanted: Callable[[str], bool] = lambda _: True, most: int = 1) -> None:
        self.routes: list[Route] = []
        self._page = page

        def hold(route: Route) -> None:
            if len(self.routes) < most and wanted(route.request.post_data or ""):
                self.routes.append(route)
            else:
                route.fallback()

        page.route(path, hold)

    def wait(self) -> None:
        """Wait until a request is held."""
        while not self.routes:
            self._page.wait_for_timeout(20)

    def let_go(self) -> None:
        for route in self.routes:
            route.continue_()


def calls(method: str) -> Callable[[str], bool]:
    """A predicate: whether a request body calls this method."""
    return lambda body: f'"method":"{method}"' in body


def opened(button: Locator) -> bytes:
    """Press the button and return the PDF of the tab it opens; this browser has no viewer and downloads it."""
    files: list[Download] = []
    button.page.context.once("page", lambda tab: tab.on("download", lambda file: files.append(file)))
    button.click()
    while not files:  # a tab may start before `expect_download` listens
        button.page.wait_for_timeout(50)
    return Path(files[0].path()).read_bytes()
