"""Measures the pages: bytes of a first visit, time to the first view, and to a piece of an answer on the screen.

Issue 10: ≤ 300 kB with everything, first view ≤ 1 s, a delta on the screen ≤ 50 ms (median) after it was sent. The
model here is a server that streams OpenAI's wire, so a delta's way is measured whole: model → daemon → page → drawn.
It sends 120 words, ten a sentence. A sentence is shown when it has ended and what it claims has been checked, so a
delta waits for its sentence; `sentence` is the way of the last word alone.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.daemon import SERVERS, running
from tests.http_server import Handler, serving

PIECES = 120
IN_A_SENTENCE = 10
EVERY_S = 0.03
CONFIG = """\
default_provider = "streaming"
prompt_template = "Layani warga. {{{{custom_instruction}}}} {{{{language_guidance}}}} {{{{tool_guidance}}}}"

[[providers]]
id = "streaming"
type = "openai"
endpoint = "{endpoint}"
api_key = "STREAMING_KEY"
models = ["streaming"]

"""
WATCH = """() => {
  window.seen = {};
  new MutationObserver(() => {
    const at = Date.now();
    const text = document.querySelector('.live-text')?.textContent ?? '';
    for (const number of text.match(/\\d+(?=[;.])/g) ?? []) window.seen[number] ??= at;
  }).observe(document.querySelector('#turns'), { childList: true, subtree: true, characterData: true });
}"""


def run() -> dict[str, Any]:
    """Kilobytes transferred and milliseconds."""
    with (
        _streaming_model() as (endpoint, sent),
        tempfile.TemporaryDirectory() as folder,
        running(
            Path(folder),
            "unused",
            config=CONFIG.format(endpoint=endpoint) + SERVERS["time"] + SERVERS["certificate"],
            env={"AGENTD_TOKEN": "", "STREAMING_KEY": "k"},
        ) as daemon,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        figures = {name: _visit(browser.new_page(), f"{daemon.url}/{name}") for name in ("kiosk", "chat")}
        page = browser.new_page()
        page.goto(daemon.url + "/chat")
        page.wait_for_selector("html[data-ready]")
        page.evaluate(WATCH)
        page.get_by_label("Tulis pesan").fill("Halo")
        page.get_by_label("Tulis pesan").press("Enter")
        page.locator(".turn.completed").wait_for()
        seen: dict[str, float] = page.evaluate("window.seen")
        browser.close()
    delays = {int(number): at - sent[int(number)] for number, at in seen.items()}
    ends = [delay for number, delay in delays.items() if _ends_a_sentence(number)]
    return {
        **{f"page_{name}_kb": kb for name, (kb, _) in figures.items()},
        **{f"page_{name}_first_view_ms": ms for name, (_, ms) in figures.items()},
        "page_delta_on_screen_median_ms": round(statistics.median(delays.values()), 1),
        "page_sentence_on_screen_median_ms": round(statistics.median(ends), 1),
        "page_sentence_on_screen_most_ms": round(max(ends), 1),
        "page_deltas_seen": f"{len(delays)} of {PIECES}",
    }


def _ends_a_sentence(number: int) -> bool:
    return number % IN_A_SENTENCE == IN_A_SENTENCE - 1


def _visit(page: Page, url: str) -> tuple[float, float]:
    """Kilobytes transferred by a first visit, and milliseconds to the first contentful paint."""
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    kilobytes, painted = page.evaluate(
        """() => {
          const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
          const paint = performance.getEntriesByName('first-contentful-paint')[0];
          return [all.reduce((sum, one) => sum + one.transferSize, 0) / 1000, paint?.startTime ?? NaN];
        }"""
    )
    return round(kilobytes, 1), round(painted, 1)


@contextmanager
def _streaming_model() -> Iterator[tuple[str, dict[int, float]]]:
    """A server that streams one final action in pieces; yields its URL and {number: ms since 1970 when it was sent}."""
    sent: dict[int, float] = {}

    class Endpoint(Handler):
        def do_POST(self) -> None:
            self.body()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self._piece('{"action":"final","response":"')
            for number in range(PIECES):
                sent[number] = time.time() * 1000
                self._piece(f"{number}. " if _ends_a_sentence(number) else f"{number}; ")
                time.sleep(EVERY_S)
            self._piece('"}', "stop")
            self.wfile.write(b"data: [DONE]\n\n")

        def _piece(self, text: str, finish: str | None = None) -> None:
            choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "streaming"}
            self.wfile.write(b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n")
            self.wfile.flush()

    with serving(Endpoint) as url:
        yield f"{url}/v1", sent
