"""A server that offers a model, and an openai client for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from aiohttp import web

from agentd.apps.openai.api import AgentHook, OpenAIApi
from agentd.http.guard import CALLER
from agentd.messages import Caller, Fallback, ModelInfo, ModelReply, ModelRequest, ProviderState, Usage
from agentd.ports import RESTART, TextChunk, TextSink

ADMIN = Caller(id="local", scopes=frozenset({"admin"}))
HELLO: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Selamat pagi"}]


class Model:
    """A chain with one provider that writes these pieces, or raises an exception among them."""

    provider = "local"

    def __init__(self, *pieces: str | TextChunk | Exception) -> None:
        self.pieces = pieces or ("Selamat ", "pagi.")
        self.asked: list[ModelRequest] = []
        self.hangs, self.left = asyncio.Event(), asyncio.Event()
        self.hang = False
        self.cut = False

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                if on_text is not None:
                    on_text(TextChunk(piece) if isinstance(piece, str) else piece)
            if self.hang:
                self.hangs.set()
                await asyncio.Event().wait()
        finally:
            self.left.set()
        again = self.pieces.index(RESTART) + 1 if RESTART in self.pieces else 0
        said = "".join(str(piece) for piece in self.pieces[again:])
        passed = (Fallback(provider="gemini", kind="auth", message="no API key"),)
        usage = Usage(input_tokens=7, output_tokens=3)
        return ModelReply(
            text=said,
            provider="local",
            model=request.model or "m-1",
            usage=usage,
            cut=self.cut,
            fallbacks=passed,
            constraint="grammar",
        )

    def state(self) -> ProviderState:
        infos = (ModelInfo(name="m-1"), ModelInfo(name="org/m-2"))
        return ProviderState(id="local", type="test", models=infos, state="ready", constraint="grammar")

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.fixture
async def serve() -> AsyncIterator[Any]:
    """A function that serves a model (with further options) and returns an openai client for it."""
    servers: list[web.AppRunner] = []  # started like the daemon's: a client that disconnects cancels no handler
    clients: list[openai.AsyncOpenAI] = []

    async def start(model: Model, agent: AgentHook | None = None, caller: Caller = ADMIN) -> openai.AsyncOpenAI:
        @web.middleware
        async def admit(request: web.Request, handler: Any) -> web.StreamResponse:
            request[CALLER] = caller
            answer: web.StreamResponse = await handler(request)
            return answer

        app = web.Application(middlewares=[admit])
        app.add_routes(OpenAIApi(model, lambda: [model.state()], agent).routes())
        servers.append(web.AppRunner(app))
        await servers[-1].setup()
        await web.TCPSite(servers[-1], "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{servers[-1].addresses[0][1]}/v1"
        clients.append(openai.AsyncOpenAI(api_key="x", base_url=url, max_retries=0))
        return clients[-1]

    start.servers = servers
    yield start
    for client in clients:
        await client.close()
    for server in servers:
        await server.cleanup()
