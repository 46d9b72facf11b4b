"""What an application brings to the daemon, and what it gets of it. The daemon names no app: plugins.py finds them.

An app is a class under the entry point group `agentd.apps`, made once with a `Wiring`. Its policies are asked before
approval: first what may be called at all, then whether a human agrees, then the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import structlog

from agentd.access import TokenStore
from agentd.agent.approval import Approved
from agentd.agent.policies import REASON, HostedArguments, KnownArguments, NoOfficialCalls, PolicedTools
from agentd.agent.toolset import Fit, Toolset
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.audit import AuditTrail
from agentd.config import Settings
from agentd.messages import Caller, ProviderState, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy, ChatModel, Clock, Meaning, OwnTool, ToolHost
from agentd.rpc.method import Method
from agentd.runs.agent_api import AgentRuns
from agentd.runs.approvals import Reviews
from agentd.runs.execution import Executor
from agentd.runs.records import RunBrief
from agentd.runs.store import RunStore

if TYPE_CHECKING:
    from aiohttp import web

log = structlog.get_logger("agentd")
InternalCall = Callable[[str, dict[str, Any]], Awaitable[ToolOutcome]]
"""Calls a read-only tool of one server for a page, outside any conversation: (tool, arguments)."""
InternalTools = Callable[[Callable[[], str]], InternalCall]
"""Internal calls to the server that a setting names, which is read at each call."""
MethodCall = Callable[[str, dict[str, Any], Caller], Awaitable[Any]]
"""Calls one of the daemon's JSON-RPC methods in this process: (name, params, caller). Raises as the method does."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What an app may use of its daemon. What a reload can change is a function."""

    settings: Callable[[], Settings]
    clock: Clock
    model: ChatModel
    providers: Callable[[], Sequence[ProviderState]]
    tools: Callable[[], ToolHost]
    """Every tool behind every policy: how an app's own run calls them."""
    tools_of: Callable[[Caller | None], Toolset]
    barred: Callable[[Caller], frozenset[str]]
    """The providers that this caller's profile does not use."""
    store: RunStore
    audit: AuditTrail
    tokens: TokenStore
    internal_tools: InternalTools
    call: MethodCall
    meaning: Meaning | None = None
    """How near texts are in meaning; None: nothing is compared so."""


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question that becomes a durable run: what answers it, by which servers, with what brief."""

    execute: Executor
    servers: frozenset[str]
    brief: RunBrief = field(default_factory=RunBrief)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a tool's schema: where (`address.street`), in which key, and what is wrong."""

    path: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class SchemaReading:
    """How an app reads a tool's schema, for its author."""

    lines: tuple[str, ...]
    mistakes: tuple[Mistake, ...]


class App:
    """An app that brings nothing; each overrides what it has."""

    methods: ClassVar[tuple[Method, ...]] = ()
    """JSON-RPC methods of its own. They reach its kinds of question by `services.questions[KIND]`."""
    static: ClassVar[Path | None] = None
    """The folder of its pages' files, served together with the daemon's own (`agentd.web.pages`)."""
    turns: TurnPolicy = UNRESTRICTED
    reviews: Reviews | None = None
    """Takes on what a citizen agreed to and an officer must, too."""
    reaches_out: ClassVar[bool] = False
    """Whether it connects to others by itself, from `routes` on: not in a daemon made for one command."""
    judges_official_calls: ClassVar[bool] = False
    """Whether its `policies` judge what official calls may hold. Without such an app the daemon makes none."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring

    @staticmethod
    async def read_schema(tool: ToolInfo, meaning: Meaning) -> SchemaReading:
        """What it reads of a tool's schema."""
        del tool, meaning  # an app that reads none
        return SchemaReading((), ())

    def own_tools(self) -> Iterable[OwnTool]:
        """Tools that it has itself, without a server."""
        return ()

    def policies(self) -> Iterable[CallPolicy]:
        """Its rules about calls, in the order in which they are asked."""
        return ()

    async def fitting(self, session_id: str) -> Fit | None:
        """How tools look in this session, where more is known of its visitor than the conversation says."""
        return None

    def wrap_model(self, inner: ChatModel) -> ChatModel:
        """The model as the agent's loop asks it."""
        return inner

    def questions(self) -> Mapping[str, QuestionKind]:
        """{kind: what answers it}."""
        return {}

    def pages(self) -> Iterable[web.AbstractRouteDef]:
        """Pages that are open to everybody and made at each request; those of `static` are served without it."""
        return ()

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """Routes behind the guard; they check scopes themselves."""
        return ()

    def serving(self) -> AbstractAsyncContextManager[None]:
        """What goes on beside the runs, as long as the daemon serves."""
        return nullcontext()

    def parts(self) -> Iterable[object]:
        """What its methods stand on: they reach each by `services.part(TYPE)`."""
        return ()

    async def owes(self, session_id: str) -> bool:
        """Whether somebody still waits for something of a session that nobody has used for its time."""
        return False

    async def leaving(self, session_id: str) -> None:
        """The runs of a session are about to be removed."""

    async def session_shown(self, session_id: str) -> dict[str, Any]:
        """What Session.get says of a session besides its turns."""
        return {}

    async def forget(self, session_id: str) -> None:
        """Let go of what is kept of a session that is deleted."""


def policed(host: ToolHost, apps: Sequence[App], timed: Callable[[str, float], None] = lambda *_: None) -> PolicedTools:
    """The host behind every app's policies, those of the last app first, then approval, then what the host fills in.

    Before them all, a call is refused for arguments that its tool doesn't have.
    """
    policies = [policy for app in reversed(apps) for policy in app.policies()]
    if not any(app.judges_official_calls for app in apps):
        log.error("official.refused", reason=REASON)
        policies.append(NoOfficialCalls())
    own = [tool for app in apps for tool in app.own_tools()]
    hosted = PolicedTools(host, [HostedArguments()], own, timed)
    return PolicedTools(hosted, [KnownArguments(), *policies, Approved(hosted)])
