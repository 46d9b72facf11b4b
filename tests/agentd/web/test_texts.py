"""The words of the pages: every language has all of them, with the same places to fill, and a page shows no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request

import agentd
from agentd.agent.languages import LANGUAGES
from agentd.apps.letters.pages import verify_page
from agentd.web import pages
from agentd.web.texts import language_of, texts

ROOT = Path(agentd.__file__).parent
STATIC = sorted(folder for folder in ROOT.rglob("web/static"))
TEXTS = [folder.with_name("texts") for folder in STATIC if folder.with_name("texts").is_dir()]
SCRIPTS = [file for folder in STATIC for file in folder.rglob("*.js")]


def office(folder: Path, **said: str) -> Path:
    for language in LANGUAGES:
        (folder / f"{language}.toml").write_text(said.get(language, 'hold = "{n} …"'), encoding="utf-8")
    return folder


def test_every_language_has_every_word_that_the_scripts_show() -> None:
    known = texts(TEXTS)
    shown = {key for file in SCRIPTS for key in re.findall(r"\bt\('(\w+)'", file.read_text(encoding="utf-8"))}
    shown |= {
        key
        for folder in STATIC
        for file in folder.glob("*.html")
        for key in re.findall(r'data-t="(\w+)"', file.read_text(encoding="utf-8"))
    }
    assert len(shown) > 80 and [known[language].keys() >= shown for language in LANGUAGES] == [True] * len(LANGUAGES)
    assert all(said.strip() for words in known.values() for said in words.values() if isinstance(said, str))


@pytest.mark.parametrize(
    ("jv", "wrong"),
    [
        ('hold = "…"', "hold"),
        ('hold = "{m} …"', "hold"),
        ('hold = "{n}"\nmore = "x"', "more"),
        ('hald = "{n}"', "hald, hold"),
    ],
)
def test_a_word_or_a_place_that_one_language_lacks_is_refused_by_file_and_name(
    tmp_path: Path, jv: str, wrong: str
) -> None:
    assert texts([office(tmp_path)])["jv"] == {"hold": "{n} …"}
    with pytest.raises(ValueError, match=rf"jv\.toml: .*: {wrong}$"):
        texts([office(tmp_path, jv=jv)])


def test_a_word_that_two_folders_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"id\.toml: another folder has these words: hold"):
        texts([office(tmp_path), tmp_path])


@pytest.mark.parametrize(("language", "opening"), [("auto", "id"), ("en", "en")])
async def test_the_scripts_get_the_words_of_all_folders_as_one_module(
    language: str, opening: str, tmp_path: Path
) -> None:
    app = web.Application()
    (tmp_path / "static").mkdir()
    (tmp_path / "texts").mkdir()
    office(tmp_path / "texts")
    app.add_routes(pages.routes([tmp_path / "static"], "Asia/Makassar", language))
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/web/js/texts.js")
        assert answer.headers["Content-Type"].startswith("text/javascript") and answer.headers["ETag"]
        first, *rest = (await answer.text()).splitlines()
        said = json.loads(first.removeprefix("export const TEXTS = ").rstrip(";"))
    assert rest == ['export const ZONE = "Asia/Makassar";', f'export const OPENING = "{opening}";']
    assert list(said) == list(LANGUAGES)
    assert [words["hold"] for words in said.values()] == ["{n} …"] * len(LANGUAGES)
    assert said["jv"]["language"] == "Basa Jawa" and said["id"]["send"] == "Kirim"


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "id"),
        ("?lang=jv", "en", "jv"),
        ("?lang=xx", "fr, en;q=0.8", "en"),
        ("", "jv-ID, id;q=0.5", "jv"),
        ("", "fr", "id"),
    ],
)
def test_a_page_is_in_the_language_asked_for_else_in_the_browsers(query: str, accepted: str, language: str) -> None:
    assert (
        language_of(make_mocked_request("GET", f"/status/x{query}", headers={"Accept-Language": accepted})) == language
    )


def test_the_page_of_verify_says_the_same_in_every_language() -> None:
    english, *others = (verify_page.WORDS[language] for language in ("en", *LANGUAGES))
    for other in others:
        assert other.plain.keys() == english.plain.keys() and other.rows.keys() == english.rows.keys()
        assert other.headings.keys() == english.headings.keys() and other.reasons.keys() <= english.reasons.keys()
        assert all(
            re.findall(r"\{\w+\}", said) == re.findall(r"\{\w+\}", english.reasons[why])
            for why, said in other.reasons.items()
        )
