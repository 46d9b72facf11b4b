"""What a run of the agent starts from (a prompt, or a page's form), how far it may go, what has happened in it so far,
and its result. What a run continues from is read from and written to JSON, so that a replay gives the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from agentd.agent.actions import CallTool, Final
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset
from agentd.errors import AgentdError, Language, ToolError, ToolExecution
from agentd.messages import (
    AgentOptions,
    AgentStep,
    Artifact,
    Caller,
    ChatMessage,
    Consent,
    EventType,
    Fallback,
    Said,
    ToolInfo,
    Usage,
)

Publish = Callable[[EventType, dict[str, Any]], None]
"""Receives (event type, data) of all that happens; numbering and keeping are the engine's."""


@dataclass(frozen=True, slots=True)
class RunLimits:
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
    limits: RunLimits = RunLimits()
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
    """The result of a run."""

    status: str
    so_far: Progress
    response: str = ""
    pending: dict[str, Any] | None = None
    """The call that waits for a human: {tool, arguments, summary, rule}."""
    error: AgentdError | None = None

    def record(self) -> dict[str, Any]:
        """What the run continues from after an approval, as JSON."""
        return {**self.so_far.record(), "pending": self.pending}


@dataclass(slots=True)
class Progress:
    """What has happened so far: grown only from journal records, so that a replay grows the same."""

    messages: list[ChatMessage]
    said: list[Said]
    steps: list[AgentStep] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    provider: str | None = None
    model: str | None = None
    attempts: int = 0
    turns: int = 0
    failed: list[str] = field(default_factory=list)
    may_call_official: bool = True

    def record(self) -> dict[str, Any]:
        """As JSON, to continue from after an approval."""
        made: dict[str, Any] = _shape().dump_python(self, exclude={"may_call_official"})
        return made

    @classmethod
    def read(cls, record: dict[str, Any]) -> Progress:
        return _shape().validate_python(record)


@cache
def _shape() -> TypeAdapter[Progress]:
    return TypeAdapter(Progress)


@dataclass(slots=True)
class Asked:
    """The result of one ask, before it is recorded."""

    action: dict[str, Any] | None = None
    outcome: dict[str, Any] | None = None
    error: AgentdError | None = None
    fallbacks: list[Fallback] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    provider: str | None = None
    model: str | None = None
    reason: str = ""

    def record(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "outcome": self.outcome,
            "error": self.error and {"type": self.error.type, "message": self.error.message, "data": self.error.data},
            "fallbacks": [fallback.model_dump() for fallback in self.fallbacks],
            "logs": self.logs,
            "usage": self.usage.model_dump(),
            "attempts": self.attempts,
            "provider": self.provider,
            "model": self.model,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }


@dataclass(frozen=True, slots=True)
class Beginning:
    """The tool that the run begins with, None where a model chooses; and what was put into its form."""

    tool: ToolInfo | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, toolset: Toolset, options: AgentOptions) -> Beginning:
        """What the options ask for; a tool that is gone by now is left to the model."""
        if options.tool_hint is None:
            return cls()
        try:
            tool = toolset.resolve(options.tool_hint)
        except ToolError:
            return cls()
        return cls(tool, options.tool_arguments or {})

    def action(self, so_far: Progress, language: Language) -> CallTool | Final | None:
        """What is to be done without asking a model: the call of a full form, then what came of it.

        A failure without output is the daemon's (no server, no answer), in words that a citizen can do nothing with.
        """
        if self.tool is None or so_far.provider is not None:
            return None
        if so_far.steps:
            last = so_far.steps[-1]
            own = so_far.failed and last.output is None
            return Final(ToolExecution(last.message).user_message(language) if own else last.message)
        needed = self.tool.input_schema.get("required", ())
        full = all(self.typed.get(name) not in (None, "") for name in needed)
        return CallTool(self.tool.name, dict(self.typed)) if full else None

    def first(self, steps: Sequence[AgentStep]) -> ToolInfo | None:
        """The tool that must be called before any other, until it was."""
        return None if self.tool is None or any(step.tool == self.tool.name for step in steps) else self.tool

    def completed(self, call: CallTool, steps: Sequence[AgentStep]) -> CallTool:
        """The model's first call of the tool with what was typed: it copies nothing wrong."""
        tool = self.first(steps)
        if tool is None or call.tool.casefold() != tool.name.casefold():
            return call
        return replace(call, input={**call.input, **self.typed})
