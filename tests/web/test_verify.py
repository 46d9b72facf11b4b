"""Verification for everybody: /verify/CODE as page and JSON, by file, without JavaScript (issue 5, Verification)."""

from __future__ import annotations

import io
import json
import shutil
import time
from pathlib import Path

import psutil
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, expect

from agentd.access import Buckets
from agentd.apps.letters.pages import verify_page
from agentd.apps.letters.pages.verify import QUANTUM_S
from agentd.testing import ManualClock
from servers.certificate.drawing.picture import pictures
from tests.daemon import HEAD, SERVERS, Daemon, call, final, one_daemon, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.conftest import LETTERS, NO_TOKEN
from tests.web.steps import violations
from tests.web.test_pages import fetch

JSON = {"Accept": "application/json"}


office = one_daemon(LETTER, final("Selesai."), config=LETTERS, env=NO_TOKEN)


@pytest.fixture(scope="module")
def letter(office: Daemon) -> dict[str, str]:
    """`code`, `path`, `number` of a letter that was issued, and `said`: the statement in its QR code."""
    office.call("Agent.run", prompt=WORDS, session_id="budi")
    issued = office.call("Agent.run", prompt="ya", session_id="budi")
    output = issued["steps"][-1]["output"]
    [page] = pictures(Path(output["path"]).read_bytes(), 100)
    [qr] = zxingcpp.read_barcodes(Image.open(io.BytesIO(page)), formats=zxingcpp.BarcodeFormat.QRCode)
    address, _, said = qr.text.partition("#")
    assert address == output["verify_url"]
    return {"code": output["verify_code"], "path": output["path"], "number": output["number"], "said": said}


def test_a_letter_is_verified_without_a_script(office: Daemon, letter: dict[str, str], chromium: Browser) -> None:
    context = chromium.new_context(locale="id-ID", java_script_enabled=False, viewport={"width": 360, "height": 740})
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


@pytest.mark.parametrize(
    ("locale", "words"), [("id-ID", "Asli bila isinya sama"), ("en-GB", "Genuine if it says the same")]
)
def test_a_scanned_qr_code_shows_what_the_genuine_paper_says(
    office: Daemon, letter: dict[str, str], chromium: Browser, locale: str, words: str
) -> None:
    context = chromium.new_context(locale=locale, viewport={"width": 360, "height": 740})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    page.goto(f"{office.url}/verify/{letter['code']}#{letter['said']}")
    page.wait_for_selector("html[data-ready]")
    verdict = page.locator(".verdict.genuine")
    for told in (words, letter["number"], "Budi Santoso", LETTER["input"]["nik"][-4:], LETTER["input"]["keperluan"]):
        expect(verdict).to_contain_text(told)
    assert LETTER["input"]["nik"] not in page.content()
    assert not [url for url in asked if letter["said"][:40] in url], "the statement stood in an address"
    expect(page.locator("h1")).to_be_focused()
    expect(page.locator("html")).to_have_attribute("lang", locale[:2])
    assert violations(page) == []
    page.locator("a[hreflang=jv]").click()
    page.wait_for_selector(f"html[data-ready]:not([lang={locale[:2]}])")
    expect(page.locator(".verdict.genuine")).to_contain_text("Budi Santoso")
    context.close()


def test_a_changed_qr_code_is_called_not_genuine_and_shows_no_name(
    office: Daemon, letter: dict[str, str], chromium: Browser
) -> None:
    page = chromium.new_page(locale="id-ID")
    changed = letter["said"][:200] + ("A" if letter["said"][200] != "A" else "B") + letter["said"][201:]
    for said in (changed, "TIDAKADA", letter["said"][:-8], "x<script>"):
        page.goto("about:blank")
        page.goto(f"{office.url}/verify/{letter['code']}#{said}")
        page.wait_for_selector("html[data-ready]")
        expect(page.locator(".verdict.tampered h1")).to_have_text("Tidak asli")
        assert "Budi" not in page.content()
    page.close()


