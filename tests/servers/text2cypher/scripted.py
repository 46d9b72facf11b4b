"""An OpenAI-compatible endpoint on a free port that answers from a script. Real HTTP, no model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

Answer = str | tuple[int, str]  # the text, or an HTTP status with a message
Script = Callable[[dict[str, Any]], Answer]


class ScriptedModel:
    """An endpoint; `requests` holds every body received, `url` ends in /v1."""

    def __init__(self, script: Script, constraint: str | None = None) -> None:
        self.constraint = constraint
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._script = script

    async def model(self, request: web.Request) -> web.Response:
        """Describe the model as agentd does; without `constraint`, like any other endpoint."""
        said = {} if self.constraint is None else {"constraint": self.constraint}
        return web.json_response({"id": request.match_info["model"], "object": "model", "created": 0, **said})

    async def complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        answer = self._script(body)
        if isinstance(answer, tuple):
            return web.json_response({"error": {"message": answer[1]}}, status=answer[0], headers={"Retry-After": "0"})
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return web.json_response(
            {"id": "x", "object": "chat.completion", "created": 0, "model": "s", "choices": [choice], "usage": usage}
        )


def in_turn(*answers: Answer) -> Script:
    """The answers one after the other; the last is repeated."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def asked(body: dict[str, Any]) -> str:
    """The question's message: the last user turn that isn't feedback."""
    turns = [m["content"] for m in body["messages"] if m["role"] == "user" and not m["content"].startswith("## ")]
    return str(turns[-1])


@contextmanager
def scripted_model(script: Script, constraint: str | None = None) -> Iterator[ScriptedModel]:
    """Serve while the block runs."""
    model = ScriptedModel(script, constraint)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    runner: list[web.AppRunner] = []

    async def start() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", model.complete)
        app.router.add_get("/v1/models/{model:.+}", model.model)
        runner.append(web.AppRunner(app))
        await runner[0].setup()
        site = web.TCPSite(runner[0], "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        model.url = f"http://127.0.0.1:{port}/v1"
        started.set()

    def serve() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=serve, name="scripted-model", daemon=True)
    thread.start()
    assert started.wait(300)
    try:
        yield model
    finally:
        asyncio.run_coroutine_threadsafe(runner[0].cleanup(), loop).result(300)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(300)
        loop.close()
