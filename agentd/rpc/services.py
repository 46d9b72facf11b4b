"""What the methods stand on, in one frozen object that app.py fills. It holds no behaviour of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from agentd.messages import ProviderState
from agentd.ports import Clock
from agentd.rpc.params import MAX_PROMPT_BYTES

if TYPE_CHECKING:
    from agentd.runs.agent_api import AgentRuns
    from agentd.runs.sessions import SessionService
    from agentd.runs.tool_api import DirectTools

Part = TypeVar("Part")


class Models(Protocol):
    """The chain of providers."""

    def states(self) -> Sequence[ProviderState]:
        """Every provider in the order they are asked."""
        ...


Ask = Callable[..., Awaitable[dict[str, Any]]]
"""Answers a question of one kind (`analytics`, `graph`) as a durable run, as `Questions.ask` does."""


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

    runs: AgentRuns
    sessions: SessionService
    tools: DirectTools
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
