"""Providers that answer, fail or hang as told, and chains of them. Not a test."""

from __future__ import annotations

import asyncio
from typing import Any

from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import ChatMessage, ModelInfo, ModelReply, ModelRequest, ProviderState
from agentd.ports import ChatModel, TextChunk, TextSink
from bridges.fallback import FallbackChain

FINAL = {"action": "final", "response": "ya"}


class Replies:
    """A provider that answers or fails as its list says, and records each request."""

    def __init__(self, provider: str, *turns: str | Exception, models: tuple[str, ...] = ()) -> None:
        self.provider = provider
        self.turns = list(turns)
        self.asked: list[ModelRequest] = []
        self.models = tuple(ModelInfo(name=name) for name in models)
        self.closed = False

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        if on_text is not None:
            on_text(TextChunk(turn))
        return ModelReply(text=turn, provider=self.provider, model="m")

    def state(self) -> ProviderState:
        return ProviderState(id=self.provider, type="test", models=self.models, state="ready")

    async def aclose(self) -> None:
        self.closed = True


class Hangs(Replies):
    """A provider that never answers; each request releases `asking` once."""

    def __init__(self, provider: str) -> None:
        super().__init__(provider, "never")
        self.asking = asyncio.Semaphore(0)

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        self.asking.release()
        if on_text is not None:
            on_text(TextChunk("half an ans"))
        await asyncio.Event().wait()
        raise AssertionError


def ask(**fields: Any) -> ModelRequest:
    return ModelRequest(messages=(ChatMessage(role="user", content="hi"),), **fields)


def failure(kind: FaultKind, retry_after_s: float | None = None) -> ProviderFailure:
    return ProviderFailure(kind, f"because of {kind}", retry_after_s=retry_after_s)


def chain(*models: ChatModel, **options: Any) -> FallbackChain:
    return FallbackChain(models, default=options.pop("default", None), **options)
