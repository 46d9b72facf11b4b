"""The rows of sessions and runs as the daemon reads them, and their JSON columns. It stores nothing: store.py does.

The JSON is a promise to older state folders: keys stay, and one that has nothing to say is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Any, Literal, TypedDict, TypeVar, cast

from pydantic import TypeAdapter

from agentd.agent.picking import PromptTools
from agentd.agent.which import Choice
from agentd.errors import Language
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


Stored = TypeVar("Stored")


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _read(kind: type[Stored], stored: Json) -> Stored:
    """A record from its JSON; keys that it doesn't have are passed over."""
    record: Stored = _adapter(cast("Any", kind)).validate_python(stored)
    return record


@dataclass(frozen=True, slots=True)
class RunBrief:
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
    prompt_tools: PromptTools | None = None
    """The tools that the prompt describes; None: all."""
    answers: str | None = None
    """The id of the run that this one answers for: its words were the yes or no that decided it."""
    decisions: tuple[Json, ...] = ()
    """Every decision of a call of this run, oldest first."""
    withdrew: bool = False
    """The citizen's words took back a request that waited for an officer; the answer says so."""
    choice: Choice | None = None
    """The words were a yes or no to one of several calls: the answer asks to which."""

    @classmethod
    def read(cls, stored: Json) -> RunBrief:
        """Back from JSON."""
        return _read(cls, {**stored, "prompt_tools": stored.get("told")})

    def json(self) -> Json:
        """As it is stored."""
        if self.answers is not None:
            return {"answers": self.answers, "decisions": list(self.decisions)}
        stored: Json = {"options": self.options, "language": self.language}
        if self.caller is not None:
            stored["caller"] = self.caller.model_dump(mode="json")
        if self.prompt_tools is not None:
            stored["told"] = self.prompt_tools.record()
        more: Json = {"spoken": self.spoken, "deadline_s": self.deadline_s, "decisions": list(self.decisions)}
        more |= {"withdrew": self.withdrew, "choice": self.choice and asdict(self.choice)}
        stored |= {name: value for name, value in more.items() if value}
        return stored


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run failed: the error's type on the wire, its message and its data."""

    type: str
    message: str
    data: Json = field(default_factory=dict)

    @classmethod
    def read(cls, stored: Json | None) -> RunError | None:
        """Back from JSON."""
        return None if stored is None else _read(cls, stored)

    def json(self) -> Json:
        """As it is stored, and as `run.finished` shows it."""
        return {"type": self.type, "message": self.message, "data": self.data}


@dataclass(frozen=True, slots=True)
class PendingApproval:
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
        """Whether it rests on what the register holds of a verified visitor."""
        return self.basis is not None and "register" in self.basis["sources"].values()

    @classmethod
    def read(cls, stored: Json) -> PendingApproval:
        """Back from JSON."""
        return _read(cls, stored)

    def json(self) -> Json:
        """As it is stored."""
        rules: Json = {"rule": self.rule, "four_eyes": self.four_eyes, "identity": list(self.identity)}
        more: Json = {"basis": self.basis, "officer": self.officer, "request": self.request}
        return {**self.shown(), **rules, **{name: value for name, value in more.items() if value}}

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
class Decision:
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

    @classmethod
    def read(cls, stored: Json | None) -> Decision | None:
        """Back from JSON."""
        return None if stored is None else _read(cls, stored)

    def noted(self) -> Json:
        """As the run's brief notes it, without the arguments."""
        return {
            "approval_id": self.approval_id,
            "approved": self.approved,
            "by": self.by,
            "at": self.at,
            "changed": self.proposed is not None,
            "approvals": [each.model_dump() for each in self.approvals],
        }

    def json(self) -> Json:
        """As the run goes on with it."""
        by_staff = {"by_staff": True} if self.by_staff else {}
        return {**self.noted(), "arguments": self.arguments, "proposed": self.proposed, **by_staff}


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
    """The wire form of what it came to."""
    error: RunError | None = None
    record: Json | None = None
    """What its executor goes on from after an approval, in that executor's own form."""
    approval: PendingApproval | None = None
    events: list[Json] | None = None
    """Each as the Event is sent, in order."""
    node: str | None = None
    """The mark of the execution that has it."""

    @property
    def caller(self) -> Caller:
        """Who asked."""
        assert self.brief.caller is not None, "a run that only answers for another is never executed"
        return self.brief.caller

    @property
    def decision(self) -> Decision | None:
        """What a human decided of the call that this run waited with; None for a run that begins."""
        return Decision.read((self.record or {}).get("decision"))


class RunChanges(TypedDict, total=False):
    """What changes in a run that exists."""

    status: str
    segment: int
    brief: RunBrief
    outcome: Json
    record: Json
    approval: PendingApproval | None
    events: list[Json]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A finished step of a run under way."""

    name: str
    record: Json


def run_of(row: Mapping[str, Any]) -> RunRecord:
    """From the columns of its row."""
    typed = {
        "brief": RunBrief.read(row["brief"]),
        "error": RunError.read(row["error"]),
        "approval": None if row["approval"] is None else PendingApproval.read(row["approval"]),
    }
    return RunRecord(**{**row, **typed})


def columns(record: SessionRecord | RunRecord) -> Json:
    """The record as the columns of its row."""
    return changed({each.name: getattr(record, each.name) for each in fields(record)})


def changed(values: Mapping[str, Any]) -> Json:
    """Some fields of a record as columns."""
    typed = (RunBrief, RunError, PendingApproval)
    return {name: value.json() if isinstance(value, typed) else value for name, value in values.items()}
