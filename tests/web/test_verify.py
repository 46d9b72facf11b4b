"""Verification for everybody: /verify/CODE as page and JSON, by file, without JavaScript (issue 5, Verification)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from agentd.apps.letters.verify import QUANTUM_S, AddressLimiter
from agentd.errors import RateLimited
from agentd.testing import ManualClock
from tests.daemon import Daemon, call, final, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.conftest import NO_TOKEN
from tests.web.steps import violations
from tests.web.test_pages import fetch

JSON = {"Accept": "application/json"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("verify"), LETTER, final("Selesai."), env=NO_TOKEN) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def letter(office: Daemon) -> dict[str, str]:
    """`code` and `path` of a letter that was issued."""
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    issued = office.call("Agent.run", prompt="ya", session_id="budi")
    output = issued["steps"][-1]["output"]
    return {"code": output["verify_code"], "path": output["path"], "number": output["number"]}


def test_a_letter_is_verified_without_a_script(office: Daemon, letter: dict[str, str], chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{office.url}/verify/{letter['code']}")
    verdict = page.locator(".verdict.genuine")
    expect(verdict).to_contain_text("Surat ini asli")
    expect(verdict).to_contain_text(letter["number"])
    expect(verdict).to_contain_text("B*** S***")
    assert "Budi" not in page.content() and LETTER["input"]["nik"] not in page.content()
    page.get_by_label("Berkas PDF").set_input_files(letter["path"])
    page.get_by_role("button", name="Periksa").last.click()
    expect(page.locator(".verdict.genuine")).to_be_visible()
    page.get_by_label("Kode pada surat").fill("<script>x</script>")
    page.get_by_role("button", name="Periksa").first.click()
    expect(page.locator(".verdict.unknown")).to_be_visible()
    expect(page.get_by_label("Kode pada surat")).to_have_value("<script>x</script>")
    context.close()


def test_the_verification_pages_have_no_accessibility_faults(
    office: Daemon, letter: dict[str, str], chromium: Browser
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    for path in ("", f"/{letter['code']}", "/AAAA-BBBB"):
        page.goto(f"{office.url}/verify{path}")
        assert violations(page) == []
    context.close()


def test_codes_that_do_not_exist_all_answer_alike(office: Daemon, letter: dict[str, str]) -> None:
    answers = set()
    for code in ("AAAA-BBBB-CCCC-DDDD", letter["code"][:-1] + "~", "x" * 500, "..%2f..%2fetc", "%00", "💥"):
        began = time.monotonic()
        status, _, body = fetch(f"{office.url}/verify/{_quoted(code)}", **JSON)
        assert time.monotonic() - began >= QUANTUM_S  # the delay tells nothing of what was found
        answers.add((status, body))
    assert answers == {
        (200, b'{"status":"unknown","genuine":false,"reason":"Kode ini tidak terdaftar.","cause":"unknown_code"}')
    }


def _quoted(code: str) -> str:
    from urllib.parse import quote

    return quote(code, safe="%")


def test_a_file_is_verified_as_json_in_either_form(office: Daemon, letter: dict[str, str]) -> None:
    pdf = Path(letter["path"]).read_bytes()
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n' + pdf + b"\r\n--x--\r\n"
    asked: list[tuple[bytes, str, str]] = [
        (pdf, "application/pdf", "genuine"),
        (form, "multipart/form-data; boundary=x", "genuine"),
        (pdf + b"\n", "application/pdf", "tampered"),
        (b"hello", "application/pdf", "unknown"),
        (b"", "application/pdf", "ask"),
    ]
    for body, kind, verdict in asked:
        _, _, answer = fetch(f"{office.url}/verify", body, Content_Type=kind, **JSON)
        assert json.loads(answer)["status"] == verdict


def test_an_address_that_asks_too_often_waits() -> None:
    clock = ManualClock()
    limiter = AddressLimiter(clock, per_minute=3)
    for _ in range(3):
        limiter.charge("10.0.0.1")
    with pytest.raises(RateLimited) as refused:
        limiter.charge("10.0.0.1")
    assert refused.value.data["retry_after_s"] == 20
    limiter.charge("10.0.0.2")


def test_the_page_says_so_when_the_letter_service_is_not_there(tmp_path: Path) -> None:
    from tests.daemon import HEAD, SERVERS

    with running(tmp_path, call("x"), config=HEAD + SERVERS["time"], env=NO_TOKEN) as office:
        status, _, body = fetch(f"{office.url}/verify/AAAA", **JSON)
        assert (status, json.loads(body)["status"]) == (503, "later")
