"""What has happened in a run so far, grown only from journal records; and what one ask of the model came to.

Both are read from and written to JSON, so that a replay grows the same. They decide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from agentd.errors import AgentdError
from agentd.messages import AgentStep, Artifact, ChatMessage, Fallback, Said, Usage


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
        """As JSON, to go on from after an approval."""
        made: dict[str, Any] = _shape().dump_python(self, exclude={"may_call_official"})
        return made

    @classmethod
    def read(cls, record: dict[str, Any]) -> Progress:
        """Back from JSON."""
        return _shape().validate_python(record)


@cache
def _shape() -> TypeAdapter[Progress]:
    return TypeAdapter(Progress)


@dataclass(slots=True)
class Asked:
    """What one ask came to, before it is recorded."""

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
            "error": None if self.error is None else {"type": self.error.type, "message": self.error.message},
            "fallbacks": [fallback.model_dump() for fallback in self.fallbacks],
            "logs": self.logs,
            "usage": self.usage.model_dump(),
            "attempts": self.attempts,
            "provider": self.provider,
            "model": self.model,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
