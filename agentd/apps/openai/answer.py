"""Writes answers of OpenAI's protocol: complete, as server-sent events, or errors. It calls no model."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web

from agentd.apps.openai.request import Completion
from agentd.errors import AgentdError, ProviderFailure
from agentd.http.leases import ADMITTED
from agentd.messages import Usage
from agentd.ports import TextChunk, TextSink

T = TypeVar("T")
GONE_CHECK_S = 0.5
"""Seconds between checks of whether the client is still connected."""


class ClientLeft(web.HTTPException):
    """The client has left: a normal end of a request, which is not logged as an error."""

    status_code = 499


@dataclass(frozen=True, slots=True)
class Spoken:
    """A model's answer. `extra` is sent under the key `agentd`."""

    text: str
    model: str
    usage: Usage = field(default_factory=Usage)
    cut: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


async def streamed(
    request: web.Request, asked: Completion, speak: Callable[[TextSink | None], Coroutine[Any, Any, Spoken]]
) -> web.StreamResponse:
    """Answer with server-sent events; `speak` gets a sink for the text as it is written.

    An error before the first piece is raised (AgentdError, ProviderFailure); a later one is sent as an event `error`.
    Raises ClientLeft if the client leaves.
    """
    pieces: asyncio.Queue[TextChunk | None] = asyncio.Queue()
    head = {"id": _new_id(), "object": "chat.completion.chunk", "created": int(time.time()), "model": asked.model}
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    wrote = False

    async def send(event: dict[str, Any]) -> None:
        if not response.prepared:
            await response.prepare(request)
            await response.write(_event({**head, "choices": [_choice({"role": "assistant", "content": ""})]}))
        await response.write(_event(event))

    async with _task(speak(pieces.put_nowait)) as task:
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await while_there(request, pieces.get())) is not None:
                if piece.restart and wrote:
                    raise ProviderFailure("unavailable", "the provider broke off in the middle; ask again")
                if not piece.restart:
                    wrote = True
                    await send({**head, "choices": [_choice({"content": piece.text})]})
            spoken = await task
        except (AgentdError, ProviderFailure) as error:
            if not response.prepared:
                raise
            await send({"error": _error(error)[1]})
            await response.write_eof()
            return response
    if not wrote and spoken.text:
        await send({**head, "choices": [_choice({"content": spoken.text})]})
    finish = "length" if spoken.cut else "stop"
    await send({**head, "model": spoken.model, "choices": [_choice({}, finish)], "agentd": spoken.extra})
    if asked.stream_options and asked.stream_options.include_usage:
        await send({**head, "model": spoken.model, "choices": [], "usage": _usage(spoken.usage)})
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


@asynccontextmanager
async def _task(work: Coroutine[Any, Any, Spoken]) -> AsyncIterator[asyncio.Task[Spoken]]:
    """A task that is cancelled at the end of the block."""
    task = asyncio.create_task(work, name="openai-api")
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, AgentdError, ProviderFailure):
            await task


async def while_there(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """Await the work; cancel it if the client leaves or loses its rights, so that the model is free for others."""
    task = asyncio.create_task(work, name="openai-api")
    still_admitted = request[ADMITTED].check if ADMITTED in request else lambda: None
    try:
        while not (await asyncio.wait({task}, timeout=GONE_CHECK_S))[0]:
            if request.transport is None or request.transport.is_closing():
                raise ClientLeft()
            still_admitted()
        still_admitted()
        return task.result()
    finally:
        task.cancel()


def whole(spoken: Spoken) -> dict[str, Any]:
    message = {"role": "assistant", "content": spoken.text}
    finish = "length" if spoken.cut else "stop"
    return {
        "id": _new_id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": spoken.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage(spoken.usage),
        "agentd": spoken.extra,
    }


def _choice(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(usage: Usage) -> dict[str, int]:
    read, written = usage.input_tokens, usage.output_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _new_id() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


def _error(error: AgentdError | ProviderFailure) -> tuple[int, dict[str, Any]]:
    """(HTTP status, OpenAI's error object)."""
    param, code = None, ""
    if isinstance(error, ProviderFailure):
        status, code = 400 if error.kind in ("bad_request", "blocked") else 503, error.kind
    else:
        status, code, param = error.status, error.type, error.data.get("field")
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"message": error.message, "type": kind, "param": param, "code": code}
    if isinstance(error, AgentdError) and "user_message" in error.data:
        body["user_message"] = error.user_message()
    return status, body


def refusal(error: AgentdError | ProviderFailure) -> web.Response:
    status, body = _error(error)
    response = web.json_response({"error": body}, status=status)
    if isinstance(error, ProviderFailure) and error.retry_after_s is not None:
        response.headers["Retry-After"] = str(int(error.retry_after_s) + 1)
    return response
