"""Local servers that speak the protocols of Gemini, Ollama and OpenAI to their real client packages, with faults.

No client is mocked: each server is an aiohttp application that answers from a list of `Answer`s, repeats the last one,
and records every request.
"""

from __future__ import annotations

import asyncio
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from aiohttp import web
from aiohttp.test_utils import TestServer

from agentd.messages import ProviderSettings
from agentd.plugins import MODELS, plugin
from agentd.ports import ChatModel

KEY = "sk-secret-7f3a"


@dataclass(frozen=True)
class Answer:
    """The server's reaction to one request. With `body` it answers that; when streaming, `body` is a list of pieces.

    `ending`: whole; max_tokens; blocked; hang (after the first piece), cut (the connection breaks), silent_end (the
    stream ends as if it were complete), error_line (an error inside the stream), garbage (no JSON).
    """

    text: str = '{"action":"final","response":"Selamat pagi"}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    held: asyncio.Event | None = None
    """If set, the answer waits for this event."""
    packed: bool = False
    """Compressed, asked or not."""
    ending: Literal["whole", "max_tokens", "blocked", "hang", "cut", "silent_end", "error_line", "garbage"] = "whole"


class Wire(ABC):
    """One local server; `async with` starts it and sets its address."""

    type: str

    def __init__(self, *answers: Answer) -> None:
        self.answers: Sequence[Answer] = answers or (Answer(),)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked = threading.Event()
        """Set at the first request."""
        self.dropped = asyncio.Event()
        """Set when a client has abandoned a hanging request."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._server = TestServer(app)

    async def __aenter__(self) -> Wire:
        await self._server.start_server()  # it cancels a disconnected client's handler
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @property
    def endpoint(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    def settings(self, **changes: Any) -> ProviderSettings:
        given: dict[str, Any] = {"id": self.type, "type": self.type, "endpoint": self.endpoint, "timeout_s": 60.0}
        return ProviderSettings(**{**given, "api_key": KEY, "api_key_name": "TEST_KEY", "model": "m-1", **changes})

    def model(self, **changes: Any) -> ChatModel:
        model: ChatModel = plugin(MODELS, self.type)(self.settings(**changes))
        return model

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append({"path": request.path, **(await request.json())})
        self.headers.append(dict(request.headers))
        self.asked.set()
        if answer.held is not None:
            await answer.held.wait()
        if answer.status != 200:
            body = answer.body if answer.body is not None else self.error(answer.status)
            return web.json_response(body, status=answer.status, headers=answer.headers)
        if not self.streams(request, self.requests[-1]):
            return web.json_response(answer.body) if answer.body is not None else await self._at_once(request, answer)
        return await self._streamed(request, answer)

    async def _at_once(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        if answer.ending == "hang":
            await self._hang()
        if answer.ending == "garbage":
            return web.Response(text="<html>oops", content_type="application/json")
        if answer.ending == "cut":
            response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
            await response.prepare(request)
            await response.write(b'{"half')
            assert request.transport is not None
            request.transport.abort()
            return response
        response = web.json_response(self.whole(answer))
        if answer.packed:
            response.enable_compression(web.ContentCoding.gzip)
        return response

    async def _streamed(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": self.stream_type})
        if answer.packed:
            response.enable_compression(web.ContentCoding.gzip)
        await response.prepare(request)
        broken = answer.ending in ("hang", "cut", "silent_end", "error_line", "garbage")
        lines = list(self.lines(answer)) if answer.body is None else [json.dumps(chunk) for chunk in answer.body]
        for line in lines[:2] if broken else lines:
            await response.write(self.frame(line))
        match answer.ending:
            case "hang":
                await self._hang()
            case "cut":
                assert request.transport is not None
                request.transport.abort()
            case "error_line":
                await response.write(self.frame(json.dumps(self.error(500))))
            case "garbage":
                await response.write(self.frame("{this is no JSON"))
        with suppress(ConnectionError):
            await response.write_eof()
        return response

    async def _hang(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.dropped.set()

    stream_type = "text/event-stream"

    def frame(self, line: str) -> bytes:
        """One line of a stream in this protocol's format."""
        return f"data: {line}\r\n\r\n".encode()

    @abstractmethod
    def streams(self, request: web.Request, body: dict[str, Any]) -> bool: ...

    @abstractmethod
    def whole(self, answer: Answer) -> Any: ...

    @abstractmethod
    def lines(self, answer: Answer) -> Iterator[str]: ...

    @abstractmethod
    def error(self, status: int) -> Any: ...


