"""The interfaces between agentd's parts, as Protocols. Each has an in-memory implementation in `agentd.testing` that
passes the same tests. At the end are base classes for policies, the daemon's own tools and model wrappers."""

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
    """A piece of a turn's raw text, or (`restart`) the signal to drop the turn's text so far."""

    text: str = ""
    restart: bool = False


RESTART = TextChunk(restart=True)
"""Sent before another provider, or the same one again, writes the turn from its start."""

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

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Answer one turn with its whole text. Raises ProviderFailure; cancelling stops the generation."""

    def state(self) -> ProviderState:
        """The provider's state as known, without a request to it."""

    async def aclose(self) -> None:
        """Release connections, threads and weights."""


@runtime_checkable
class ToolHost(Protocol):
    """Something that offers tools, such as the MCP bridge and the policies in front of it."""

    def catalogue(self) -> Catalogue:
        """The tools and servers that it offers now, as known, without a request to a server."""

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Make one call. A failure is returned as an outcome, not raised; so is a call that waits for a human
        (`pending`). Cancelling cancels the call at the server."""


class ServerHost(ToolHost, Protocol):
    """A tool host that runs the configured servers; plugins in `agentd.tool_hosts` create it.

    Use it as `async with`: entering starts the servers and returns at once; leaving ends them and all they started.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def ready(self) -> Catalogue:
        """Wait until every server is up, has failed or has used its `start_timeout_s`; returns the catalogue."""

    async def reconfigure(self, settings: Sequence[ServerSettings]) -> None:
        """Switch to these servers; unchanged ones keep running."""


class Meaning(Protocol):
    """Compares texts by meaning, across languages."""

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        """Each text's nearness to the query, in the given order; higher is nearer."""


Record = dict[str, Any]
"""A step's result as JSON."""
Act = Callable[[], Awaitable[Record]]
"""The work of a step."""
IsLast = Callable[[Record], bool]
"""Whether a step's result is the run's end."""


class Journal(Protocol):
    """Makes the steps of a run durable: once recorded, a step is answered from its record."""

    async def step(self, name: str, act: Act, *, effects: bool = False, is_last: IsLast = lambda _: False) -> Record:
        """Run `act` once and record its JSON result; after a crash a recorded step is answered, not run again.

        `effects` means that repeating the step is not harmless: a stop or cancel gives it time to end, and only the
        node that surely owns the run begins it. A record for which `is_last` is true is written with the run's end,
        which follows at once; until then the step counts as not done.
        """


class Clock(Protocol):
    """The time, so that tests and drills can set it."""

    def now(self) -> datetime:
        """The current time as an aware datetime in UTC."""

    def monotonic(self) -> float:
        """Seconds that never decrease."""


class CallPolicy:
    """A rule about calls. The base lets every call pass; policies override what they need."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """Return the call to make, perhaps with other arguments, or an outcome to prevent the call."""
        return call

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:  # noqa: ARG002 - for those that need it
        """Return the final outcome of a call that `before` let pass; an inner policy may have answered it."""
        return outcome


class OwnTool(ABC):
    """A tool that the daemon implements itself. It is listed under the server name `info.server`."""

    info: ToolInfo

    def state(self, servers: Mapping[str, ServerState]) -> ServerState | None:  # noqa: ARG002 - for those that need it
        """The state to list for `info.server`, given the servers' states by name; None hides the tool."""
        return ServerState(name=self.info.server, state="up")

    @abstractmethod
    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Make one call. A failure is returned as an outcome, not raised."""


class ChatModelWrapper:
    """The base of a ChatModel around another; subclasses add `turn`."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def provider(self) -> str:
        return self._inner.provider

    def state(self) -> ProviderState:
        return self._inner.state()

    async def aclose(self) -> None:
        await self._inner.aclose()
