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
    """The chain of providers that a reload may replace: who holds it need not know."""

    _inner: Any
    """What the plugin `fallback` makes: a ChatModel that has `states()`, too."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock
        self._turns: Counter[ChatModel] = Counter()
        """How many are under way, by their chain."""
        super().__init__(self._built(settings))

    def _built(self, settings: Settings) -> Any:
        built = models(settings)
        chain = plugin(MODELS, FALLBACK)(built, default=settings.default_provider, clock=self._clock.monotonic)
        self._models = built
        return chain

    async def replace(self, settings: Settings) -> None:
        """Build the new chain first, then let the old one go, after its turns. Raises ConfigError, changing nothing."""
        old, self._inner = self._inner, self._built(settings)
        await self._let_go(old)

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """One turn by the first provider that can."""
        chain = self._inner
        self._turns[chain] += 1
        try:
            reply: ModelReply = await chain.turn(request, on_text)
            return reply
        finally:
            self._turns[chain] -= 1
            await self._let_go(chain)

    async def _let_go(self, chain: ChatModel) -> None:
        """Close a chain that a reload replaced, when its last turn has ended."""
        if not self._turns[chain]:
            del self._turns[chain]
            if chain is not self._inner:
                await chain.aclose()

    def states(self) -> Sequence[ProviderState]:
        """Every provider's state, in the order in which they are asked."""
        states: Sequence[ProviderState] = self._inner.states()
        return states

    async def warm(self, prefix: Any) -> None:
        """Let providers that can prepare the prompt's stable start do so."""
        for model in self._models:
            if hasattr(model, "warm"):
                await model.warm(prefix)
