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
    """Made by the plugin `fallback`: a ChatModel that also has `states()` and `warm(prefix)`."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock
        self._turns: Counter[ChatModel] = Counter()
        """The number of running turns by chain."""
        super().__init__(self.built(settings))

    def built(self, settings: Settings) -> Any:
        """The chain of these settings' providers, which `replace` puts into use. Raises ConfigError."""
        make = plugin(MODELS, FALLBACK)
        return make(models(settings), default=settings.default_provider, clock=self._clock.monotonic)

    async def replace(self, chain: Any) -> None:
        """Use this chain from now on; the old one is closed after its last turn."""
        old, self._inner = self._inner, chain
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
        await self._inner.warm(prefix)
