"""/status/CODE: a request's status by its code. The page needs no JavaScript and names nobody."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

from aiohttp import hdrs, web

from agentd.access.rates import FailedTries
from agentd.apps.residents.replies import replies
from agentd.apps.residents.requests import Request, Requests
from agentd.errors import RateLimited
from agentd.http.guard import ADDRESS
from agentd.web.pages import plain
from agentd.web.texts import language_of


class StatusPage:
    """The route; an address with too many wrong codes is refused."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._tries = FailedTries()

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(pages=…)`: open to everybody who has a code."""
        yield web.get("/status/{code}", self.get)

    async def get(self, request: web.Request) -> web.Response:
        """The page, or its content as JSON."""
        address, texts = request[ADDRESS], replies()[language_of(request)].status
        try:
            self._tries.check(address)
        except RateLimited:
            return _answer(request, {"status": None, "message": texts["too_often"]}, 429)
        found = await self._requests.by_code(request.match_info["code"])
        if found is None:
            self._tries.failed(address)
            return _answer(request, {"status": None, "message": texts["unknown"]}, 404)
        return _answer(request, _public(found, texts), 200)


def _public(found: Request, texts: Mapping[str, str]) -> dict[str, str | None]:
    return {
        "status": found.status,
        "message": texts[found.status],
        "title": found.title,
        "queue_number": found.queue_number,
        "created_at": found.created_at,
    }


def _answer(request: web.Request, state: dict[str, str | None], status: int) -> web.Response:
    headers = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Language"}
    accept = request.headers.get(hdrs.ACCEPT, "")
    if "application/json" in accept and "text/html" not in accept:
        return web.json_response(state, status=status, headers=headers)
    language = language_of(request)
    texts = replies()[language].status
    lines = [texts["numbered"].format(title=state["title"], number=state["queue_number"])] if state.get("title") else []
    lines.append(str(state["message"]))
    body = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return web.Response(
        text=plain(language, texts["heading"], body), content_type="text/html", status=status, headers=headers
    )
