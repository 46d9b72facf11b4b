"""GET /pictures/RUN_ID/NAME/PAGE.png: a page of a PDF from a run, as a picture that a browser can print. Keeps none.

A browser prints a picture the same everywhere, even without a PDF viewer; the PDF itself is at /artifacts.
"""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Iterator
from pathlib import Path

from aiohttp import web

from agentd.errors import Forbidden, NotFound
from agentd.http.guard import CALLER
from agentd.rpc.method import ANYONE
from agentd.runs.agent_api import AgentRuns

DPI = 200
_DRAWING = threading.Lock()
"""pdfium is not thread-safe."""


class PicturesEndpoint:
    """Serves pages under the artifact's access rules: a caller who may not see the run gets 404."""

    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(mounted=…)`."""
        yield web.get(r"/pictures/{run_id}/{name}/{page:[1-9]\d?}.png", self.get)

    async def get(self, request: web.Request) -> web.Response:
        """The page as a PNG; the header `X-Pages` is the number of pages."""
        caller = request[CALLER]
        if not caller.may(*ANYONE):
            raise Forbidden("This needs the scope of somebody who talks with the agent")
        artifact, path = await self._runs.artifact(request.match_info["run_id"], request.match_info["name"], caller)
        if artifact.media_type != "application/pdf" or not await asyncio.to_thread(path.is_file):
            raise NotFound("There is no such PDF")
        picture, pages = await asyncio.to_thread(_drawn, path, int(request.match_info["page"]))
        return web.Response(
            body=picture,
            content_type="image/png",
            headers={"Cache-Control": "private, no-store", "X-Pages": str(pages)},
        )


def _drawn(path: Path, number: int) -> tuple[bytes, int]:
    import pypdfium2  # slow to import, and only needed to print

    with _DRAWING, pypdfium2.PdfDocument(path) as document:
        pages = len(document)
        if number > pages:
            raise NotFound(f"the file has {pages} pages")
        image = document[number - 1].render(scale=DPI / 72, grayscale=True).to_pil()
        png = io.BytesIO()
        image.save(png, "PNG", optimize=True)
        return png.getvalue(), pages
