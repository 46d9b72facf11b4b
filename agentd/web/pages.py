"""Serves the pages and their files from memory with ETag and gzip, and renders a page without scripts. It knows no
data.

The daemon's own folder and each app's (`App.static`) are served as one: `NAME.html` as /NAME, every file under /web/.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aiohttp import hdrs, web

from agentd.agent.languages import LANGUAGES, own
from agentd.web.texts import module

STATIC = Path(__file__).with_name("static")
TEXTS = "js/texts.js"
"""The module with the scripts' texts, built from every folder's `texts`."""
_SMALL = 400
"""Bodies of at most this many bytes are not compressed, since gzip's header outweighs the gain."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file to serve: its bytes, their gzip form unless the file is small, the media type and the ETag."""

    body: bytes
    packed: bytes | None
    media_type: str
    etag: str

    @classmethod
    def of(cls, name: str, body: bytes) -> Asset:
        packed = gzip.compress(body, 9, mtime=0) if len(body) > _SMALL else None
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if media_type.startswith("text/") or media_type.endswith("javascript"):
            media_type += "; charset=utf-8"
        return cls(body, packed, media_type, f'"{hashlib.sha256(body).hexdigest()[:24]}"')

    def answer(self, request: web.Request) -> web.Response:
        """The response with the file, or 304 if the browser has it already."""
        headers = {
            "Content-Type": self.media_type,
            "ETag": self.etag,
            "Cache-Control": "no-cache",
            "Vary": "Accept-Encoding",
        }
        if self.etag in request.headers.get(hdrs.IF_NONE_MATCH, ""):
            return web.Response(status=304, headers=headers)
        if self.packed is not None and "gzip" in request.headers.get(hdrs.ACCEPT_ENCODING, ""):
            return web.Response(body=self.packed, headers={**headers, "Content-Encoding": "gzip"})
        return web.Response(body=self.body, headers=headers)


def files(folders: Iterable[Path]) -> dict[str, Path]:
    """{path under /web/: file} of the daemon's folder and these. Raises ValueError if two folders share a name."""
    found: dict[str, Path] = {}
    for folder in (STATIC, *folders):
        for file in folder.rglob("*"):
            name = file.relative_to(folder).as_posix()
            if file.is_file() and found.setdefault(name, file) is not file:
                raise ValueError(f"two files of the pages are called {name}: {found[name]} and {file}; rename one")
    return found


def routes(
    folders: Iterable[Path] = (), zone: str = "Asia/Jakarta", language: str = LANGUAGES[0]
) -> Iterator[web.RouteDef]:
    """Routes for `application(pages=…)`: each page at its own name, all files under /web/.

    `zone` is the office's time zone, in which the scripts show times and count days. A page opens in `language`
    (`auto`: the first one) unless its address asks for another.
    """
    folders = list(folders)
    found = files(folders)

    @cache
    def asset(name: str) -> Asset:
        if name != TEXTS:
            return Asset.of(name, found[name].read_bytes())
        said = (beside for folder in (STATIC, *folders) if (beside := folder.with_name("texts")).is_dir())
        return Asset.of(TEXTS, module(said, zone, own(language) or LANGUAGES[0]))

    async def page(request: web.Request) -> web.Response:
        return asset(f"{request.path.removeprefix('/')}.html").answer(request)

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["path"]
        if name not in found and name != TEXTS:
            raise web.HTTPNotFound
        return asset(name).answer(request)

    for name in found:
        if name.endswith(".html"):
            yield web.get(f"/{name.removesuffix('.html')}", page)

    yield web.get("/web/{path:.+}", file)
    yield web.get("/", _home)


async def _home(_request: web.Request) -> web.Response:
    raise web.HTTPFound("/chat")


_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title>
<link rel="icon" href="/web/icon.svg"><link rel="stylesheet" href="/web/base.css"></head>
<body class="plain"><main><h1>{title}</h1>{body}</main></body></html>
"""


def plain(language: str, title: str, body: str) -> str:
    """The HTML of a page without scripts; `title` and `body` must be HTML too."""
    return _PAGE.format(language=language, title=title, body=body)
