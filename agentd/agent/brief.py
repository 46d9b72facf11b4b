"""What a run of the agent starts from, how far it may go, and what it came to. Records only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentd.agent.picking import PromptTools
from agentd.agent.progress import Progress
from agentd.agent.toolset import Toolset
from agentd.errors import AgentdError, Language
from agentd.messages import (
    AgentOptions,
    Caller,
    ChatMessage,
    Consent,
    EventType,
    Said,
)

Publish = Callable[[EventType, dict[str, Any]], None]
"""Receives (event type, data) of all that happens; numbering and keeping are the engine's."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one run may go."""

    max_steps: int = 8
    max_tool_errors: int = 3
    max_tokens: int = 200_000


@dataclass(frozen=True, slots=True)
class Brief:
    """All that a run starts from. `prefix` is the stable start of the prompt, `history` the session's past turns."""

    run_id: str
    session_id: str
    prompt: str
    prefix: tuple[ChatMessage, ...]
    toolset: Toolset
    prompt_tools: PromptTools | None = None
    """The tools that the prompt lists, where they are too many to list all."""
    language: Language = "id"
    """Of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen writes; None: `language`."""
    history: tuple[ChatMessage, ...] = ()
    said: tuple[Said, ...] = ()
    options: AgentOptions = field(default_factory=AgentOptions)
    limits: Limits = Limits()
    barred: frozenset[str] = frozenset()
    """Providers that this caller's profile does not use."""
    caller: Caller | None = None
    day: str = ""
    """On which day the run began (ISO date), so that `besok` is a date; empty: today."""
    attempt: int = 0
    """Model attempts recorded in the session before this run."""
    resumed: dict[str, Any] | None = None
    """The record of a run that stopped for an approval, with `consent` (or the refusal) that goes on with it."""
    consent: Consent | None = None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a run came to."""

    status: str
    so_far: Progress
    response: str = ""
    pending: dict[str, Any] | None = None
    """The call that waits for a human: {tool, arguments, summary, rule}."""
    error: AgentdError | None = None

    def record(self) -> dict[str, Any]:
        """What the run goes on from after an approval, as JSON."""
        return {**self.so_far.record(), "pending": self.pending}
