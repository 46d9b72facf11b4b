"""The seams of agentd, as Protocols; each has an in-memory twin in `agentd.testing` that passes the same tests.

At the end are base classes: a policy that lets every call pass, a tool of the daemon's own, a model around another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, Self, runtime_checkable

from agentd.messages import (
    Catalogue,
    ModelReply,
    ModelRequest,
    ProviderState,
    ServerSettings,
    ServerState,
    ToolCall,
    ToolInfo,
    ToolOutcome,
)


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of a turn's raw text, or (`restart`) the sign to drop what has come of this turn so far."""

    text: str = ""
    restart: bool = False


RESTART = TextChunk(restart=True)
"""Sent before another provider, or the same one again, writes the turn."""

TextSink = Callable[[TextChunk], None]
"""Receives each piece of a turn as the model writes it. Called on the event loop; must not block."""

ProgressSink = Callable[[float, float | None, str | None], None]
"""Receives (progress, total, message) while a tool works. Called on the event loop; must not block."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that answers one turn at a time."""

    @property
    def provider(self) -> str:
        """The provider's id in client.toml."""
        ...

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Answer one turn with its whole text. Raises ProviderFailure; cancelling stops the generation."""
        ...

    def state(self) -> ProviderState:
        """How it stands, from what is known without asking it."""
        ...

    async def aclose(self) -> None:
        """Release connections, threads and weights."""
        ...


@runtime_checkable
class ToolHost(Protocol):
    """Whatever offers tools: the MCP bridge, and the policies in front of it."""

    def catalogue(self) -> Catalogue:
        """What it offers now, from what is known without asking."""
        ...

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Make one call. A failure is an outcome, not an exception; so is a call that waits for a human (`pending`).
        Cancelling cancels the call at the server."""
        ...


class ServerHost(ToolHost, Protocol):
    """A tool host that keeps servers, as `agentd.tool_hosts` offers one: made of the configured servers.

    `async with` it: entering starts them and returns at once; leaving ends them and all they started.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def ready(self) -> Catalogue:
        """What there is once every server is up or has failed, or its `start_timeout_s` is over."""
        ...

    async def reconfigure(self, settings: Sequence[ServerSettings]) -> None:
        """Go over to these servers; those that did not change are left alone."""
        ...


class Meaning(Protocol):
    """Compares texts by what they mean, whatever the language."""

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the query, in the order given; more is nearer."""
        ...


class Journal(Protocol):
    """Makes pieces of a run durable: what was recorded under a name is answered from the record from then on."""

    async def step(
        self,
        name: str,
        act: Callable[[], Awaitable[dict[str, Any]]],
        *,
        effects: bool = False,
        is_last: Callable[[dict[str, Any]], bool] = lambda _: False,
    ) -> dict[str, Any]:
        """Run `act` once and record its JSON result; after a crash a recorded step is answered, not run again.

        `effects` says that doing it twice is not the same as once: a stop or a cancel gives it time to end, and of
        several nodes only the one that surely has the run begins it. A record that `is_last` is written with the run's
        end, which follows at once; until then the step counts as not done.
        """
        ...


class Clock(Protocol):
    """The time, so that tests and drills can set it."""

    def now(self) -> datetime:
        """The time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...


class CallPolicy:
    """A rule about calls. It lets every call pass; each overrides what it needs."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """The call to make, perhaps with other arguments; or the outcome of one that is not made."""
        return call

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:  # noqa: ARG002 - for those that need it
        """What became of the call that `before` let pass; a policy further in may have answered it."""
        return outcome


class OwnTool(ABC):
    """A tool that the daemon has itself. It is listed as if a server had it, by the name `info.server`."""

    info: ToolInfo

    def state(self, servers: Mapping[str, ServerState]) -> ServerState | None:  # noqa: ARG002 - for those that need it
        """The state to list for `info.server`, from the servers' states by name; None: the tool is not there."""
        return ServerState(name=self.info.server, state="up")

    @abstractmethod
    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Make one call. A failure is an outcome, not an exception."""


class ChatModelWrapper:
    """A ChatModel around another; it lacks `turn`."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def provider(self) -> str:
        return self._inner.provider

    def state(self) -> ProviderState:
        return self._inner.state()

    async def aclose(self) -> None:
        """Let go of the inner one."""
        await self._inner.aclose()
