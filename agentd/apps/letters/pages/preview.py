"""POST /preview: a draft of a letter as a picture, for the page that asks a citizen to check it. It keeps nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import orjson
from aiohttp import web
from pydantic import Field

from agentd.application import InternalCall
from agentd.errors import AgentdError, Forbidden, InvalidParams, NotFound, ParseError, ToolExecution
from agentd.http.guard import CALLER
from agentd.messages import ToolOutcome
from agentd.rpc.method import ANYONE
from agentd.rpc.params import Arguments, Params, read


class PreviewParams(Params):
    """The body: a letter's type and its fields as in `generate_…`."""

    letter_type: str = Field(min_length=1, max_length=100)
    data: Arguments


class PreviewEndpoint:
    """Returns the letter server's picture of a draft. The file of the call is removed, because it names a citizen."""

    def __init__(self, call: InternalCall) -> None:
        self._call = call

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(mounted=…)`."""
        yield web.post("/preview", self.post)

    async def post(self, request: web.Request) -> web.Response:
        """A PNG of the first page; the tool's own message if the type (404) or a field (400) is wrong."""
        if not request[CALLER].may(*ANYONE):
            raise Forbidden("This needs the scope of somebody who talks with the agent")
        try:
            body = orjson.loads(await request.read())
        except orjson.JSONDecodeError:
            raise ParseError("The body is not JSON") from None
        if not isinstance(body, dict):
            raise InvalidParams("The body must be an object with letter_type and data")
        params = read(PreviewParams, body)
        outcome = await self._call("preview_letter", params.model_dump())
        if not outcome.success:
            raise _fault(outcome)
        kept = [Path(artifact.path) for artifact in outcome.artifacts if artifact.path]
        picture = await asyncio.to_thread(_taken, kept)
        if picture is None:
            raise NotFound("the letter server drew no picture")
        return web.Response(body=picture, content_type="image/png", headers={"Cache-Control": "no-store"})


def _fault(outcome: ToolOutcome) -> AgentdError:
    """The error for a wrong parameter, with the letter server's name for it; else the server's own fault."""
    kind = outcome.output.get("error") if isinstance(outcome.output, dict) else None
    error = {"unknown_letter": NotFound, "invalid_fields": InvalidParams}.get(str(kind), ToolExecution)
    return error("the draft can't be drawn", user_message=outcome.message)


def _taken(paths: list[Path]) -> bytes | None:
    """The bytes of the first picture. Deletes all the files and their folder."""
    picture = next((path.read_bytes() for path in paths if path.suffix == ".png"), None)
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in paths}:
        with contextlib.suppress(OSError):
            folder.rmdir()
    return picture
