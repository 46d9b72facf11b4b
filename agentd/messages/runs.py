"""A run as its caller sees it: its request, steps, events and outcome."""

from __future__ import annotations

from operator import not_
from typing import Literal

from pydantic import Field

from agentd.errors import Language
from agentd.messages.base import Json, Message
from agentd.messages.calls import Agreement, Artifact, Source, ToolOutcome
from agentd.messages.models import Fallback, Usage
from agentd.messages.tools import ApprovalRule

RunStatus = Literal["queued", "running", "completed", "needs_approval", "cancelled", "failed"]
EventType = Literal[
    "run.started",
    "model.started",
    "model.delta",
    "model.finished",
    "model.fallback",
    "tool.started",
    "tool.progress",
    "tool.finished",
    "approval.requested",
    "approval.decided",
    "run.finished",
]
LIVE_ONLY: frozenset[str] = frozenset({"model.delta", "tool.progress"})
"""Events that are only sent live and never stored. They have the seq of the last stored event."""


class RunOptions(Message):
    """What a caller may set for one run."""

    provider: str | None = Field(None, max_length=100, description="A provider's id; the others follow as fallbacks.")
    model: str | None = Field(None, max_length=200, description="One of that provider's models.")
    system_prompt: str | None = Field(None, max_length=100_000, description="Replaces the office's custom_instruction.")
    max_steps: int | None = Field(None, ge=1, le=64, description="Tool calls at most (8 unless configured).")
    deadline_s: float | None = Field(None, gt=0, le=3600, description="Seconds after which the run is given up.")
    language: Language | None = Field(None, description="Language of messages to the person.")
    tool_hint: str | None = Field(None, max_length=100, description="The tool to begin with: no model chooses it.")
    tool_arguments: dict[str, Json] | None = Field(
        None,
        description="What the person put into that tool's form, their own words by definition. With nothing left open "
        "no model is asked.",
    )


class AgentOptions(RunOptions):
    """A run's request. Missing options have defaults from client.toml or the caller's profile."""

    quoted: str | None = None
    """A page's quote of a conversation that the daemon doesn't have: context, never evidence."""
    session_id: str | None = None
    run_id: str | None = None

    @property
    def form(self) -> tuple[str | None, dict[str, Json] | None]:
        """The tool to begin with, and the values of its form."""
        return self.tool_hint, self.tool_arguments


class AgentStep(Message):
    """One tool call of a run, as the caller sees it."""

    tool: str
    server: str | None
    input: Json
    success: bool
    output: Json = None
    message: str = ""
    duration_ms: float = 0.0

    @classmethod
    def of(cls, tool: str, server: str | None, tool_input: Json, outcome: ToolOutcome) -> AgentStep:
        same = {name: getattr(outcome, name) for name in ("success", "output", "message", "duration_ms")}
        return cls(tool=tool, server=server, input=tool_input, **same)


class Approval(Message):
    """A call that waits for a human: exactly these arguments, until `expires_at` (ISO 8601).

    Where it waits for a second officer, `approvals` says who agreed already, and `proposed` what an officer changed.
    """

    approval_id: str
    tool: str
    arguments: dict[str, Json]
    summary: str
    expires_at: str
    proposed: dict[str, Json] | None = Field(None, exclude_if=not_)
    approvals: tuple[Agreement, ...] = Field((), exclude_if=not_)
    sources: dict[str, Source] = Field(default_factory=dict, exclude_if=not_)
    """Where each value comes from, of an official call."""
    rule: ApprovalRule | None = Field(None, exclude_if=not_)
    """`staff` where the citizen has said yes and an officer decides."""
    notice: str | None = Field(None, exclude_if=not_)
    """What the citizen reads meanwhile, or that it takes the place of a request that they withdrew."""


class AgentOutcome(Message):
    """The outcome of a run: the result of `Agent.run` on the wire."""

    run_id: str
    session_id: str
    status: RunStatus
    response: str = ""
    provider: str | None = None
    model: str | None = None
    fallbacks: tuple[Fallback, ...] = ()
    steps: tuple[AgentStep, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    approval: Approval | None = None
    logs: tuple[str, ...] = ()
    usage: Usage = Usage()


class RunOutcome(AgentOutcome):
    """The outcome of a run; a kiosk's or chat's caller gets the key of the session, others don't."""

    session_key: str | None = Field(None, repr=False)


class Event(Message):
    """One numbered thing that happened in a run. `at` is ISO 8601 in UTC."""

    seq: int
    run_id: str
    session_id: str
    type: EventType
    at: str
    data: dict[str, Json] = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.run_id, self.seq, self.type))
