"""Frozen data that crosses the ports and the wire. It holds shapes only: no behaviour beyond reading its own fields."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from agentd.errors import FaultKind, Language

Json = Any
Role = Literal["system", "user", "assistant"]
RunStatus = Literal["queued", "running", "completed", "needs_approval", "cancelled", "failed"]
ApprovalRule = Literal["never", "citizen", "staff"]
Source = Literal["register", "citizen", "officer", "default", "derived"]
"""Where a value of an official call comes from."""
Scope = Literal["kiosk", "chat", "staff", "admin", "model"]
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
"""Events that are shown as they happen and never stored; they carry the seq of the last stored event."""


class Message(BaseModel):
    """Base of all: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ── what a model is asked and answers ────────────────────────────────────────────────────────────────────────────────


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
"""What holds a model's output to a form; a provider that takes a grammar takes a schema too."""


class ModelRequest(Message):
    """One model turn, as the loop wants it.

    `stable` leading messages are byte-identical from run to run (a provider may cache what it computes of them).
    `json_schema` is the JSON Schema of the answer (None: free text); `grammar` is an LLGuidance/Lark grammar that only
    constrained providers honour. `provider`/`model` are the caller's wish, `skip` the providers whose answers were
    already rejected at this turn. `attempt` counts the model attempts recorded in the session before this one.
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
    """One whole turn's text, who wrote it, and who was passed over first. `attempts` counts the providers asked.

    `constraint` is what of the request's grammar or schema held this text.
    """

    text: str
    provider: str
    model: str
    usage: Usage = Usage()
    constraint: Constraint = "none"
    fallbacks: tuple[Fallback, ...] = ()
    attempts: int = 1


class ModelInfo(Message):
    """A model that a provider offers by configuration."""

    name: str
    display_name: str | None = None


class ProviderState(Message):
    """A provider as health and `Models.list` show it; `error` says why it is not `ready`.

    `constraint` is the strongest form that its answers can be held to.
    """

    id: str
    type: str
    models: tuple[ModelInfo, ...] = ()
    state: Literal["ready", "no_key", "cooling", "down", "unknown"] = "unknown"
    error: str | None = None
    constraint: Constraint = "none"


class ProviderSettings(Message):
    """What a provider is built from. `api_key` is the secret itself; `api_key_name` the variable it came from."""

    id: str
    type: str
    endpoint: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    api_key_name: str | None = None
    models: tuple[ModelInfo, ...] = ()
    model: str = ""
    timeout_s: float = 60.0
    settings: Mapping[str, Json] = Field(default_factory=dict)
    """The provider's own further keys of client.toml (`script`, `n_ctx`, …)."""
    config_dir: str = "."
    """Folder of client.toml: relative paths in `settings` start here."""


# ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────


_NOT_PLAIN = re.compile(r"[^\w.+-]+")


def folder_of_run(run_id: str) -> str:
    """The folder, below `ServerSettings.artifacts_dir`, of the files that a run's tools made: deleted with the run."""
    plain = _NOT_PLAIN.sub("_", run_id).lstrip(".")[:100]
    return plain if plain == run_id else f"{plain}-{hashlib.sha256(run_id.encode()).hexdigest()[:16]}"


class ServerSettings(Message):
    """How to reach one MCP server: a `command` to start over stdio, or the `url` of a Streamable HTTP endpoint.

    `env` is all that the child gets beside the few harmless variables every process needs (HOME, PATH, LANG …) and,
    with `credentials`, CREDENTIALS_DIRECTORY.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    url: str | None = None
    headers: Mapping[str, str] = Field(default_factory=dict, repr=False)
    env: Mapping[str, str] = Field(default_factory=dict, repr=False)
    credentials: Mapping[str, bytes] = Field(default_factory=dict, repr=False)
    """Secrets that it gets as files, by their names."""
    blocked: str | None = None
    """Why it must not be started as things are (a sentence); then it is down with this as its error."""
    workdir: str | None = None
    start_timeout_s: float = 30.0
    call_timeout_s: float = 60.0
    artifacts_dir: str | None = None
    """Where files embedded in results are kept; None drops their bytes and keeps their names."""


class ToolInfo(Message):
    """One tool as its server lists it, enriched by client.toml. `meta` is the tool's own `_meta`."""

    name: str
    server: str
    description: str = ""
    input_schema: dict[str, Json] = Field(default_factory=lambda: {"type": "object"})
    annotations: dict[str, Json] = Field(default_factory=dict)
    meta: dict[str, Json] = Field(default_factory=dict)
    official: bool = False
    approval: ApprovalRule = "never"
    four_eyes: bool = False
    """An officer's yes to their own call, or to another person than was proposed, needs a second officer's."""
    timeout_s: float | None = None
    whole_schema: dict[str, Json] | None = None
    """Its input schema where `input_schema` is only what a model is to fill in: the host knows the rest."""
    remote_name: str | None = None
    """The name that the server knows it by, where the catalogue's differs (`SERVER__TOOL`)."""

    @field_validator("input_schema")
    @classmethod
    def _of_schemas(cls, schema: dict[str, Json]) -> dict[str, Json]:
        """Each property as an object: to JSON Schema `true` is a schema too; what is none allows anything as well."""
        listed = schema.get("properties", {})
        properties = listed if isinstance(listed, dict) else {}
        if properties is listed and all(isinstance(each, dict) for each in properties.values()):
            return schema
        return {
            **schema,
            "properties": {name: each if isinstance(each, dict) else {} for name, each in properties.items()},
        }

    @property
    def read_only(self) -> bool:
        """True when the server promises that a call changes nothing, so that doing it again is harmless."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def harmless(self) -> bool:
        """True when the server promises that a call changes nothing, and does not say the contrary beside it."""
        return self.read_only and self.annotations.get("destructiveHint") is not True

    @property
    def identity(self) -> bool:
        """True for what proves who somebody is (`_meta` agentd/identity): the daemon itself calls it, and nobody else.

        Its arguments are secrets (a PIN), which no run, step or event may keep.
        """
        return bool(self.meta.get("agentd/identity"))

    @property
    def for_model(self) -> bool:
        """False for what only the desk's pages and programs call (`_meta` agentd/for): no model can call it."""
        return self.meta.get("agentd/for", "model") == "model" and not self.identity


