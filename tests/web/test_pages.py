"""The pages as files: policy, caching, packing, weight; the QR code; the drawings (issue 10, Figures)."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import urllib.error
import urllib.request
from functools import partial
from typing import Any

import pytest

from agentd import plugins
from agentd.web.pages import files
from tests.daemon import Daemon, final, one_daemon
from tests.e2e.test_main_job import LETTER, WORDS
from tests.web.conftest import LETTERS, NO_TOKEN

MAX_WEIGHT = 300_000
PAGES = ("kiosk", "chat", "desk", "ask")


office = one_daemon(LETTER, final("Selesai."), config=LETTERS, env=NO_TOKEN)


def fetch(
    url: str, body: bytes | None = None, *, source: str = "127.0.0.1", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case, body, as asked from this address; no error is raised for any status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = partial(http.client.HTTPConnection, source_address=(source, 0))
    handler = urllib.request.HTTPHandler()
    handler.http_open = lambda request: handler.do_open(connection, request)  # type: ignore[method-assign]
    try:
        with urllib.request.build_opener(handler).open(
            urllib.request.Request(url, body, named), timeout=300
        ) as response:
            return response.status, {k.lower(): v for k, v in response.headers.items()}, response.read()
    except urllib.error.HTTPError as error:
        return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_comes_packed_with_a_strict_policy(office: Daemon, page: str) -> None:
    status, headers, packed = fetch(f"{office.url}/{page}", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")
    html = gzip.decompress(packed).decode()
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|style=|https?://", html)  # nothing inline, nothing foreign

    again, _, body = fetch(f"{office.url}/{page}", If_None_Match=headers["etag"])
    assert (again, body) == (304, b"")


def test_all_pages_together_are_light() -> None:
    served = files(app.static for app in plugins.apps() if app.static)
    assert {f"{page}.html" for page in PAGES} == {name for name in served if name.endswith(".html")}
    ours = [file for file in served.values() if "vendor" not in file.parts]  # the charts' library comes with a chart
    assert sum(file.stat().st_size for file in ours) <= MAX_WEIGHT


def test_nothing_outside_the_folder_is_served(office: Daemon) -> None:
    for path in ("/web/../pages.py", "/web/%2e%2e/pages.py", "/web/js", "/web/none.js"):
        assert fetch(office.url + path)[0] == 404


def test_a_text_becomes_a_qr_code(office: Daemon) -> None:
    status, headers, body = fetch(office.url + "/qr.svg?text=http%3A%2F%2F127.0.0.1%2Fverify%2FAAAA")
    assert (status, headers["content-type"].split(";")[0]) == (200, "image/svg+xml")
    assert body.startswith(b"<svg ")
    assert fetch(office.url + "/qr.svg")[0] == 400
    assert fetch(office.url + "/qr.svg?text=" + "x" * 301)[0] == 400


def test_a_draft_is_drawn_and_leaves_no_file_behind(office: Daemon) -> None:
    asked: dict[str, Any] = {"letter_type": "surat_keterangan_domisili", "data": LETTER["input"]}
    status, headers, body = fetch(office.url + "/preview", json.dumps(asked).encode())
    assert (status, headers["content-type"], body[:4]) == (200, "image/png", b"\x89PNG")
    assert not list(office.state.glob("artifacts/**/*.png"))
    asked["data"] = {**LETTER["input"], "nik": "1"}
    status, _, body = fetch(office.url + "/preview", json.dumps(asked).encode())
    assert status == 400 and "NIK" in json.loads(body)["error"]["data"]["user_message"]
    asked["letter_type"] = "surat_izin_terbang"
    status, _, body = fetch(office.url + "/preview", json.dumps(asked).encode())
    assert status == 404 and "tidak ada" in json.loads(body)["error"]["data"]["user_message"]
    for wrong in (b"{", b"[]", b'{"letter_type": 1, "data": {}}'):
        assert fetch(office.url + "/preview", wrong)[0] == 400


def test_an_issued_letter_is_drawn_for_whoever_may_see_its_run(office: Daemon) -> None:
    asked = office.call("Agent.run", prompt=WORDS, session_id="budi")
    letter = office.call("Agent.run", prompt="ya", session_id="budi")["artifacts"][0]
    address = f"{office.url}/pictures/{asked['run_id']}/{letter['name']}"
    status, headers, body = fetch(address + "/1.png")
    assert (status, headers["x-pages"], body[:4]) == (200, "1", b"\x89PNG")
    assert fetch(address + "/2.png")[0] == 404
    kiosk = {"Sec_Fetch_Site": "same-origin", "Origin": office.url}
    assert fetch(address + "/1.png", **kiosk)[0] == 404  # another caller's run is not there
