"""The rows of sessions and runs as the daemon reads them, and their JSON columns. It stores nothing: store.py does.

The JSON is a promise to older state folders: keys stay, and one that has nothing to say is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer, TypeAdapter

from agentd.agent.picking import PromptTools
from agentd.agent.which import Choice
from agentd.errors import BY_TYPE, AgentdError, InternalError, Language
from agentd.messages import Agreement, Caller

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
    """Model attempts of all its runs."""
    turns: int = 0
    key_hash: str | None = None
    """Of the visitor's secret; None: staff's, or older than these keys."""


class Stored:
    """What a JSON column holds."""

    __slots__ = ()

    @classmethod
    @cache
    def _form(cls) -> TypeAdapter[Any]:
        return TypeAdapter(cls)

    @classmethod
    def read(cls, stored: Json) -> Self:
        """Back from JSON; keys that the record doesn't have are passed over."""
        record: Self = cls._form().validate_python(stored)
        return record

    def json(self) -> Json:
        written: Json = self._form().dump_python(self, mode="json", by_alias=True, exclude_defaults=True)
        return written


@dataclass(frozen=True, slots=True)
class RunBrief(Stored):
    """What a run was asked with."""

    options: Json = field(default_factory=dict)
    """The agent's AgentOptions, or another kind's own."""
    caller: Caller | None = None
    """None: the run only answers for another."""
    language: Language = "id"
    """Of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen wrote, where that is another one."""
    deadline_s: float | None = None
    deadline_of: str = "[agent]"
    """What set `deadline_s`, for the message when it is over."""
    prompt_tools: Annotated[PromptTools | None, Field(alias="told"), PlainSerializer(PromptTools.record)] = None
    """The tools that the prompt describes; None: all."""
    answers: str | None = None
    """The id of the run that this one answers for: its words were the yes or no that decided it."""
    decisions: tuple[Json, ...] = ()
    """Every decision of a call of this run, oldest first."""
    withdrew: bool = False
    """The citizen's words took back a request that waited for an officer; the answer says so."""
    choice: Choice | None = None
    """The words were a yes or no to one of several calls: the answer asks to which."""


@dataclass(frozen=True, slots=True)
class RunError(Stored):
    """Why a run failed, as it is stored and as `run.finished` shows it: the error's type on the wire, its message and
    its data."""

    type: str
    message: str
    data: Json

    def raised(self, **more: Any) -> AgentdError:
        """The error itself, with more data."""
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
    """The arguments that say who the call is about."""
    proposed: Json | None = None
    """The arguments as first proposed, where an officer has changed them."""
    approvals: tuple[Json, ...] = ()
    """Who has agreed so far: {by, at}."""
    basis: Json | None = None
    """On what it rests, as `agentd.messages.Basis` is written."""
    officer: bool = False
    """The citizen's yes is not enough: an officer's must follow."""
    request: str | None = None
    """The id of the citizen's request that waits with it for an officer."""
    notice: str | None = None
    """What the citizen reads while it waits for an officer, or that it takes the place of a withdrawn request."""

    @property
    def registered(self) -> bool:
        """Whether it rests on the register's data of a verified visitor."""
        return self.basis is not None and "register" in self.basis["sources"].values()

    def shown(self) -> Json:
        """What callers see of it; its rules are the daemon's."""
        always = ("approval_id", "tool", "arguments", "summary", "expires_at")
        more: Json = {
            "proposed": self.proposed,
            "approvals": list(self.approvals) or None,
            "rule": None if self.request is None else self.rule,
            "notice": self.notice,
            "sources": (self.basis and self.basis["sources"]) or None,
        }
        shown = {name: getattr(self, name) for name in always}
        return shown | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Decision(Stored):
    """What a human decided of a call that waited."""

    approval_id: str
    approved: bool
    by: str
    at: str
    arguments: Json
    proposed: Json | None = None
    """The arguments as proposed, where the decision changed them."""
    approvals: tuple[Agreement, ...] = ()
    by_staff: bool = False

    def noted(self) -> Json:
        """As the run's brief notes it, without the arguments."""
        noted = {name: getattr(self, name) for name in ("approval_id", "approved", "by", "at")}
        agreements = [agreement.model_dump() for agreement in self.approvals]
        return {**noted, "changed": self.proposed is not None, "approvals": agreements}

    def json(self) -> Json:
        """As the run continues with it."""
        return {**Stored.json(self), **self.noted()}


@dataclass(frozen=True, slots=True)
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
    """How many approvals it has gone through."""
    finished_at: str | None = None
    attempt: int = 0
    """Model attempts of the session before this run."""
    attempts: int = 0
    """Its own model attempts."""
    outcome: Json | None = None
    """Its outcome in the wire form."""
    error: RunError | None = None
    record: Json | None = None
    """What its executor continues from after an approval, in that executor's own form."""
    approval: PendingApproval | None = None
    events: list[Json] | None = None
    """Each as the Event is sent, in order."""
    node: str | None = None
    """The mark of the execution that has it."""

    @property
    def caller(self) -> Caller:
        assert self.brief.caller is not None, "a run that only answers for another is never executed"
        return self.brief.caller

    def awaits_staff(self, now: str) -> bool:
        """Whether an officer may still decide the call that it waits with."""
        approval = self.approval if self.status == "needs_approval" else None
        return approval is not None and approval.rule == "staff" and approval.expires_at > now

    @property
    def decision(self) -> Decision | None:
        """What a human decided of the call that this run waited with; None for a run that begins."""
        stored = (self.record or {}).get("decision")
        return None if stored is None else Decision.read(stored)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A finished step of a run under way."""

    name: str
    record: Json


def columns(record: SessionRecord | RunRecord) -> Json:
    """The record's values by the columns of its row."""
    return {each.name: getattr(record, each.name) for each in fields(record)}
