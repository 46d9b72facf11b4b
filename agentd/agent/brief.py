"""The data of one agent run: its input (a prompt or a page's form), limits, progress and result. Progress is stored
as JSON, so that a replay gives the same run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from agentd.agent.actions import CallTool, Final
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset
from agentd.errors import AgentdError, Language, ToolExecution
from agentd.messages import (
    AgentOptions,
    AgentStep,
    Artifact,
    Caller,
    ChatMessage,
    Consent,
    EventType,
    Fallback,
    ModelReply,
    Said,
    ToolInfo,
    Usage,
    adapter,
)

Publish = Callable[[EventType, dict[str, Any]], None]
"""Receives each event as (type, data). The engine numbers and stores events."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run."""

    max_steps: int = 8
    max_tool_errors: int = 3
    max_tokens: int = 200_000


@dataclass(frozen=True, slots=True)
class Brief:
    """A run's input. `prefix` is the stable start of the prompt, `history` the session's past turns."""

    run_id: str
    session_id: str
    prompt: str
    prefix: tuple[ChatMessage, ...]
    toolset: Toolset
    prompt_tools: PromptTools | None = None
    """The tools that the prompt lists, if there are too many to list all."""
    language: Language = "id"
    """The language of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen writes; None if it is `language`."""
    history: tuple[ChatMessage, ...] = ()
    said: tuple[Said, ...] = ()
    options: AgentOptions = field(default_factory=AgentOptions)
    limits: RunLimits = RunLimits()
    barred: frozenset[str] = frozenset()
    """Providers that this caller's profile does not use."""
    caller: Caller | None = None
    day: str = ""
    """The day on which the run began (ISO date), to resolve words such as `besok`; empty means today."""
    attempt: int = 0
    """The number of model attempts in the session before this run."""
    resumed: dict[str, Any] | None = None
    """The record of a run that stopped for an approval; `consent` resumes it, None means that it was refused."""
    consent: Consent | None = None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The result of a run."""

    status: str
    so_far: Progress
    response: str = ""
    pending: dict[str, Any] | None = None
    """The call that waits for a human (see `approval.waiting`)."""
    error: AgentdError | None = None

    def record(self) -> dict[str, Any]:
        """The JSON from which the run continues after an approval."""
        return {**self.so_far.record(), "pending": self.pending}


@dataclass(slots=True)
class Progress:
    """What has happened so far. It changes only by journal records, so that a replay gives the same."""

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
    more: list[dict[str, Any]] = field(default_factory=list)
    """The actions that the model wrote after its last call in the same turn and that were not performed yet."""
    may_call_official: bool = True

    def record(self) -> dict[str, Any]:
        """The progress as JSON, to continue after an approval."""
        made: dict[str, Any] = adapter(Progress).dump_python(self, exclude={"may_call_official"})
        return made

    @classmethod
    def read(cls, record: dict[str, Any]) -> Progress:
        progress: Progress = adapter(Progress).validate_python(record)
        return progress


@dataclass(slots=True)
class Asked:
    """The result of asking the model once, before it is recorded."""

    action: dict[str, Any] | None = None
    more: list[dict[str, Any]] = field(default_factory=list)
    """The calls that the model wrote after this action."""
    outcome: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    """The JSON of the AgentdError that ends the run."""
    fallbacks: list[Fallback] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    provider: str | None = None
    model: str | None = None
    reason: str = ""
    """Why the last reply was no action; empty if there was none."""

    def answered(self, reply: ModelReply) -> None:
        """Add a reply: what it cost, and who gave it."""
        self.attempts += reply.attempts
        self.fallbacks += reply.fallbacks
        self.usage += reply.usage
        self.provider, self.model = reply.provider, reply.model

    def record(self) -> dict[str, Any]:
        """The JSON of the journal's entry."""
        made: dict[str, Any] = adapter(Asked).dump_python(self, exclude={"reason"})
        return {**made, "at": datetime.now(UTC).isoformat(timespec="milliseconds")}


@dataclass(frozen=True, slots=True)
class Beginning:
    """The tool with which the run begins (None if the model chooses) and the values typed into its form."""

    tool: ToolInfo | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, toolset: Toolset, options: AgentOptions) -> Beginning:
        """Read it from the options. If their tool no longer exists, the model chooses."""
        tool = toolset.known(options.tool_hint) if options.tool_hint is not None else None
        return cls(tool, options.tool_arguments or {}) if tool is not None else cls()

    def action(self, so_far: Progress, language: Language) -> CallTool | Final | None:
        """The action that needs no model: the call of a complete form, then its outcome as the answer; else None.

        A failure without output comes from the daemon (no server, no answer), so a text for citizens replaces it.
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
        """The tool that must be called before any other; None once it was called."""
        return None if self.tool is None or any(step.tool == self.tool.name for step in steps) else self.tool

    def completed(self, call: CallTool, steps: Sequence[AgentStep]) -> CallTool:
        """The model's first call of the tool, with the typed values over the model's own, which may be miscopied."""
        tool = self.first(steps)
        if tool is None or call.tool.casefold() != tool.name.casefold():
            return call
        return replace(call, input={**call.input, **self.typed})