class ServerState(Message):
    """One MCP server as it stands: its instructions come from its `initialize` answer."""

    name: str
    state: Literal["up", "starting", "down"]
    error: str | None = None
    protocol_version: str | None = None
    instructions: str = ""
    restarts: int = 0


class Catalogue(Message):
    """What a tool host offers at one moment. `version` grows with every change."""

    tools: tuple[ToolInfo, ...] = ()
    servers: tuple[ServerState, ...] = ()
    version: int = 0

    def tool(self, name: str) -> ToolInfo | None:
        """The tool of that name, without regard to case."""
        wanted = name.casefold()
        return next((tool for tool in self.tools if tool.name.casefold() == wanted), None)

    def tool_of(self, server: str, name: str) -> ToolInfo | None:
        """The tool that this server knows by exactly that name."""
        return next(
            (tool for tool in self.tools if (tool.server, tool.remote_name or tool.name) == (server, name)), None
        )


class Artifact(Message):
    """A file that a tool made. `path` is for the daemon and its admin; everybody else reads `uri`."""

    name: str
    uri: str
    media_type: str
    sha256: str
    path: str | None = None

    @model_serializer(mode="wrap")
    def _without_empty_path(self, dump: SerializerFunctionWrapHandler) -> dict[str, Json]:
        shown: dict[str, Json] = dump(self)
        if self.path is None:
            shown.pop("path", None)
        return shown


class Said(Message):
    """One thing that was said or found in a session, as evidence: by the citizen, by the agent, or by a tool.

    `order` grows through the session; `tool` names the tool whose result this is (then `value` holds its output, and
    `text` its input as JSON, so that an echo of the input is not taken for a finding).
    """

    by: Literal["citizen", "agent", "tool"]
    order: int
    text: str = ""
    tool: str | None = None
    value: Json = None


class Caller(Message):
    """Who asks: an id, what it may do, and which profile of client.toml its agent has."""

    id: str
    scopes: frozenset[Scope] = frozenset()
    profile: str | None = None
    session_key: str | None = Field(default=None, exclude=True, repr=False)
    """The visitor's secret that came with this call; it is never stored, logged or sent on."""

    @property
    def is_visitor(self) -> bool:
        """True for one of many people behind a kiosk's or a chat page's token: a session's key tells them apart."""
        return not self.may("staff") and not self.scopes.isdisjoint(("kiosk", "chat"))

    def with_key(self, session_key: str | None) -> Caller:
        """The same caller with the secret that this call brought."""
        return self if session_key is None else self.model_copy(update={"session_key": session_key})

    def may(self, *scopes: Scope) -> bool:
        """True for an admin and for anyone who has one of the scopes."""
        return "admin" in self.scopes or not self.scopes.isdisjoint(scopes)


class Agreement(Message):
    """Who said yes, and when (ISO 8601)."""

    by: str
    at: str


class Dispute(Message):
    """A datum that a resident says is otherwise: what the register holds of it, and their sentence."""

    title: str
    registered: str
    said: str


