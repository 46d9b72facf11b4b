"""One call of a tool: the basis of its values, who agreed to it, and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from agentd.errors import Language
from agentd.messages.base import Json, Message
from agentd.messages.people import Caller, Said
from agentd.messages.tools import ToolInfo

Source = Literal["register", "citizen", "officer", "default", "derived"]
"""The source of a value in an official call."""


class Agreement(Message):
    """Who said yes, and when (ISO 8601)."""

    by: str
    at: str


class Dispute(Message):
    """A datum that a resident disputes: its value in the register, and the resident's sentence."""

    title: str
    registered: str
    said: str


class Basis(Message):
    """The basis of an official call: how the requester was identified (declared, officer, pin, card+pin), the source of
    each value, and which of the tool's requirements an officer has seen."""

    level: str = "declared"
    sources: dict[str, Source] = Field(default_factory=dict)
    seen: tuple[str, ...] = ()
    disputed: dict[str, Dispute] = Field(default_factory=dict)
    """The fields that the citizen disputes; the register's values are kept."""

    @property
    def registered(self) -> frozenset[str]:
        """The fields that the office's register filled."""
        return frozenset(name for name, source in self.sources.items() if source == "register")

    def changed(self, names: Iterable[str], by: Source = "officer") -> Basis:
        """The basis after somebody else, such as an officer, has given these fields."""
        return self.model_copy(update={"sources": {**self.sources, **dict.fromkeys(names, by)}})


class Consent(Message):
    """A human's yes to one call with exactly these arguments.

    `by` is who agreed last, `approvals` are all who agreed; `proposed` are the arguments before an officer's change.
    """

    approval_id: str
    tool: str
    arguments: dict[str, Json]
    by: str
    approvals: tuple[Agreement, ...] = ()
    proposed: dict[str, Json] | None = None
    basis: Basis | None = None
    """The basis of the call at the request for approval, with an officer's later changes."""
    by_staff: bool = False
    """Whether the one who agreed last is an officer."""
    labels: dict[str, str] = Field(default_factory=dict)
    """What was read for the tool (key "") and for each argument; empty in older records."""


class ToolCall(Message):
    """One call with everything that a policy needs to judge it. `key` is `RUN_ID:STEP`, the same after a crash."""

    tool: ToolInfo
    input: dict[str, Json]
    run_id: str
    session_id: str
    step: int
    said: tuple[Said, ...] = ()
    quotes: Mapping[str, str] = Field(default_factory=dict)
    """{argument's name: the citizen's words that the model quotes as its source}."""
    doubted: tuple[str, ...] = ()
    """Arguments to be checked before the yes, since the citizen may have said their values about something else."""
    caller: Caller | None = None
    consent: Consent | None = None
    basis: Basis | None = None
    """Set by a policy, never by the caller."""
    language: Language = "id"
    """The language of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen writes; None if it is `language`."""
    trace: Mapping[str, str] = Field(default_factory=dict)
    """W3C trace context (`traceparent`, `tracestate`) for the server; empty unless traces are on."""

    @property
    def key(self) -> str:
        """The idempotency key that travels in `_meta`."""
        return f"{self.run_id}:{self.step}"


class Artifact(Message):
    """A file that a tool made. `path` is for the daemon and its admin; everybody else reads `uri`."""

    name: str
    uri: str
    media_type: str
    sha256: str
    path: str | None = Field(None, exclude_if=lambda path: path is None)


class ToolOutcome(Message):
    """The outcome of one call. A failure has a stable `error_type`; `missing` names fields without evidence."""

    success: bool
    output: Json = None
    message: str = ""
    artifacts: tuple[Artifact, ...] = ()
    duration_ms: float = 0.0
    error_type: str | None = None
    missing: tuple[str, ...] = ()
    input: dict[str, Json] | None = None
    """The arguments with which the call was made, if a policy completed them."""
    pending: dict[str, Json] | None = Field(default=None, exclude=True)
    """Set if the call was not made but waits for a human: {tool, arguments, summary, rule, …}."""
    meta: dict[str, Json] = Field(default_factory=dict, exclude=True, repr=False)
    """The `agentd/…` entries of the result's `_meta`, which the server sends to the daemon. Never stored or shown."""

    @property
    def refused(self) -> bool:
        """Whether the server itself refused, with a message for people and a structured reason; nothing was done."""
        return not self.success and bool(self.message) and isinstance(self.output, dict)