def halves(text: str) -> list[str]:
    """The text cut into pieces, in order."""
    return [text[start : start + 9] for start in range(0, len(text), 9)]


class GeminiWire(Wire):
    """`POST /v1beta/models/M:generateContent` and `:streamGenerateContent?alt=sse`."""

    type = "gemini"
    endings: ClassVar = {"max_tokens": "MAX_TOKENS"}

    def streams(self, request: web.Request, body: dict[str, Any]) -> bool:
        return request.path.endswith(":streamGenerateContent")

    def whole(self, answer: Answer) -> Any:
        if answer.ending == "blocked":
            return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7}}
        return self._chunk(answer.text, self.endings.get(answer.ending, "STOP"))

    def lines(self, answer: Answer) -> Iterator[str]:
        if answer.ending == "blocked":
            yield json.dumps(self.whole(answer))
            return
        for piece in halves(answer.text):
            yield json.dumps(self._chunk(piece, None))
        yield json.dumps(self._chunk("", self.endings.get(answer.ending, "STOP")))

    def error(self, status: int) -> Any:
        return {"error": {"code": status, "message": f"refused {KEY}", "status": "SOMETHING"}}

    def _chunk(self, text: str, finish: str | None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}}
        if finish:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 5}}


class OllamaWire(Wire):
    """`POST /api/chat`: one JSON object, or a line of JSON for each piece."""

    type = "ollama"
    stream_type = "application/x-ndjson"

    def frame(self, line: str) -> bytes:
        return f"{line}\n".encode()

    def streams(self, request: web.Request, body: dict[str, Any]) -> bool:
        return bool(body.get("stream"))

    def whole(self, answer: Answer) -> Any:
        return {**self._line(answer.text), **self._end(answer)}

    def lines(self, answer: Answer) -> Iterator[str]:
        for piece in halves(answer.text):
            yield json.dumps(self._line(piece))
        yield json.dumps({**self._line(""), **self._end(answer)})

    def error(self, status: int) -> Any:
        return {"error": f"refused {KEY}"}

    def _line(self, text: str) -> dict[str, Any]:
        return {"model": "m-1", "message": {"role": "assistant", "content": text}, "done": False}

    def _end(self, answer: Answer) -> dict[str, Any]:
        if answer.ending == "silent_end":
            return {}
        reason = "length" if answer.ending == "max_tokens" else "stop"
        return {"done": True, "done_reason": reason, "prompt_eval_count": 7, "eval_count": 5}


class OpenAIWire(Wire):
    """`POST /chat/completions`, with server-sent events when streaming."""

    type = "openai"
    endings: ClassVar = {"max_tokens": "length", "blocked": "content_filter"}
    usage: ClassVar = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}

    def streams(self, request: web.Request, body: dict[str, Any]) -> bool:
        return bool(body.get("stream"))

    def whole(self, answer: Answer) -> Any:
        message = {"role": "assistant", "content": answer.text}
        choice = {"index": 0, "message": message, "finish_reason": self.endings.get(answer.ending, "stop")}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self.usage}

    def lines(self, answer: Answer) -> Iterator[str]:
        for piece in halves(answer.text):
            yield json.dumps(self._chunk({"content": piece}, None))
        yield json.dumps(self._chunk({}, self.endings.get(answer.ending, "stop")))
        yield json.dumps({**self._head("chat.completion.chunk"), "choices": [], "usage": self.usage})
        yield "[DONE]"

    def error(self, status: int) -> Any:
        return {"error": {"message": f"refused {KEY}", "type": "some_error", "code": None}}

    def _chunk(self, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "c-1", "object": kind, "created": 1, "model": "m-1"}


WIRES: dict[str, type[Wire]] = {"gemini": GeminiWire, "ollama": OllamaWire, "openai": OpenAIWire}
