"""What a wrapper of a port passes on unchanged: a policy is one method over it. It decides nothing."""

from __future__ import annotations

from agentd.messages import Catalogue, ProviderState
from agentd.ports import ChatModel, ToolHost


class ToolHostWrapper:
    """A ToolHost around another; it lacks `call`."""

    def __init__(self, inner: ToolHost) -> None:
        self._inner = inner

    def catalogue(self) -> Catalogue:
        """What the inner host offers."""
        return self._inner.catalogue()


class ChatModelWrapper:
    """A ChatModel around another; it lacks `turn`."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def provider(self) -> str:
        """The inner one's."""
        return self._inner.provider

    def state(self) -> ProviderState:
        """The inner one's."""
        return self._inner.state()

    async def aclose(self) -> None:
        """Let go of the inner one."""
        await self._inner.aclose()