class Basis(Message):
    """On what an official call rests: how sure it is who asks (declared, officer, pin, card+pin), where each value
    comes from, and which of the tool's requirements an officer has seen."""

    level: str = "declared"
    sources: dict[str, Source] = Field(default_factory=dict)
    seen: tuple[str, ...] = ()
    disputed: dict[str, Dispute] = Field(default_factory=dict)
    """The fields of which the citizen says otherwise; the register's values stand."""

    @property
    def registered(self) -> frozenset[str]:
        """The fields that the office's register filled."""
        return frozenset(name for name, source in self.sources.items() if source == "register")

    def changed(self, names: Iterable[str]) -> Basis:
        """The same after an officer wrote these fields."""
        return self.model_copy(update={"sources": {**self.sources, **dict.fromkeys(names, "officer")}})


class Consent(Message):
    """A human's yes to one call with exactly these arguments.

    `by` is who said it last, `approvals` are all who did; `proposed` are the arguments before an officer changed them.
    """

    approval_id: str
    tool: str
    arguments: dict[str, Json]
    by: str
    approvals: tuple[Agreement, ...] = ()
    proposed: dict[str, Json] | None = None
    basis: Basis | None = None
    """On what the call rested when it was asked about."""
    by_staff: bool = False
    """An officer said so, or one did before."""


class ToolCall(Message):
    """One call with all that a policy needs to judge it. `key` is `RUN_ID:STEP`, the same after a crash."""

    tool: ToolInfo
    input: dict[str, Json]
    run_id: str
    session_id: str
    step: int
    said: tuple[Said, ...] = ()
    caller: Caller | None = None
    consent: Consent | None = None
    basis: Basis | None = None
    """Set by a policy, never by whoever asks."""
    language: Language = "id"
    trace: Mapping[str, str] = Field(default_factory=dict)
    """W3C trace context (`traceparent`, `tracestate`) for the server; empty unless traces are on."""

    @property
    def key(self) -> str:
        """The idempotency key that travels in `_meta`."""
        return f"{self.run_id}:{self.step}"


class ToolOutcome(Message):
    """What became of one call. A failure says its stable `error_type`; `missing` names fields without evidence."""

    success: bool
    output: Json = None
    message: str = ""
    artifacts: tuple[Artifact, ...] = ()
    duration_ms: float = 0.0
    error_type: str | None = None
    missing: tuple[str, ...] = ()
    input: dict[str, Json] | None = None
    """The arguments as the call was made, where a policy completed them."""
    meta: dict[str, Json] = Field(default_factory=dict, exclude=True, repr=False)
    """What the server says to the daemon beside the result: `agentd/…` of its `_meta`. It is never stored or shown."""

    @property
    def refused(self) -> bool:
        """The server itself said no, in words for people and with a structured reason; nothing was done."""
        return not self.success and bool(self.message) and isinstance(self.output, dict)


# ── a run ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class AgentOptions(Message):
    """What a caller may set for one run; everything has a default from client.toml or the caller's profile."""

    provider: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    max_steps: int | None = Field(default=None, ge=1, le=64)
    deadline_s: float | None = Field(default=None, gt=0, le=3600)
    language: Language | None = None
    tool_hint: str | None = None
    """The tool that the run begins with: no model chooses it."""
    tool_arguments: dict[str, Json] | None = None
    """What was tapped or typed into that tool's form: the citizen's own words."""
    session_id: str | None = None
    run_id: str | None = None


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
        """The step that a call with this outcome makes."""
        return cls(
            tool=tool,
            server=server,
            input=tool_input,
            success=outcome.success,
            output=outcome.output,
            message=outcome.message,
            duration_ms=outcome.duration_ms,
        )


class Approval(Message):
    """A call that waits for a human: exactly these arguments, until `expires_at` (ISO 8601).

    Where it waits for a second officer, `approvals` says who agreed already, and `proposed` what an officer changed.
    """

    approval_id: str
    tool: str
    arguments: dict[str, Json]
    summary: str
    expires_at: str
    proposed: dict[str, Json] | None = None
    approvals: tuple[Agreement, ...] = ()
    sources: dict[str, Source] = Field(default_factory=dict)
    """Where each value comes from, of an official call."""
    rule: ApprovalRule | None = None
    """`staff` where the citizen has said yes and an officer decides."""
    notice: str | None = None
    """What the citizen is told meanwhile."""

    @model_serializer(mode="wrap")
    def _without_what_nobody_did(self, dump: SerializerFunctionWrapHandler) -> dict[str, Json]:
        shown: dict[str, Json] = dump(self)
        optional = ("proposed", "approvals", "sources", "rule", "notice")
        return {name: value for name, value in shown.items() if value or name not in optional}


class AgentOutcome(Message):
    """What a run came to: the result of `Agent.run` on the wire."""

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


class KeyedOutcome(AgentOutcome):
    """What a visitor's run came to, with the key of its session."""

    session_key: str = Field(repr=False)


class Event(Message):
    """One numbered thing that happened in a run. `at` is ISO 8601 in UTC."""

    seq: int
    run_id: str
    session_id: str
    type: EventType
    at: str
    data: dict[str, Json] = Field(default_factory=dict)
