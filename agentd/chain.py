"""The daemon's chain of language models, built from client.toml's providers by entry point; a reload replaces it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agentd.config import Settings
from agentd.messages import ModelReply, ModelRequest, ProviderState
from agentd.plugins import FALLBACK, MODELS, models, plugin
from agentd.ports import ChatModel, ChatModelWrapper, Clock, TextSink


class Chain(ChatModelWrapper):
    """The chain of providers. A reload may replace it unnoticed by its users."""

    _inner: Any
    """Made by the plugin `fallback`: a ChatModel that also has `states()`."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock
        self._turns: Counter[ChatModel] = Counter()
        """The number of running turns by chain."""
        super().__init__(self._built(settings))

    def _built(self, settings: Settings) -> Any:
        self._models = models(settings)
        make = plugin(MODELS, FALLBACK)
        return make(self._models, default=settings.default_provider, clock=self._clock.monotonic)

    async def replace(self, settings: Settings) -> None:
        """Build the new chain, then close the old one after its last turn. On ConfigError nothing changes."""
        old, self._inner = self._inner, self._built(settings)
        await self._let_go(old)

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        chain = self._inner
        self._turns[chain] += 1
        try:
            reply: ModelReply = await chain.turn(request, on_text)
            return reply
        finally:
            self._turns[chain] -= 1
            await self._let_go(chain)

    async def _let_go(self, chain: ChatModel) -> None:
        """Close a replaced chain once its last turn has ended."""
        if not self._turns[chain]:
            del self._turns[chain]
            if chain is not self._inner:
                await chain.aclose()

    def states(self) -> Sequence[ProviderState]:
        return list(self._inner.states())

    async def warm(self, prefix: Any) -> None:
        """Let the providers that support it prepare the prompt's stable start."""
        for model in self._models:
            if hasattr(model, "warm"):
                await model.warm(prefix)
