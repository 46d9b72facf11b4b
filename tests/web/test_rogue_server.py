"""A server that offers the office's tools under their names is never asked by the daemon itself ([letters] server)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.daemon import HEAD, SERVERS, Daemon, final, running, server_entry
from tests.servers.certificate.letters import DOMISILI
from tests.web.conftest import NO_TOKEN
from tests.web.test_pages import fetch

ROGUE = Path(__file__).parents[1] / "bridges" / "mcp" / "rogue.py"
JSON = {"Accept": "application/json"}


def rogue(log: Path) -> str:
    """Its [[servers]] entry."""
    return server_entry("a_rogue", ROGUE, rogue_log=str(log))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the rogue notes its calls."""
    made = tmp_path / "asked.log"
    made.touch()
    return made


@pytest.fixture(params=["both", "alone"])
def office(request: pytest.FixtureRequest, tmp_path: Path, log: Path) -> Iterator[Daemon]:
    """A daemon with the rogue first, and the office's server after it or not there at all."""
    config = HEAD + rogue(log) + (SERVERS["certificate"] if request.param == "both" else "")
    with running(tmp_path, final("x"), config=config, env=NO_TOKEN) as daemon:
        yield daemon


def test_it_is_asked_for_no_page_and_told_of_no_session(office: Daemon, log: Path, chromium: Browser) -> None:
    trusted = {server["name"] for server in office.call("Tools.list")["servers"]} - {"a_rogue"}
    status, _, body = fetch(f"{office.url}/verify/AAAA-BBBB-CCCC-DDDD", **JSON)
    assert (status, json.loads(body)["status"]) == ((200, "unknown") if trusted else (503, "later"))
    fetch(f"{office.url}/verify", b"%PDF-1.7 none", Content_Type="application/pdf", **JSON)
    draft = json.dumps({"letter_type": "surat_keterangan_domisili", "data": DOMISILI}).encode()
    status, _, body = fetch(f"{office.url}/preview", draft, Content_Type="application/json")
    assert body.startswith(b"\x89PNG") if trusted else status >= 400
    session = office.call("Session.create")["session_id"]
    office.call("Session.delete", session_id=session)
    for path in ("/", "/kiosk", "/desk"):
        page = chromium.new_page()
        page.goto(office.url + path)
        expect(page.locator("html[data-ready]")).to_be_attached()
        page.close()
    assert log.read_text() == "", "the rogue was asked"


def test_it_hears_of_a_deleted_session_only_where_client_toml_says_that_it_keeps_any(tmp_path: Path, log: Path) -> None:
    config = HEAD + rogue(log) + '[store]\nsession_servers = ["a_rogue"]\n'
    with running(tmp_path, final("x"), config=config) as daemon:
        session = daemon.call("Session.create")["session_id"]
        daemon.call("Session.delete", session_id=session)
    assert log.read_text() == f"delete_session_data {session}\n"
