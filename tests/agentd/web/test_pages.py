"""Pages of the daemon and of apps served as one: each in its own folder, none in the place of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agentd.web import pages

SERVED = {"/": 302, "/chat": 200, "/web/js/dom.js": 200, "/counter": 200, "/web/js/counter.js": 200, "/kiosk": 404}


def folder_of(app: Path, *names: str) -> Path:
    for name in names:
        file = app / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return app


async def test_an_apps_pages_are_served_beside_the_daemons_own(tmp_path: Path) -> None:
    app = web.Application()
    app.add_routes(pages.routes([folder_of(tmp_path, "counter.html", "js/counter.js")]))
    async with TestClient(TestServer(app)) as client:
        answers = {path: (await client.get(path, allow_redirects=False)).status for path in SERVED}
        assert await (await client.get("/counter")).text() == "counter.html"
    assert answers == SERVED


def test_a_name_that_two_folders_have_is_refused_with_both(tmp_path: Path) -> None:
    mine = folder_of(tmp_path / "mine", "js/table.js")
    yours = folder_of(tmp_path / "yours", "js/table.js")
    with pytest.raises(ValueError, match=r"js/table\.js: .*mine.*yours"):
        pages.files([mine, yours])
    with pytest.raises(ValueError, match=r"chat\.html"):
        pages.files([folder_of(tmp_path / "chat", "chat.html")])
