"""/verify: whether a letter is genuine, as an HTML page that needs no JavaScript or as JSON, open to everybody. The
certificate server's `verify_letter` decides.

GET /verify/CODE checks the code; POST /verify (multipart `file`, or a PDF as the body) checks the file; POST
/verify/CODE (form `statement`) checks the code and what the letter's QR code states. A request that accepts JSON and
not HTML gets JSON. Every answer is sent at a multiple of a fixed time, so that its delay reveals nothing about what
was found. An address may ask only a few times a minute.
"""

from __future__ import annotations

import asyncio
import base64
import math
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import orjson
import structlog
from aiohttp import hdrs, web

from agentd.access import Buckets
from agentd.application import InternalCall
from agentd.apps.letters.pages.verify_page import MARKS, WORDS, page
from agentd.errors import RateLimited, ToolExecution, UnknownTool
from agentd.http.guard import ADDRESS
from agentd.ports import Clock
from agentd.web.texts import language_of

log = structlog.get_logger(__name__)

PER_MINUTE = 30
"""Requests per address and minute; also the size of a burst."""
QUANTUM_S = 0.1
_CODE = re.compile(r"[0-9A-Za-z-]{1,40}")
_STATEMENT = re.compile(r"[A-Z2-7]{1,1800}")
MAX_FORM = 4096
"""Maximum bytes of a form with a statement."""
_STATUS = {"later": 503}


class VerifyPages:
    """The routes; `call` calls the letter server's tool."""

    def __init__(self, call: InternalCall, clock: Clock) -> None:
        self._call = call
        self._buckets = Buckets(clock)

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(pages=…)`: open to everybody."""
        yield web.get("/verify", self.ask)
        yield web.get("/verify/{code}", self.by_code)
        yield web.post("/verify", self.by_body)
        yield web.post("/verify/{code}", self.by_body)

    async def ask(self, request: web.Request) -> web.Response:
        """The empty form; with `?code=`, which the form sends, the answer for that code."""
        code = request.query.get("code", "").strip()
        if code:
            return await self._answered(request, lambda: self._of_code(code), code)
        return _html(request, _own("ask", "ask"), "", 200)

    async def by_code(self, request: web.Request) -> web.Response:
        """The page that a letter's QR code links to."""
        code = request.match_info["code"]
        return await self._answered(request, lambda: self._of_code(code), code)

    async def by_body(self, request: web.Request) -> web.Response:
        """Check a PDF of a letter, or the statement of its QR code."""
        code = request.match_info.get("code", "")
        if request.content_type == "application/x-www-form-urlencoded":
            return await self._answered(request, lambda: self._of_statement(request, code), code)
        return await self._answered(request, lambda: self._of_file(request), "")

    async def _answered(
        self, request: web.Request, look: Callable[[], Awaitable[dict[str, Any]]], code: str
    ) -> web.Response:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            if wait := self._buckets.take(request[ADDRESS], PER_MINUTE):
                raise RateLimited(
                    f"an address may verify {PER_MINUTE} letters a minute; try again in {wait:.1f} s",
                    retry_after_s=round(wait, 1),
                )
            found = await look()
        except RateLimited as error:
            found = {**_own("later", "too_often"), **error.data}
        except (UnknownTool, ToolExecution) as error:
            log.warning("verify.unavailable", reason=error.message)
            found = _own("later", "unavailable")
        spent = loop.time() - began
        await asyncio.sleep(math.ceil(spent / QUANTUM_S) * QUANTUM_S - spent)
        status = 429 if "retry_after_s" in found else _STATUS.get(found["status"], 200)
        response = _json(found, status) if _wants_json(request) else _html(request, found, code, status)
        if status == 429:
            response.headers["Retry-After"] = str(math.ceil(found["retry_after_s"]))
        return response

    async def _of_code(self, code: str) -> dict[str, Any]:
        return await self._verified({"code": code if _CODE.fullmatch(code) else "0"})

    async def _of_statement(self, request: web.Request, code: str) -> dict[str, Any]:
        """Check a statement; text that doesn't look like one is sent on as unreadable."""
        form = await _form(request)
        said = form if _STATEMENT.fullmatch(form) else "0"
        return await self._verified({"code": f"{code if _CODE.fullmatch(code) else ''}#{said}"})

    async def _of_file(self, request: web.Request) -> dict[str, Any]:
        try:
            content = await _file(request)
        except web.HTTPRequestEntityTooLarge:
            return _own("tampered", "too_large")
        if not content:
            return _own("ask", "no_file")
        return await self._verified({"file": "data:application/pdf;base64," + base64.b64encode(content).decode()})

    async def _verified(self, question: dict[str, str]) -> dict[str, Any]:
        outcome = await self._call("verify_letter", question)
        if not outcome.success:
            raise ToolExecution(outcome.message or "verify_letter failed")
        if not isinstance(outcome.output, dict) or outcome.output.get("status") not in MARKS:
            raise ToolExecution("verify_letter answered without a verdict")
        return {key: value for key, value in outcome.output.items() if value is not None and key != "sha256"}


def _own(status: str, cause: str) -> dict[str, Any]:
    """An answer for which no letter server is needed."""
    return {"status": status, "genuine": False, "reason": WORDS["id"].reasons[cause], "cause": cause}


async def _form(request: web.Request) -> str:
    """The form's `statement`; empty if it is missing or too long."""
    body = await request.content.read(MAX_FORM + 1) if (request.content_length or 0) <= MAX_FORM else b""
    return parse_qs(body.decode("ascii", "replace")).get("statement", [""])[0] if len(body) <= MAX_FORM else ""


async def _file(request: web.Request) -> bytes:
    """The posted PDF, as the body or as a form's first part; empty if unreadable. Raises HTTPRequestEntityTooLarge.

    aiohttp's reader of forms holds the event loop for seconds if a form has many parts, or many lines before them.
    """
    body = await request.read()
    if not request.content_type.startswith("multipart/"):
        return body
    head, _, rest = body.partition(b"\r\n\r\n")
    boundary, _, head = head.partition(b"\r\n")
    content, end, _ = rest.partition(b"\r\n" + boundary)
    return content if boundary and end and b'name="file"' in head else b""


def _wants_json(request: web.Request) -> bool:
    accept = request.headers.get(hdrs.ACCEPT, "")
    return "application/json" in accept and "text/html" not in accept


def _json(found: dict[str, Any], status: int) -> web.Response:
    return web.Response(
        body=orjson.dumps(found), status=status, content_type="application/json", headers={"Cache-Control": "no-store"}
    )


def _html(request: web.Request, found: dict[str, Any], code: str, status: int) -> web.Response:
    language = language_of(request)
    headers = {"Cache-Control": "no-store", "Content-Language": language, "Vary": "Accept-Language"}
    return web.Response(text=page(found, code, language), content_type="text/html", status=status, headers=headers)
