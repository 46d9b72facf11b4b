"""The rows of sessions and runs as records, and their JSON columns. store.py stores them.

The JSON stays compatible with older state folders: keys are never renamed, and default values are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import takewhile
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer

from agentd.agent.picking import PromptTools
from agentd.agent.which import Choice
from agentd.errors import BY_TYPE, AgentdError, InternalError, Language
from agentd.messages import Agreement, Approval, Caller, adapter

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A conversation. Times are ISO 8601 in UTC."""

    session_id: str
    owner: str
    created_at: str
    updated_at: str
    title: str | None = None
    forked_from: str | None = None
    attempts: int = 0
    """The model attempts of all its runs."""
    turns: int = 0
    key_hash: str | None = None
    """The hash of the visitor's key; None for staff's sessions and those older than these keys."""


class Stored:
    """A record that a JSON column holds."""

    __slots__ = ()

    @classmethod
    def read(cls, stored: Json) -> Self:
        """Read the record from JSON; unknown keys are ignored."""
        record: Self = adapter(cls).validate_python(stored)
        return record

    def json(self) -> Json:
        written: Json = adapter(type(self)).dump_python(self, mode="json", by_alias=True, exclude_defaults=True)
        return written


@dataclass(frozen=True, slots=True)
class RunBrief(Stored):
    """The request of a run."""

    options: Json = field(default_factory=dict)
    """AgentOptions for an agent's run; other kinds have their own."""
    caller: Caller | None = None
    """None if this run only answers for another."""
    language: Language = "id"
    """The language of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen wrote, if it differs from `language`."""
    deadline_s: float | None = None
    deadline_of: str = "[agent]"
    """The setting that gave `deadline_s`, for the error message."""
    prompt_tools: Annotated[PromptTools | None, Field(alias="told"), PlainSerializer(PromptTools.record)] = None
    """The tools that the prompt describes; None means all."""
    answers: str | None = None
    """The id of the run that this run's yes or no decided."""
    decisions: tuple[Json, ...] = ()
    """Every decision on a call of this run, oldest first."""
    withdrew: bool = False
    """The citizen withdrew a request that waited for an officer; the answer says so."""
    choice: Choice | None = None
    """The question to ask, if the prompt was a yes or no that fits several calls."""


@dataclass(frozen=True, slots=True)
class RunError(Stored):
    """Why a run failed, as stored and as shown by `run.finished`: the error's wire type, message and data."""

    type: str
    message: str
    data: Json

    def raised(self, **more: Any) -> AgentdError:
        """The exception for this error, with more data."""
        return BY_TYPE.get(self.type, InternalError)(self.message, **{**self.data, **more})


@dataclass(frozen=True, slots=True)
class PendingApproval(Stored):
    """A call that waits for a human."""

    approval_id: str
    tool: str
    arguments: Json
    summary: str
    rule: Literal["citizen", "staff"]
    expires_at: str
    four_eyes: bool = False
    identity: tuple[str, ...] = ()
    """The names of the arguments that identify the person."""
    proposed: Json | None = None
    """The arguments as first proposed, if an officer has changed them."""
    approvals: tuple[Json, ...] = ()
    """Who has agreed so far: {by, at}."""
    basis: Json | None = None
    """The JSON of `agentd.messages.Basis`: the sources of its values."""
    officer: bool = False
    """Whether an officer must approve it after the citizen."""
    request: str | None = None
    """The id of the citizen's request that waits for an officer."""
    notice: str | None = None
    """The citizen's text while it waits for an officer, or the note that it replaces a withdrawn request."""

    def shown(self) -> Json:
        """The part that callers see."""
        same = {name: getattr(self, name) for name in Approval.model_fields.keys() - {"rule", "sources"}}
        rule = None if self.request is None else self.rule
        sources = {} if self.basis is None else self.basis["sources"]
        return Approval(**same, rule=rule, sources=sources).model_dump(mode="json")


@dataclass(frozen=True, slots=True)
class Decision(Stored):
    """A human's decision on a waiting call."""

    approval_id: str
    approved: bool
    by: str
    at: str
    arguments: Json
    proposed: Json | None = None
    """The arguments as proposed, if they were changed."""
    approvals: tuple[Agreement, ...] = ()
    by_staff: bool = False

    def noted(self) -> Json:
        """The JSON for the run's brief, without the arguments."""
        noted = {name: getattr(self, name) for name in ("approval_id", "approved", "by", "at")}
        agreements = [agreement.model_dump() for agreement in self.approvals]
        return {**noted, "changed": self.proposed is not None, "approvals": agreements}

    def json(self) -> Json:
        """The JSON with which the run continues."""
        return {**Stored.json(self), **self.noted()}


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RunRecord:
    """A run. Times are ISO 8601 in UTC."""

    run_id: str
    session_id: str
    owner: str
    kind: str
    prompt: str
    brief: RunBrief
    status: str
    created_at: str
    segment: int = 0
    """Grows by one when an approval continues the run or another person is asked."""
    finished_at: str | None = None
    attempt: int = 0
    """The session's model attempts before this run."""
    attempts: int = 0
    """Its own model attempts."""
    outcome: Json | None = None
    """The outcome in the wire form."""
    error: RunError | None = None
    record: Json | None = None
    """The executor's own state, from which it continues after an approval."""
    approval: PendingApproval | None = None
    events: list[Json] | None = None
    """The stored events as JSON, in order."""
    node: str | None = None
    """The mark of the execution that owns the run."""

    @property
    def caller(self) -> Caller:
        assert self.brief.caller is not None, "a run that only answers for another is never executed"
        return self.brief.caller

    def awaits_staff(self, now: str) -> bool:
        """Whether an officer may still decide its waiting call."""
        approval = self.approval if self.status == "needs_approval" else None
        return approval is not None and approval.rule == "staff" and approval.expires_at > now

    @property
    def decision(self) -> Decision | None:
        """The human's decision on the call of this run; None if there is none yet."""
        stored = (self.record or {}).get("decision")
        return None if stored is None else Decision.read(stored)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A finished step of an unfinished run."""

    name: str
    record: Json


def columns(record: SessionRecord | RunRecord) -> Json:
    """The record as {column: value}."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


def before(run: RunRecord, turns: Sequence[RunRecord]) -> list[RunRecord]:
    """The turns (in the session's order) before this run; all if it is not among them. A clock may have been set."""
    return list(takewhile(lambda turn: turn.run_id != run.run_id, turns))
