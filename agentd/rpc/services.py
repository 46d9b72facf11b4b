"""What the methods stand on, in one frozen object that app.py fills. It holds no behaviour of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from agentd.messages import AgentStep, Caller, Catalogue, ProviderState
from agentd.ports import Clock
from agentd.rpc.params import MAX_PROMPT_BYTES
from agentd.runs.api import Runs, Sessions

Part = TypeVar("Part")


class Tools(Protocol):
    """The tools as one caller sees them: a tool outside its profile doesn't exist."""

    def catalogue(self, caller: Caller) -> Catalogue:
        """What this caller may see now."""
        ...

    async def call(self, tool: str, tool_input: dict[str, Any], server: str | None, caller: Caller) -> AgentStep:
        """Make one call outside any run. Raises UnknownTool, UnboundTool, ToolExecution, Forbidden."""
        ...


class Models(Protocol):
    """The chain of providers."""

    def states(self) -> Sequence[ProviderState]:
        """Every provider in the order they are asked."""
        ...


class Ask(Protocol):
    """Questions of one kind (`analytics`, `graph`) as durable runs."""

    async def __call__(
        self, question: str, *, session_id: str | None, run_id: str | None, caller: Caller, **options: Any
    ) -> dict[str, Any]:
        """Answer with the wire form of the kind's method."""
        ...


@dataclass(frozen=True, slots=True)
class WireLimits:
    """Bounds of the wire. `rate_per_minute` holds for callers without a rate of their own; None: no limit."""

    max_body_bytes: int = 4 * 1024 * 1024
    max_batch: int = 50
    max_prompt_bytes: int = MAX_PROMPT_BYTES
    rate_per_minute: float | None = 600
    heartbeat_s: float = 15.0
    stall_s: float = 10.0
    """How long a reader of a stream may leave its socket full before it is dropped."""
    body_timeout_s: float = 30.0
    ws_calls: int = 32
    """Calls under way on one WebSocket; further messages wait unread."""


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the methods and routes call."""

    runs: Runs
    sessions: Sessions
    tools: Tools
    models: Models
    questions: Mapping[str, Ask]
    """{kind: how it is asked}, of the apps that are installed."""
    health: Callable[[], dict[str, Any]]
    """`{"status": "ok" | "degraded" | "starting" | "draining", "version", "servers": […], "providers": […], …}`."""
    reload: Callable[[str], Awaitable[dict[str, Any]]]
    """Read client.toml again for this caller (an id) and apply the difference; answers what changed.

    Raises ConfigError and changes nothing.
    """
    clock: Clock
    letters_server: Callable[[], str]
    """The server that speaks for the office: pages ask no other for letters."""
    asked_here: Callable[[], list[str]]
    """The kinds of `questions` whose servers are configured."""
    limits: WireLimits = field(default_factory=WireLimits)
    parts: Mapping[type, Any] = field(default_factory=dict)
    """{type: the object of it}, of the apps that are installed."""

    def part(self, kind: type[Part]) -> Part:
        """What an app's methods stand on, by its type."""
        found: Part = self.parts[kind]
        return found