def test_a_statement_that_cannot_be_sent_leaves_the_registers_answer_and_says_so(
    office: Daemon, letter: dict[str, str], chromium: Browser
) -> None:
    page = chromium.new_page(locale="id-ID")
    page.route("**/verify/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.goto(f"{office.url}/verify/{letter['code']}#{letter['said']}")
    page.wait_for_selector("html[data-ready]")
    expect(page.locator(".verdict.genuine")).to_be_visible()
    expect(page.locator("#unread")).to_be_visible()
    page.close()


def test_a_statement_is_verified_as_json_and_refused_in_any_other_form(office: Daemon, letter: dict[str, str]) -> None:
    form = {"Content_Type": "application/x-www-form-urlencoded", **JSON}
    said = f"statement={letter['said']}".encode()
    _, _, body = fetch(f"{office.url}/verify/{letter['code']}", said, source="127.0.0.5", **form)
    answer = json.loads(body)
    assert (answer["status"], answer["paper"]["name"], answer["paper"]["nik_last4"]) == (
        "genuine",
        "Budi Santoso",
        LETTER["input"]["nik"][-4:],
    )
    _, _, body = fetch(f"{office.url}/verify/AAAA-BBBB-CCCC-DDDD", said, source="127.0.0.5", **form)
    assert json.loads(body)["status"] == "unknown"
    for wrong in (b"", b"statement=", b"statement=%00", said + b"A", b"statement=" + b"A" * 5000, b"\xff\xfe", b"x=1"):
        status, _, body = fetch(f"{office.url}/verify/{letter['code']}", wrong, source="127.0.0.5", **form)
        answer = json.loads(body)
        assert (status, answer["status"], answer["cause"]) == (200, "tampered", "statement_unreadable")
        assert "paper" not in answer and "number" not in answer


def test_without_the_register_the_paper_is_shown_and_called_unconfirmed(
    office: Daemon, letter: dict[str, str], chromium: Browser, tmp_path: Path
) -> None:
    shutil.copytree(office.state / "letters" / "office", tmp_path / "state" / "letters" / "office")
    away = 'letters_database_url = "postgresql://127.0.0.1:1/none?connect_timeout=2"\n'
    with running(tmp_path, call("x"), config=HEAD + SERVERS["certificate"] + away, env=NO_TOKEN) as other:
        page = chromium.new_page(locale="id-ID")
        page.goto(f"{other.url}/verify/{letter['code']}#{letter['said']}")
        page.wait_for_selector("html[data-ready]")
        verdict = page.locator(".verdict.unconfirmed")
        expect(verdict).to_contain_text("Budi Santoso")
        expect(verdict).to_contain_text("belum diketahui")
        assert violations(page) == []
        page.close()
        status, _, body = fetch(f"{other.url}/verify/{letter['code']}", **JSON)
        assert (status, json.loads(body)["status"]) == (503, "later")


def test_the_page_speaks_the_language_that_is_asked_for(office: Daemon, letter: dict[str, str]) -> None:
    asked = [
        ("", "", "id"),
        ("", "en-US,en;q=0.9", "en"),
        ("", "fr,en;q=0.5", "en"),
        ("", "id,en", "id"),
        ("?lang=en", "id", "en"),
    ]
    for query, accepted, language in [*asked, ("?lang=xx", "", "id")]:
        address = f"{office.url}/verify/{letter['code']}{query}"
        _, headers, body = fetch(address, source="127.0.0.4", Accept_Language=accepted)
        assert headers["content-language"] == language and f'<html lang="{language}">'.encode() in body
        assert (b"is genuine and valid" in body) == (language == "en")


def test_every_reason_has_its_english_words() -> None:
    from servers.certificate.languages import words

    causes = set(words("id").verification)
    assert set(verify_page.WORDS["en"].reasons) == causes | set(verify_page.WORDS["id"].reasons)
    assert (
        verify_page.WORDS["en"].headings.keys() == verify_page.WORDS["id"].headings.keys() == verify_page.MARKS.keys()
    )
    assert verify_page.WORDS["en"].rows.keys() == verify_page.WORDS["id"].rows.keys()


def test_codes_that_do_not_exist_all_answer_alike(office: Daemon, letter: dict[str, str]) -> None:
    answers = set()
    for code in ("AAAA-BBBB-CCCC-DDDD", letter["code"][:-1] + "~", "x" * 500, "..%2f..%2fetc", "%00", "💥"):
        began = time.monotonic()
        status, _, body = fetch(f"{office.url}/verify/{_quoted(code)}", source="127.0.0.2", **JSON)
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
        (letter["path"].encode(), "application/pdf", "unknown"),
        (b"", "application/pdf", "ask"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x", "ask"),
        (b"--x--", "multipart/form-data", "ask"),
        (form + b" " * 2**22, "multipart/form-data; boundary=x", "tampered"),
        (b"\r\n" * 2**20 + form, "multipart/form-data; boundary=x", "ask"),
        (b"--x\r\nA: b\r\n\r\n\r\n" * 2**17, "multipart/form-data; boundary=x", "ask"),
    ]
    assert office.process is not None
    daemon = psutil.Process(office.process.pid)
    for body, kind, verdict in asked:
        began = sum(daemon.cpu_times()[:2])
        _, _, answer = fetch(f"{office.url}/verify", body, source="127.0.0.3", Content_Type=kind, **JSON)
        assert json.loads(answer)["status"] == verdict
        assert sum(daemon.cpu_times()[:2]) - began < 4, "nobody else is answered meanwhile"


def test_an_address_that_asks_too_often_waits() -> None:
    buckets = Buckets(ManualClock())
    assert [buckets.take("10.0.0.1", 3) for _ in range(4)] == [0.0, 0.0, 0.0, 20.0]
    assert buckets.take("10.0.0.2", 3) == 0.0


def test_the_page_says_so_when_the_letter_service_is_not_there(tmp_path: Path) -> None:
    with running(tmp_path, call("x"), config=HEAD + SERVERS["time"], env=NO_TOKEN) as office:
        status, _, body = fetch(f"{office.url}/verify/AAAA", **JSON)
        assert (status, json.loads(body)["status"]) == (503, "later")
