"""The daemon's chain of language models, built from client.toml's providers by entry point; a reload replaces it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agentd.config import Settings
from agentd.messages import ModelReply, ModelRequest, ProviderState
from agentd.plugins import FALLBACK, MODELS, models, plugin
from agentd.ports import ChatModel, Clock, TextSink


class Chain:
    """The chain of providers that a reload may replace: who holds it need not know."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock
        self._models: list[ChatModel] = []
        self._chain = self._built(settings)
        self._turns: Counter[int] = Counter()
        """How many are under way, by the id() of their chain."""
        self._replaced: dict[int, Any] = {}
        """Chains that a reload replaced in the middle of a turn, by their id(): each is closed after its last turn."""

    def _built(self, settings: Settings) -> Any:
        built = models(settings)
        chain = plugin(MODELS, FALLBACK)(built, default=settings.default_provider, clock=self._clock.monotonic)
        self._models = built
        return chain

    async def replace(self, settings: Settings) -> None:
        """Build the new chain first, then let the old one go, after its turns. Raises ConfigError, changing nothing."""
        old = self._chain
        self._chain = self._built(settings)
        if self._turns[id(old)]:
            self._replaced[id(old)] = old
        else:
            await old.aclose()

    @property
    def provider(self) -> str:
        """The provider asked first."""
        return str(self._chain.provider)

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """One turn by the first provider that can."""
        chain, number = self._chain, id(self._chain)
        self._turns[number] += 1
        try:
            reply: ModelReply = await chain.turn(request, on_text)
        finally:
            self._turns[number] -= 1
            if not self._turns[number]:
                del self._turns[number]
                if number in self._replaced:
                    await self._replaced.pop(number).aclose()
        return reply

    def state(self) -> ProviderState:
        """The chain's as one provider."""
        state: ProviderState = self._chain.state()
        return state

    def states(self) -> Sequence[ProviderState]:
        """Every provider's, in order."""
        states: Sequence[ProviderState] = self._chain.states()
        return states

    async def warm(self, prefix: Any) -> None:
        """Let providers that can prepare the prompt's stable start do so."""
        for model in self._models:
            if hasattr(model, "warm"):
                await model.warm(prefix)

    async def aclose(self) -> None:
        """Let go of all providers."""
        replaced, self._replaced = self._replaced, {}
        for chain in (self._chain, *replaced.values()):
            await chain.aclose()
