"""Requests to a model, its replies, and its provider's settings and state. No tool, no run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from agentd.errors import FaultKind
from agentd.messages.base import Json, Message

Role = Literal["system", "user", "assistant"]


class ChatMessage(Message):
    """One turn of the conversation as a model reads it."""

    role: Role
    content: str


class Usage(Message):
    """Tokens read and written."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens, output_tokens=self.output_tokens + other.output_tokens
        )


class Fallback(Message):
    """One provider that was asked and passed over, and why."""

    provider: str
    kind: FaultKind
    message: str


Constraint = Literal["grammar", "json_schema", "none"]
"""What constrains a model's output; a provider that takes a grammar also takes a schema."""


class ModelRequest(Message):
    """The request for one model turn.

    The first `stable` messages are byte-identical from run to run, so that a provider may cache what it computes.
    `json_schema` is the JSON Schema of the answer (None: free text); `grammar` is an LLGuidance/Lark grammar that only
    constrained providers honour. `provider`/`model` are the caller's wish, `skip` the providers not to ask: barred ones
    and those whose answers were rejected in this turn. `attempt` is the session's number of earlier model attempts.
    """

    messages: tuple[ChatMessage, ...]
    stable: int = 1
    json_schema: dict[str, Json] | None = None
    grammar: str | None = None
    provider: str | None = None
    model: str | None = None
    skip: frozenset[str] = frozenset()
    attempt: int = 0
    max_tokens: int = 1024
    temperature: float = 0.0
    timeout_s: float | None = None


class ModelReply(Message):
    """One turn's whole text, its provider and model, and the providers that failed first (`fallbacks`).

    `attempts` counts the providers asked. `constraint` is what constrained this text (the request's grammar or schema),
    `read` how many prompt tokens were not cached, if the provider knows; `cut` says that free text ends at max_tokens.
    """

    text: str
    provider: str
    model: str
    usage: Usage = Usage()
    read: int | None = None
    cut: bool = False
    constraint: Constraint = "none"
    fallbacks: tuple[Fallback, ...] = ()
    attempts: int = 1


class ModelInfo(Message):
    """A model that a provider offers by configuration."""

    name: str
    display_name: str | None = None


class ModelPrice(Message):
    """What a provider's tokens cost, for a million of them, as client.toml says."""

    currency: str
    input: float
    output: float

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost, in its currency."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


class ProviderState(Message):
    """A provider as health and `Models.list` show it; `error` says why it is not `ready`.

    `constraint` is the strongest form that its answers can be held to, `context_tokens` how much it reads at once
    (null: unknown), `local` whether what citizens say stays on this machine.
    """

    id: str
    type: str
    models: tuple[ModelInfo, ...] = ()
    state: Literal["ready", "no_key", "cooling", "down", "unknown"] = "unknown"
    error: str | None = None
    constraint: Constraint = "none"
    context_tokens: int | None = None
    local: bool = False
    price: ModelPrice | None = None


class ProviderSettings(Message):
    """The settings of one provider. `api_key` is the secret itself, `api_key_name` the variable it came from."""

    id: str
    type: str
    endpoint: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    api_key_name: str | None = None
    models: tuple[ModelInfo, ...] = ()
    model: str = ""
    timeout_s: float = 60.0
    price: ModelPrice | None = None
    settings: Mapping[str, Json] = Field(default_factory=dict)
    """The provider's own other keys in client.toml (`script`, `n_ctx`, …)."""
    config_dir: str = "."
    """The folder of client.toml, to which paths in `settings` are relative."""
